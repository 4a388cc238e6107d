"""One word for one thing: over all commands an option means the same, and the same thing has one option.

The help of an option begins with what it is, up to the first stop, comma, colon, semicolon or bracket; details follow.
"""

import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from test_help import LEAVES
from wordworth import renames
from wordworth.errors import WordworthError
from wordworth.renames import Now
from wordworth.study import STUDIES, study
from wordworth.study.debias import DebiasSettings
from wordworth.study.predict import PredictSettings
from wordworth.study.static.export_settings import ExportSettings
from wordworth.study.vast import VastSettings


def _is(text: str) -> str:
    """What an option is, without the details."""
    return re.split(r"[.,:;(]", text)[0].strip()


def _options() -> list[tuple[str, str, Any]]:
    """Command, option and parameter, over all commands."""
    return [
        (" ".join(path), option, one)
        for path, command in LEAVES.items()
        for one in command.params
        for option in one.opts
        if option.startswith("--") and option != "--help"
    ]


def test_an_option_means_one_thing() -> None:
    meanings: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for command, option, parameter in _options():
        meanings[option][_is(parameter.help)].append(command)
    several = {option: dict(found) for option, found in meanings.items() if len(found) > 1}
    assert not several


def test_a_thing_has_one_option() -> None:
    names: dict[str, set[str]] = defaultdict(set)
    for _, option, parameter in _options():
        names[_is(parameter.help)].add(option)
    assert not {meaning: options for meaning, options in names.items() if len(options) > 1}


def test_every_device_is_auto() -> None:
    found = {command: parameter.default for command, option, parameter in _options() if option == "--device"}
    assert len(found) >= 8
    assert set(found.values()) == {"auto"}


def test_commands_that_run_something_take_a_config() -> None:
    options = defaultdict(set)
    for command, option, _ in _options():
        options[command].add(option)
    for command in (
        "audit",
        *(f"run {name}" for name in STUDIES if not study(name).command),
        "debias",
        "export",
        "compare",
    ):
        assert {"--config", "--seed"} <= options[command], command
    assert "--language" in options["audit"]


def test_fields_are_called_like_their_options() -> None:
    plural = {"lexica": "lexicon", "shares": "share", "slices": "slice"}
    for name in STUDIES:
        for field in study(name).settings.fields():
            spelled = field.option.replace("-", "_")
            assert spelled in (field.name, plural.get(field.name, field.name.removesuffix("s"))), field.name


# Old names: what they were, and what is made of them.

OLD = [
    ("run vast", "contexts", "corpus"),
    ("run vast", "language-contexts", "language-corpus"),
    ("run static", "contexts", "corpus"),
    ("run isotropy", "contexts", "corpus"),
    ("export", "contexts", "corpus"),
    ("export", "all-but-the-top", "components"),
    ("run predict", "probe", "paraphrases"),
    ("run predict", "layer", "layers"),
    ("run infer", "top", "farthest"),
    ("debias", "components-of", "bias-words"),
    ("debias", "components", "bias-components"),
    ("debias", "similarity", "pairs"),
    ("debias", "method", "mitigate"),
    ("debias", "control", "random-from"),
    ("debias", "report", "run-output"),
    ("compare", "test", "correlation-test"),
    ("train-nli", "test", "accuracy"),
    ("finetune-nli", "test", "accuracy"),
    ("finetune-nli", "project", "direction"),
    ("audit", "kind", "model-kind"),
    ("run weat", "format", "file-format"),
    ("run valnorm", "format", "file-format"),
]


@pytest.fixture(autouse=True)
def _told_anew() -> None:
    renames.tell.cache_clear()


@pytest.mark.parametrize(("command", "old", "new"), OLD)
def test_an_old_option_is_the_new_one(
    capsys: pytest.CaptureFixture[str], command: str, old: str, new: str, tmp_path: Path
) -> None:
    made = LEAVES[tuple(command.split())]
    parameter = next(one for one in made.params if f"--{new}" in one.opts)
    assert not any(f"--{old}" in one.opts for one in made.params if one.name != parameter.name)
    value = "7" if "int" in str(parameter.type_descriptor.annotation) else "he,she"
    rest = ["x", "y"] if command == "compare" else ["x"] if command not in ("train-nli",) else []
    needed = ["-o", "out.npz"] if command in ("debias", "export", "train-nli", "finetune-nli") else []
    for words in ([f"--{old}", value], [f"--{old}={value}"]):
        renames.tell.cache_clear()
        context = made.make_context("wordworth", [*rest, *words, *needed])
        plain = made.make_context("wordworth", [*rest, f"--{new}", value, *needed])
        assert context.params == plain.params
        assert capsys.readouterr().err == f"--{old} is now --{new}; the old name still works\n"
    renames.tell.cache_clear()
    (tmp_path / "c.toml").write_text(f'{old} = "{value}"\n' if value != "7" else f"{old} = 7\n")
    context = made.make_context("wordworth", [*rest, *needed, "--config", str(tmp_path / "c.toml")])
    assert context.params[parameter.name] == plain.params[parameter.name]
    assert capsys.readouterr().err == f"{old} is now {new}; the old name still works\n"


def test_all_old_options_are_tried() -> None:
    declared = {(" ".join(path), old) for path, command in LEAVES.items() for old in command.renamed}
    also = {("run predict", "probes"), ("run predict", "paraphrase")}
    assert declared == {(command, old) for command, old, _ in OLD} | also


def test_an_old_flag_stands_for_values(capsys: pytest.CaptureFixture[str]) -> None:
    context = LEAVES["run", "predict"].make_context("predict", ["x", "--paraphrase"])
    assert context.params["paraphrases"] == ["rare", "common"]
    said = "--paraphrase is now --paraphrases rare --paraphrases common; the old name still works\n"
    assert capsys.readouterr().err == said
    assert PredictSettings.of("predict", {"paraphrase": True}).paraphrases == ("rare", "common")
    assert PredictSettings.of("predict", {"paraphrase": False}).paraphrases == ()


def test_an_old_keyword_is_the_new_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert VastSettings.of("vast", {"contexts": "mine"}) == VastSettings(corpus="mine")
    assert capsys.readouterr().err == "contexts is now corpus; the old name still works\n"
    assert VastSettings.of("vast", {"contexts": "mine", "lexicon": "anew"}).lexica == ("anew",)
    assert capsys.readouterr().err == ""  # it is told once
    assert ExportSettings.of("export", {"all_but_the_top": 3}).components == 3
    with pytest.raises(WordworthError, match="corpus was given twice, once as contexts"):
        VastSettings.of("vast", {"corpus": "a", "contexts": "b"})


def test_pairs_of_a_bias_are_still_taken_for_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine, rated = tmp_path / "mine.txt", tmp_path / "rated.txt"
    mine.write_text("he she\nman woman\n")
    rated.write_text("car\tauto\t3.9\n")
    found = DebiasSettings.of("debias", {"pairs": ["dev-gendered_pairs", str(mine), "rg-65", rated]})
    assert (found.bias_pairs, found.pairs) == (("dev-gendered_pairs", str(mine)), ("rg-65", rated))
    assert "--pairs dev-gendered_pairs is now --bias-pairs dev-gendered_pairs" in capsys.readouterr().err
    assert DebiasSettings.of("debias", {"pairs": [mine]}).pairs == DebiasSettings().pairs


def test_a_run_says_what_its_settings_were_called() -> None:
    assert VastSettings.renamed() == {"contexts": "corpus", "language_contexts": "language_corpus"}
    renamed = DebiasSettings.renamed()
    assert (renamed["pairs"], renamed["similarity"], renamed["components"]) == (
        "bias_pairs",
        "pairs",
        "bias_components",
    )


def test_old_names_are_not_options_of_now() -> None:
    for path, command in LEAVES.items():
        now = {option for one in command.params for option in one.opts}
        assert not {f"--{old}" for old in command.renamed} & now, path
        for renamed in command.renamed.values():
            assert isinstance(renamed, Now)
            assert f"--{renamed.name}" in now
