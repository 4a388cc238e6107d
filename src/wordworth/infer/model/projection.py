"""What an NLI model was trained without, as its folder says."""

import json
from pathlib import Path

from wordworth.errors import WordworthError, reason_of
from wordworth.infer.model.nli import TrainedWithout
from wordworth.repair.checkpoint import NOTES


def noted(folder: str | Path) -> TrainedWithout | None:
    """What a folder of `save_projected` says was taken out; None where nothing was, or for a model of the hub."""
    path = Path(folder).expanduser() / NOTES
    if not path.is_file():
        return None
    try:
        taken = json.loads(path.read_text(encoding="utf-8")).get("taken_out")
        return TrainedWithout(str(taken["subspace"]), len(taken["basis"])) if taken else None
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
        raise WordworthError(f"{path} does not say what was taken out ({reason_of(error)}); train again") from error
