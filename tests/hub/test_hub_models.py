"""Models of the hub, by name and by `hf://`: the model with its commit, or one sentence, soon."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from commands import Answer, Command
from hub.loopback import TOKEN, Hub, files_in
from made_models import gguf_of, llama, llama_folder
from wordworth.catalog.models import kind_of
from wordworth.encode import load_model
from wordworth.errors import WordworthError
from wordworth.results.run import read_manifest

Files = dict[str, bytes]
Child = Callable[..., Answer]
NAME = "someone/tiny"
QUICK = ["--lexicon", "bellezza", "--experiment", "contextualization", "--context", "bleached", "--resamples", 10]


def vast(model: str, output: Path) -> list[object]:
    return ["run", "vast", model, *QUICK, "--json", "-o", output]


def source_in(folder: Path) -> str:
    """Return where run.json says that the only model is from."""
    (model,) = read_manifest(folder).models
    return model.source


def sentence(answer: Answer) -> str:
    """The last line of a command that refused; the library's bars may stand before it."""
    assert answer.code == 2, answer
    assert answer.out == ""
    assert "Traceback" not in answer.err
    line = answer.err.splitlines()[-1]
    assert line.startswith("wordworth: ")
    assert len(line) < 500
    return line


def test_whole_by_its_name(hub: Hub, whole: Files, child: Child, tmp_path: Path) -> None:
    """In a process of its own, as a user's is: the environment alone says where the hub is."""
    commit = hub.add(NAME, whole)
    answer = child(hub.endpoint, *vast(NAME, tmp_path / "run"))
    assert answer.code == 0, answer.err
    assert json.loads(answer.out)
    assert source_in(tmp_path / "run") == f"{NAME}@{commit}"


def test_in_shards(hub: Hub, whole: Files, tmp_path: Path) -> None:
    shards = files_in(llama_folder(tmp_path / "shards", shard="20KB"))
    assert "model.safetensors" not in shards
    assert sum(name.endswith(".safetensors") for name in shards) > 1
    hub.add(NAME, whole)
    commit = hub.add("someone/shards", shards)
    assert kind_of("someone/shards") == "causal"
    model = load_model("someone/shards", device="cpu")
    assert model.source == f"someone/shards@{commit}"
    for ours, theirs in zip(model.network.parameters(), load_model(NAME).network.parameters(), strict=True):
        assert torch.equal(ours, theirs)


def test_a_revision_is_its_commit(hub: Hub, whole: Files, other: Files, command: Command, tmp_path: Path) -> None:
    first = hub.add(NAME, whole)
    hub.repos[NAME].branches["v1"] = first
    second = hub.repos[NAME].commit(other)
    for at, (name, commit) in enumerate(
        {f"{NAME}@v1": first, f"{NAME}@{first}": first, NAME: second, f"{NAME}@main": second}.items()
    ):
        answer = command(*vast(name, tmp_path / str(at)))
        assert answer.code == 0, answer.err
        assert source_in(tmp_path / str(at)) == f"{NAME}@{commit}"
    line = sentence(command(*vast(f"{NAME}@v2", tmp_path / "none")))
    assert line == f"wordworth: the hub's {NAME} has no revision v2; its page lists them"


@pytest.mark.parametrize("status", [401, 403])
def test_gated(hub: Hub, whole: Files, command: Command, tmp_path: Path, status: int) -> None:
    hub.add(NAME, whole, gated=status)
    line = sentence(command(*vast(NAME, tmp_path / "run")))
    assert f"{NAME} is gated on the hub; ask for access" in line
    assert not (tmp_path / "run").exists()
    (tmp_path / "token").write_text(TOKEN)  # as `hf auth login` writes it
    assert command(*vast(NAME, tmp_path / "run")).code == 0
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert not [path for path in files if TOKEN.encode() in path.read_bytes()]


def test_missing(hub: Hub, whole: Files, command: Command, tmp_path: Path) -> None:
    line = sentence(command(*vast("someone/none", tmp_path / "run")))
    assert "someone/none is not a path or a catalog name, and is not on the hub, or private there" in line
    hub.add(NAME, {"README.md": b"no model"})
    assert f"the hub's {NAME} has no file config.json" in sentence(command(*vast(NAME, tmp_path / "run")))
    line = sentence(command("run", "valnorm", f"hf://{NAME}/vectors.txt", "-o", tmp_path / "run"))
    assert f"the hub's {NAME} has no file vectors.txt" in line


def test_silent(hub: Hub, whole: Files, child: Child, tmp_path: Path) -> None:
    """Connections are taken and nothing is answered: the library's time limit counts once."""
    hub.silent = 30
    line = sentence(child(hub.endpoint, "run", "valnorm", f"hf://{NAME}/v.txt", HF_HUB_ETAG_TIMEOUT="1"))
    assert f"hf://{NAME}/v.txt is not in the cache, and the hub cannot be reached" in line
    assert [request for request in hub.asked if NAME in request] == [f"HEAD /{NAME}/resolve/main/v.txt"], "asked once"


@pytest.mark.parametrize("why", ["gated", "gone", "down"])
def test_a_cached_copy_is_used_and_reported(hub: Hub, whole: Files, command: Command, tmp_path: Path, why: str) -> None:
    commit = hub.add(NAME, whole)
    first = command(*[part for part in vast(NAME, tmp_path / "first") if part != "--json"])
    assert (first.code, "kept copy" in first.err) == (0, False)
    if why == "gated":
        hub.repos[NAME].gated = 401
    elif why == "gone":
        del hub.repos[NAME]
    else:
        hub.down = 503
    second = command(*[part for part in vast(NAME, tmp_path / "second") if part != "--json"])
    assert second.code == 0, second.err
    message = f"The cached copy of {NAME} is used, since it could not be compared with the hub: "
    assert second.err.count(message) == 1
    assert source_in(tmp_path / "second") == f"{NAME}@{commit}"
    notices = read_manifest(tmp_path / "second").notices
    assert sum(str(notice).startswith(message) for notice in notices) == 1


def test_down(hub: Hub, whole: Files, command: Command, tmp_path: Path) -> None:
    hub.down = 503
    line = sentence(command(*vast(NAME, tmp_path / "run")))
    assert f"{NAME} is not here and the hub answers 503; try again later" in line
    assert len(hub.asked) == 1


def test_broken_off(hub: Hub, whole: Files, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.file_download.time.sleep", lambda seconds: None)
    hub.add(NAME, whole, cut=1000)
    line = sentence(command(*vast(NAME, tmp_path / "run")))
    assert f"fetching {NAME} from the hub broke off" in line
    hub.repos[NAME].cut = 0
    assert command(*vast(NAME, tmp_path / "run")).code == 0


def test_offline_after_a_first_fetch(hub: Hub, whole: Files, command: Command, tmp_path: Path) -> None:
    commit = hub.add(NAME, whole)
    assert command(*vast(NAME, tmp_path / "first")).code == 0
    asked = len(hub.asked)
    assert command(*vast(NAME, tmp_path / "second"), "--offline").code == 0
    assert len(hub.asked) == asked, "offline asks for nothing"
    assert source_in(tmp_path / "second") == f"{NAME}@{commit}"
    scores = [(tmp_path / run / "scores.csv").read_bytes() for run in ("first", "second")]
    assert scores[0] == scores[1]
    hub.down = 503
    assert load_model(NAME).source == f"{NAME}@{commit}", "a hub that is down leaves what is here"
    asked = len(hub.asked)
    assert load_model(f"{NAME}@{commit}").source == f"{NAME}@{commit}"
    assert len(hub.asked) == asked, "a commit that is here is not asked for"


def test_only_pickles(hub: Hub, whole: Files, command: Command, tmp_path: Path) -> None:
    files = {name: content for name, content in whole.items() if not name.endswith(".safetensors")}
    hub.add(NAME, files | {"pytorch_model.bin": b"\x80\x04cos\nsystem\n"})
    line = sentence(command(*vast(NAME, tmp_path / "run")))
    assert f"{NAME} has no safetensors on the hub; pickled weights are not read" in line
    assert not any("pytorch_model.bin" in request for request in hub.asked), "nor fetched"


@pytest.mark.parametrize("known", [True, False])
def test_remote_code_is_not_run(hub: Hub, whole: Files, tmp_path: Path, known: bool) -> None:
    """A kind that the library knows is loaded with the library's own code; another is refused."""
    config = json.loads(whole["config.json"])
    config["auto_map"] = {"AutoConfig": "own.Config", "AutoModel": "own.Model", "AutoTokenizer": ["own.Words", None]}
    config["model_type"] = config["model_type"] if known else "own"
    ran = tmp_path / "ran"
    code = f"import pathlib\npathlib.Path({str(ran)!r}).touch()\n".encode()
    hub.add(NAME, whole | {"config.json": json.dumps(config).encode(), "own.py": code})
    if known:
        assert load_model(NAME).layers == 2
    else:
        with pytest.raises(WordworthError, match=f"the configuration of {NAME}@.* cannot be read") as raised:
            load_model(NAME)
        assert len(str(raised.value)) < 500
    assert not ran.exists()
    assert not any("own.py" in request for request in hub.asked)


def test_a_gguf(hub: Hub, command: Command, tmp_path: Path) -> None:
    network, fast = llama()
    path = gguf_of(network.model, fast, tmp_path / "tiny.gguf")
    hub.add(NAME, {"tiny.gguf": path.read_bytes()})
    address = f"hf://{NAME}/tiny.gguf"
    assert kind_of(address) == "causal", "as `audit` and `load` ask"
    answer = command(*vast(address, tmp_path / "run"))
    assert answer.code == 0, answer.err
    (model,) = read_manifest(tmp_path / "run").models
    assert (model.source, model.weights) == (address, load_model(path).weights)
    assert f"the hub's {NAME} has no file config.json" in sentence(command(*vast(NAME, tmp_path / "none")))


def test_an_embedding(hub: Hub, command: Command, tmp_path: Path) -> None:
    from wordworth.catalog.read.lexica import load_lexicon

    generator = torch.Generator().manual_seed(0)
    words = load_lexicon("bellezza").words
    rows = torch.randn(len(words), 8, generator=generator).tolist()
    text = "".join(f"{word} {' '.join(f'{x:.4f}' for x in row)}\n" for word, row in zip(words, rows, strict=True))
    hub.add(NAME, {"vectors.txt": text.encode()})
    address = f"hf://{NAME}/vectors.txt"
    answer = command("run", "valnorm", address, "--lexicon", "bellezza", "--resamples", 10, "-o", tmp_path / "run")
    assert answer.code == 0, answer.err
    assert source_in(tmp_path / "run") == address
