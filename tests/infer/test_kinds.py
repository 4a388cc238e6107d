"""Models of every kind by one function, and what a kind needs to be one."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from wordworth.errors import WordworthError
from wordworth.infer import model as models
from wordworth.infer.model import kinds
from wordworth.infer.model.nli import MitigableNli, NliKind


class Coin:
    """A user's own model: three equal chances, no vectors."""

    name, identity = "coin", ("coin",)

    def probabilities(self, sentences: list[str], pairs: np.ndarray) -> np.ndarray:
        return np.full((len(pairs), 3), 1 / 3)


def test_a_kind_is_a_module_and_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    requests = []
    kind = NliKind(
        "coins", lambda target: target.startswith("coin"), lambda request: requests.append(request) or Coin()
    )
    modules = {"coins": SimpleNamespace(NLI_KIND=kind)}
    monkeypatch.setattr(kinds, "MODULES", ("coins",))
    monkeypatch.setattr(kinds, "import_module", modules.__getitem__)
    assert models.infer(models.load("mine=coin-1", "cpu", ["neutral"]), "a", "b") == pytest.approx((1 / 3,) * 3)
    assert (requests[0].target, requests[0].label, requests[0].labels) == ("coin-1", "mine", ("neutral",))
    with pytest.raises(WordworthError, match=r"dice is no NLI model \(coins\)"):
        models.load("dice")


def test_a_folder_with_an_equals_sign_has_no_label(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    requests = []
    kind = NliKind("coins", lambda target: True, lambda request: requests.append(request) or Coin())
    monkeypatch.setattr(kinds, "MODULES", ("coins",))
    monkeypatch.setattr(kinds, "import_module", {"coins": SimpleNamespace(NLI_KIND=kind)}.__getitem__)
    (tmp_path / "a=b").mkdir()
    for named in (tmp_path / "a=b", str(tmp_path / "a=b"), f"mine={tmp_path / 'a=b'}"):
        models.load(named)
    assert [request.label for request in requests] == ["", "", "mine"]
    assert {request.target for request in requests} == {str(tmp_path / "a=b")}


def test_a_model_of_ones_own_is_taken_as_it_is() -> None:
    coin = Coin()
    assert models.load(coin) is coin
    assert not isinstance(coin, MitigableNli)


@pytest.mark.index
def test_the_models_of_the_package_by_name(tmp_path: Path) -> None:
    model = models.load("mine=nli-glove")
    assert model.name == "mine"
    assert isinstance(model, MitigableNli)
    same = models.infer(model, "A man is eating a bagel.", "A man is eating a bagel.")
    other = models.infer(model, "A man is eating a bagel.", "Nobody is eating.")
    assert max(same) == same.entailment > other.entailment
    with pytest.raises(WordworthError, match="minilm-l6 is no NLI model"):
        models.load("minilm-l6")
    (tmp_path / "config.json").write_text("{half")
    with pytest.raises(WordworthError, match="is not JSON"):
        models.load(tmp_path)
