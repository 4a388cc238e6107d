"""How models are loaded in this process."""

from dataclasses import dataclass

from wordworth.engine.engines import Recipe, forget_models, keeping_model, load


@dataclass(frozen=True, eq=False)
class Toy:
    """A model of a name."""

    name: str
    recipe: Recipe | None = None


def test_studies_in_a_row_load_a_model_once() -> None:
    one, other = Recipe(Toy, {"name": "one"}), Recipe(Toy, {"name": "other"})
    assert load(one) is not load(one)
    with keeping_model():
        first = load(one)
        assert load(one) is first
        assert load(other).name == "other"
        second = load(one)
        assert second is not first  # one model at a time is in memory
        forget_models()
        assert load(one) is not second
    assert load(one) is not load(one)
