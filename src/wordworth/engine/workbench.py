"""What a worker does with a request, whatever way it came."""

import gc
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from wordworth.engine.messages import Answer, Request, carried, packed, unpacked
from wordworth.engine.notices import notices


class _Heard:
    """Whatever ends the work is raised in the driver, so it is taken along and not raised here."""

    error: BaseException | None = None

    def __enter__(self) -> "_Heard":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self.error = error
        return isinstance(error, Exception)


class Workbench:
    """Keeps the model that it was last sent."""

    def __init__(self) -> None:
        self.key = ""
        self.model: Any = None

    def answers(self, message: bytes) -> Iterator[bytes]:
        """An answer for each item as soon as there is one, then the end; or the error that ended the work."""
        before = len(notices())
        with _Heard() as heard:
            request: Request = unpacked(message)
            if request.model is not None:
                self._keep(request.key, request.model)
            for result in request.function(self.model, map(unpacked, request.items)):
                yield packed(Answer(result))
        if heard.error is not None:
            yield packed(Answer(error=carried(heard.error)))
        else:
            yield packed(Answer(ended=True, notices=notices()[before:]))

    def _keep(self, key: str, model: bytes) -> None:
        """One model at a time: the one before it may fill the device."""
        if key != self.key:
            self.key, self.model = "", None
            gc.collect()
            self.model, self.key = unpacked(model), key
