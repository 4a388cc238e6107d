"""Measures: pure functions over arrays, one measure a file, each declared beside its function.

A new measure is its file and a line here, which also makes its declaration known.
"""

from wordworth.embedding.cosine import cosines as cosines
from wordworth.embedding.cosine import unit_rows as unit_rows
from wordworth.measure import recorded as recorded
from wordworth.measure.accuracy import accuracy as accuracy
from wordworth.measure.agreement import rank_agreement as rank_agreement
from wordworth.measure.analogy import analogies as analogies
from wordworth.measure.bert_score import bert_score as bert_score
from wordworth.measure.declaration import MEASURES as MEASURES
from wordworth.measure.declaration import Measure as Measure
from wordworth.measure.declaration import named as named
from wordworth.measure.direct_bias import direct_bias as direct_bias
from wordworth.measure.direct_bias import pair_direction as pair_direction
from wordworth.measure.direct_bias import resampled_direct_bias as resampled_direct_bias
from wordworth.measure.diversity import type_coverage as type_coverage
from wordworth.measure.garg import garg_cosine as garg_cosine
from wordworth.measure.garg import garg_euclidean as garg_euclidean
from wordworth.measure.isotropy import anisotropy as anisotropy
from wordworth.measure.isotropy import neuron_share as neuron_share
from wordworth.measure.mac import mac as mac
from wordworth.measure.manzini import manzini as manzini
from wordworth.measure.manzini import manzini_centroid as manzini_centroid
from wordworth.measure.neutrality import Tally as Tally
from wordworth.measure.perplexity import bits_per as bits_per
from wordworth.measure.perplexity import perplexity as perplexity
from wordworth.measure.ripa import ripa as ripa
from wordworth.measure.rnsb import rnsb as rnsb
from wordworth.measure.similarity import similarity as similarity
from wordworth.measure.soft_match import neighbour_ranks as neighbour_ranks
from wordworth.measure.valence import valence as valence
from wordworth.measure.valence import valence_spearman as valence_spearman
from wordworth.measure.weat import association as association
from wordworth.measure.weat import sc_weat as sc_weat
from wordworth.measure.weat import sc_weat_p as sc_weat_p
from wordworth.measure.weat import weat as weat
from wordworth.measure.weat import weat_p as weat_p
from wordworth.measure.weighted import mean_over_targets as mean_over_targets
