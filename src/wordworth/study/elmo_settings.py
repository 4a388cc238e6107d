"""Which layers of ELMo a bias is taken out of, as a user names it."""

from dataclasses import dataclass

from wordworth.study.bias_subspace import TakenOut
from wordworth.task.settings import CORPUS, HOW, ON, Named, Settings, comma_numbers, setting


@dataclass(frozen=True, kw_only=True)
class ElmoLayers(Settings):
    """Layer 1 is a word's own; in the layers above it a word has a vector only as a mean over a text."""

    elmo_layers: tuple[int, ...] = setting(
        (1,),
        "Layers of ELMo that a bias is taken out of: 1 before the layers above it are computed; several, such as "
        "1,2,3, or another one: each by itself, once all are.",
        HOW,
        metavar="N,N",
        parse=lambda text: comma_numbers("--elmo-layers", text),
        least=1,
        most=1_000,
        may_differ=True,
    )
    corpus: Named = setting(
        "enwiki-sample",
        f"{CORPUS} over which vectors of ELMo that depend on their context are averaged, to find a bias in them.",
        ON,
        metavar="NAME|FILE",
        catalog="corpora",
        may_differ=True,
    )
    per_word: int = setting(
        1_000,
        "Contexts of a word, at most, over which it is averaged there.",
        ON,
        least=1,
        most=10_000_000,
        may_differ=True,
    )

    @property
    def only_first(self) -> bool:
        """Whether the bias is taken out of what does not depend on a context, as the paper advises."""
        return self.elmo_layers == (1,)


@dataclass(frozen=True, kw_only=True)
class LayeredTakenOut(TakenOut, ElmoLayers):
    """What a network is trained without, and in which layers."""
