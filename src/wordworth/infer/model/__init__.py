"""NLI models: networks over word vectors, over ELMo, and cross-encoders; `load` finds out which kind a name is."""

from wordworth.infer.model.kinds import load
from wordworth.infer.model.nli import LABELS, Inference, MitigableNli, NliModel, accuracy, infer
