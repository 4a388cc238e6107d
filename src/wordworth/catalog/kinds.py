"""What kind of model a name stands for, as the catalog or the model's own files tell it."""

import json
from pathlib import Path
from typing import Any, Literal, get_args

from gguf import GGUFReader
from huggingface_hub import hf_hub_download
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

from wordworth.catalog.fetch.sources import is_offline
from wordworth.catalog.registry import entry, knows
from wordworth.errors import WordworthError

Kind = Literal["static", "causal", "masked", "encoder", "nli"]
KINDS: tuple[Kind, ...] = get_args(Kind)

NLI_NETWORK = "decomposable-attention"
"""`kind` in the config.json of a network that was trained here over word vectors."""
HEADS: dict[str, Kind] = {
    "ForCausalLM": "causal",
    "LMHeadModel": "causal",
    "ForMaskedLM": "masked",
    "ForPreTraining": "masked",
    "ForConditionalGeneration": "encoder",
    "EncoderModel": "encoder",
    "Model": "encoder",
}
"""How the name of an architecture ends; the first that fits."""
GGUF_ENCODERS = ("bert", "roberta", "t5")


def kind_of(named: str | Path) -> Kind:
    """static (word vectors), causal, masked, encoder (without a head) or nli. What cannot be told is an error."""
    target = str(named).rpartition("=")[2]
    if isinstance(named, str) and knows(target, "models"):
        family: Kind = entry(target, "models").details["family"]
        return family
    if target.startswith(("https://", "http://", "hf://")):
        return "static"  # language models of the hub go by their own name
    path = Path(target).expanduser()
    if path.is_dir():
        if (path / "config.json").is_file():
            return _of_config(path / "config.json", target)
        if any(path.glob("*-w.npy")):
            return "static"  # HistWords
        raise WordworthError(f"{target} holds neither a config.json nor HistWords decades; {_say()}")
    if path.is_file():
        return _of_gguf(path) if path.suffix == ".gguf" else "static"
    if path.is_absolute() or target.startswith((".", "~")):
        raise WordworthError(f"there is no model at {target}; give a name (`wordworth ls models`) or a path")
    return _of_config(_from_hub(target), target)


def _say() -> str:
    return f"say what it is with --kind ({', '.join(KINDS)})"


def _from_hub(name: str) -> Path:
    try:
        return Path(hf_hub_download(name, "config.json", local_files_only=is_offline()))
    except LocalEntryNotFoundError as error:
        entry_or_hub = f"{name} is neither a path, nor in the catalog, nor here from the hub, which cannot be reached"
        raise WordworthError(f"{entry_or_hub}; see `wordworth ls models`") from error
    except (HfHubHTTPError, HFValidationError) as error:
        told = f"{name} is neither a path, nor in the catalog, nor does the hub give its config.json to you"
        raise WordworthError(f"{told} ({type(error).__name__}); see `wordworth ls models`") from error


def _of_config(path: Path, named: str) -> Kind:
    try:
        config: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise WordworthError(f"{path} cannot be read as JSON ({error}); {_say()}") from error
    if isinstance(config, dict) and config.get("kind") == NLI_NETWORK:
        return "nli"
    names = config.get("architectures") if isinstance(config, dict) else None
    if not isinstance(names, list) or not names:
        raise WordworthError(f"the config.json of {named} names no architecture; {_say()}")
    architecture = str(names[0])
    if architecture.endswith("ForSequenceClassification"):
        labels = {str(label).lower() for label in (config.get("id2label") or {}).values()}
        if "entailment" in labels:
            return "nli"
        raise WordworthError(f"{named} tells apart {', '.join(sorted(labels)) or 'unnamed classes'}, not entailment")
    for ending, kind in HEADS.items():
        if architecture.endswith(ending):
            return kind
    raise WordworthError(f"{named} is a {architecture}, which no study here knows; {_say()}")


def _of_gguf(path: Path) -> Kind:
    try:
        field = GGUFReader(path).fields.get("general.architecture")
    except (ValueError, OSError) as error:
        raise WordworthError(f"{path} is not a GGUF file ({error}); fetch it again") from error
    architecture = str(field.contents()) if field is not None else ""
    if not architecture:
        raise WordworthError(f"{path} names no architecture; {_say()}")
    return "encoder" if any(name in architecture for name in GGUF_ENCODERS) else "causal"
