"""An embedding of whatever words are asked for: each is encoded alone when it is selected."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from wordworth.contexts import decontextualized
from wordworth.embedding import Layers, Slot
from wordworth.embedding.core import Spelled, as_written, look_up
from wordworth.encode.layers import in_contexts, provenance_of
from wordworth.encode.model import LanguageModel
from wordworth.encode.named import load_named
from wordworth.encode.sentence.encoding import UNKNOWN, pieces_of
from wordworth.encode.tokens import as_read


@dataclass(frozen=True, eq=False)
class WordsAlone(Layers):
    """Has no words of its own, and a vector for every word whose characters the tokenizer knows."""

    model: LanguageModel = field(kw_only=True)

    def select(self, words: Sequence[str], spelled: Spelled = as_written) -> Layers:
        """The words asked for, each under the first of its spellings that the tokenizer knows."""
        forms = list(dict.fromkeys(form for word in words for form in spelled(word)))
        unknown = self.model.tokenizer.unk_token_id
        known = [form for form, ids in zip(forms, pieces_of(self.model, forms), strict=True) if unknown not in ids]
        found = look_up({form: row for row, form in enumerate(known)}, words, spelled)
        store = in_contexts(self.model, found.forms, decontextualized(found.forms), "decontextualized").store
        there = set(found.positions.tolist())
        return Layers(
            words=found.words,
            slots=self.slots,
            read=lambda _: store.vectors(0),
            provenance=self.provenance,
            asked=tuple(words),
            positions=found.positions,
            reasons={at: UNKNOWN for at in range(len(words)) if at not in there},
            forms=as_read(self.model.tokenizer, found.forms),
        )


def words_alone(model: LanguageModel | str | Path, language: str = "", *, device: str = "auto") -> WordsAlone:
    """A sentence encoder as an embedding of the words that it will be asked for."""
    loaded = model if isinstance(model, LanguageModel) else load_named(model, device=device)
    none = np.empty((0, loaded.dim), dtype=np.float32)
    origin = provenance_of(loaded, language)
    return WordsAlone((), (Slot(),), lambda _: none, origin, vocabulary=True, model=loaded)
