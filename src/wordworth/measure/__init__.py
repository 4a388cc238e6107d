"""Measures: pure functions over arrays, each declared next to its function.

A new measure is its function, and a line in the task that records it. Every file here is imported, so that the
declarations in them are known to all who read a run; the names below are those that several rooms take.
"""

from importlib import import_module
from pkgutil import iter_modules

from wordworth.embedding.core import pair_cosines, unit_rows
from wordworth.measure.analogy import analogies
from wordworth.measure.bert_score import bert_score
from wordworth.measure.centroids import (
    garg_cosine,
    garg_euclidean,
    mac,
    manzini,
    manzini_centroid,
    mean_over_targets,
    rank_agreement,
)
from wordworth.measure.declaration import MEASURES, Measure, find_measure, label, main_measures
from wordworth.measure.directions import direct_bias, pair_direction, resampled_direct_bias, ripa, rnsb
from wordworth.measure.diversity import type_coverages
from wordworth.measure.isotropy import anisotropy, neuron_share
from wordworth.measure.neutrality import Tally
from wordworth.measure.prediction import perplexity
from wordworth.measure.soft_match import neighbour_ranks
from wordworth.measure.weat import (
    SIMILARITY,
    VALENCE,
    WEAT,
    association,
    sc_weat,
    sc_weat_p,
    similarity,
    valence,
    weat,
    weat_interval,
    weat_p,
)

for _file in iter_modules(__path__):
    import_module(f"{__name__}.{_file.name}")
