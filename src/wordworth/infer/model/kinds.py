"""The kinds of NLI model, and loading one of any kind by its name. A new kind is its own file and a line here."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from wordworth.catalog.resolve import split_label
from wordworth.errors import WordworthError
from wordworth.infer.model.nli import NliKind, NliModel, NliRequest

MODULES = (
    "wordworth.infer.model.loading",
    "wordworth.infer.model.cross_encoder",
)
"""Each module declares its `NLI_KIND`. They are tried in this order, and imported only then, since some are slow to
import; the last takes any name, as one of the hub."""


def load(named: str | Path | NliModel, device: str = "auto", labels: Sequence[str] = ()) -> NliModel:
    """An NLI model: `nli-glove`, a folder of `train-nli`, or a folder or name for `transformers`.

    `LABEL=…` says what tables call it. `labels` is the order of a transformer's outputs where its files do not say.
    """
    if not isinstance(named, str | Path):
        return named
    label, target = split_label(named)
    titles = []
    for module in MODULES:
        kind: NliKind = import_module(module).NLI_KIND
        if kind.recognizes(target):
            return kind.load(NliRequest(target, label, device, tuple(labels)))
        titles.append(kind.title)
    raise WordworthError(f"{target} is no NLI model ({', '.join(titles)}); name another (`wordworth ls models`)")
