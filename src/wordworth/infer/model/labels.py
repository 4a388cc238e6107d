"""Which of a model's outputs is entailment, neutral, contradiction: from its own configuration, never guessed."""

from collections.abc import Mapping, Sequence

from wordworth.errors import WordworthError
from wordworth.infer.model.nli import LABELS

_SPELLED = {
    "entailment": {"entailment", "entail", "entails", "entailed"},
    "neutral": {"neutral"},
    "contradiction": {"contradiction", "contradict", "contradicts", "contradictory"},
}


def label_columns(names: Mapping[int, str], model: str, order: Sequence[str] | None = None) -> tuple[int, int, int]:
    """The columns of `LABELS` in a model's output, whose own order is `names`; `order` stands in for them."""
    own = [str(names[at]) for at in sorted(names)]
    if len(own) != len(LABELS):
        raise WordworthError(
            f"{model} has {len(own)} labels ({', '.join(own[:5])}{', …' if len(own) > 5 else ''}), and what is "
            f"measured needs the three of {', '.join(LABELS)}; name a model trained on three"
        )
    meanings = [_meaning(name) for name in order or own]
    if sorted(filter(None, meanings)) != sorted(LABELS) or len(meanings) != len(LABELS):
        if order:
            written = ",".join(order)
            raise WordworthError(f"--labels is {written}; give entailment, neutral and contradiction, once each")
        raise WordworthError(
            f"{model} names its labels {', '.join(own)}, which does not say what they mean; give their order from its "
            "model card, such as --labels contradiction,entailment,neutral"
        )
    first, second, third = (meanings.index(label) for label in LABELS)
    return first, second, third


def _meaning(name: str) -> str | None:
    plain = name.strip().lower()
    return next((label for label, spelled in _SPELLED.items() if plain in spelled), None)
