"""Define the error that users see, turn errors of libraries into it, and make text safe to show."""

import errno
import os
import re
import traceback
from collections.abc import Iterable
from importlib.util import find_spec
from types import TracebackType

MAX_MESSAGE_CHARACTERS = 480
"""Characters of a message. A longer one quotes a file of an unexpected kind."""
MAX_QUOTED = 160
"""Characters of another program's message that ours repeats."""

MIN_NAME_RATIO, MIN_PART_RATIO = 0.5, 0.75
"""The similarity from which a known name, and a part of one, is suggested for an unknown name."""

# Errors of libraries for unreadable files, caught only inside `LibraryErrors`. Of those raised in our own lines, only
# errors that a bug in these lines would not raise.
_BUILT_IN_ERRORS = (
    ArithmeticError, AssertionError, AttributeError, EOFError, ImportError, LookupError, MemoryError, OSError,
    RuntimeError, SyntaxError, TypeError, ValueError,
)  # fmt: skip
_BUILT_IN_ERRORS_OF_OUR_LINES = (EOFError, MemoryError, OSError, RuntimeError)
_LIBRARY_ERRORS = frozenset(
    {
        "_lzma.LZMAError",
        "_pickle.PickleError",
        "huggingface_hub.errors.StrictDataclassError",
        "polars.exceptions.PolarsError",
        "safetensors._safetensors_rust.SafetensorError",
        "safetensors_rust.SafetensorError",
        "struct.error",
        "tarfile.TarError",
        "tokenize.TokenError",
        "yaml.error.YAMLError",
        "zipfile.BadZipFile",
        "zlib.error",
    }
)


PANIC = "pyo3_runtime.PanicException"
"""The error of a panic in a Rust library; it derives from BaseException and cannot be imported."""
DISK_LIMITS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Error numbers of a full disk, a quota, and a limit on file sizes."""
SYSTEM_ERRORS = {
    errno.EACCES: "cannot be opened ({reason}); check its permissions",
    errno.ENAMETOOLONG: "is too long for the name of a file; give a shorter one",
    errno.ENOSPC: "cannot be written ({reason}); free some space, or write elsewhere",
    errno.EFBIG: "cannot be written ({reason}); raise the limit on the size of files (ulimit -f), or write elsewhere",
    errno.EMFILE: "cannot be opened ({reason}); raise the limit on open files (ulimit -n)",
}
"""Error number → the rest of the sentence, with what a user can do."""
_OUT_OF_MEMORY = re.compile("allocate memory|out of memory|failed to map segment|can't start new thread", re.IGNORECASE)

EXTRAS = {
    "language models": ("lm", "torch", "transformers", "accelerate", "gguf", "psutil"),
    "files and cards of the Hugging Face hub": ("lm", "huggingface_hub"),
    "dumps of Wikipedia": ("lm", "mwparserfromhell"),
    "ELMo's weights": ("elmo", "h5py"),
    "vectors in HDF5": ("elmo", "h5py"),
    "workers on other cores or machines": ("ray", "ray"),
    "texts without spaces between words": ("segment", "icu4py"),
    "vectors trained on a text": ("train", "gensim"),
}
"""Feature outside the base install → its extra, and the packages it imports."""


class WordworthError(Exception):
    """Report bad input or a bad environment. The message is shown without a traceback; the command exits with 2.

    A message that is too long keeps its beginning, which says where, and its end, which says what to do.
    """

    def __init__(self, message: str) -> None:
        if len(message) > MAX_MESSAGE_CHARACTERS:
            message = f"{message[: MAX_MESSAGE_CHARACTERS * 2 // 3]} … {message[-MAX_MESSAGE_CHARACTERS // 3 + 3 :]}"
        super().__init__(message)


class LibraryErrors:
    """Turn what a library raises while it reads a file into one sentence: `with LibraryErrors("problem", "advice"):`.

    Errors are recognised by name. A bare `Exception` counts too, because tokenizers raises nothing else. A bug in our
    own lines inside stays a traceback, unless `is_ours`: a bug must not end days of work of a host program.
    """

    def __init__(self, problem: str, advice: str = "", *, is_ours: bool = False) -> None:
        self.task = problem
        self.advice = advice
        self.is_ours = is_ours

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None or error is None or issubclass(kind, WordworthError):
            return
        number = error.errno if isinstance(error, OSError) else None
        if number in DISK_LIMITS and not self.is_ours:  # `files.space_checked` reports it
            return
        if is_out_of_memory(error) or number in (errno.EACCES, errno.EMFILE):  # the file itself may be whole
            raise WordworthError(_describe_machine_error(error)) from error
        names = _names_of(error)
        built_in = _BUILT_IN_ERRORS_OF_OUR_LINES if _raised_by_us(trace) and not self.is_ours else _BUILT_IN_ERRORS
        if kind is Exception or issubclass(kind, built_in) or names & {PANIC, *_LIBRARY_ERRORS}:
            reason = reason_of(error)
            sentence = f"{self.task} ({reason}); {self.advice}" if self.advice else f"{self.task}: {reason}"
            raise WordworthError(sentence) from error


class MachineErrors:
    """Turn errors of the system, its memory or a panic, which any line may raise, into one sentence."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and (sentence := _describe_machine_error(error)):
            raise WordworthError(sentence) from error


def _describe_machine_error(error: BaseException) -> str:
    """Return a sentence for an error of the machine; blank for any other."""
    reason = reason_of(error)
    if is_out_of_memory(error):
        return f"memory ran out ({reason}); close other programs, use a smaller model or file, or a larger machine"
    if PANIC in _names_of(error):
        return f"a library crashed ({reason}); fetch the model again, its tokenizer.json may be damaged"
    if isinstance(error, RuntimeError) and "home directory" in reason:  # of `Path.expanduser`
        return "a path begins with ~ and the name of an unknown user; write it without ~"
    if isinstance(error, RuntimeError) and "Symlink loop" in reason:  # of `Path.resolve`
        return f"a link leads to itself ({reason}); replace it by the file"
    if not isinstance(error, OSError) or isinstance(error, BrokenPipeError):  # the reader has ended, as in `| head`
        return ""
    if error.filename is None and error.errno == errno.ENOENT:
        return f"the working folder or TMPDIR cannot be used ({error.strerror}); change to an existing folder"
    advice = SYSTEM_ERRORS.get(error.errno or 0, "cannot be used ({reason}); check the path")
    return f"{error.filename or 'stdout'} {advice.format(reason=error.strerror or reason)}"


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether the memory of the machine or of a device ran out; libraries raise different errors for it."""
    names = _names_of(error)
    if names & {"builtins.MemoryError", "torch.OutOfMemoryError"}:
        return True
    has_memory_type = isinstance(error, ImportError | OSError | RuntimeError) or bool(names & _LIBRARY_ERRORS)
    return has_memory_type and bool(_OUT_OF_MEMORY.search(str(error)))


def print_traceback(error: BaseException) -> None:
    """Print the traceback of an error that is shown as a sentence, if WORDWORTH_TRACEBACK is set."""
    if os.environ.get("WORDWORTH_TRACEBACK", "0") not in ("", "0"):
        traceback.print_exception(error)


def _names_of(error: BaseException) -> set[str]:
    return {f"{base.__module__}.{base.__qualname__}" for base in type(error).__mro__}


def _raised_by_us(trace: TracebackType | None) -> bool:
    """Return whether the last Python line of a traceback is in this package."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    module = trace.tb_frame.f_globals.get("__name__", "") if trace else ""
    return str(module).partition(".")[0] == __name__.partition(".")[0]


def require(feature: str) -> None:
    """Raise unless the packages of a feature in `EXTRAS` are installed; name up to two missing ones, and the extra."""
    extra, *packages = EXTRAS[feature]
    if missing := [package for package in packages if find_spec(package) is None]:
        raise WordworthError(f"{feature} need {' and '.join(missing[:2])}: pip install 'wordworth[{extra}]'")


def reason_of(error: BaseException) -> str:
    """Return the first line of another program's message, shortened."""
    lines = str(error).strip().splitlines()
    first_line = lines[0] if lines else type(error).__name__
    return first_line if len(first_line) <= MAX_QUOTED else f"{first_line[:MAX_QUOTED]}…"


def first_problem(error: ValueError) -> str:
    """Return the first problem that pydantic found, and its place from 1: “layers.1: Input should be an integer”."""
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return reason_of(error)
    problem = error.errors(include_url=False)[0]
    place = ".".join(str(part + 1 if isinstance(part, int) else part)[:60] for part in problem["loc"])
    if problem["type"] in (reasons := {"extra_forbidden": "is an unknown field", "missing": "is missing"}):
        return f"{place} {reasons[problem['type']]}"
    return ": ".join(filter(None, [place, problem["msg"].removeprefix("Value error, ")]))


def format_names(names: Iterable[object], max_names: int = 12) -> str:
    """Join names for a sentence: at most `max_names`, and long ones shortened."""
    texts = [str(name) for name in names]
    shown_names = [name if len(name) <= 40 else f"{name[:40]}…" for name in texts[:max_names]]
    return ", ".join(shown_names) + (", …" if len(texts) > max_names else "")


def nearest(name: str, known_names: list[str]) -> str:
    """Return “; did you mean a, b?” for an unknown name, or nothing if no known name is similar."""
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None)
    matcher.set_seq2(name.lower()[:MAX_QUOTED])

    def ratio(candidate: str) -> float:
        matcher.set_seq1(candidate)
        return matcher.ratio()

    def rank(candidate: str) -> tuple[float, float, float, str]:
        """Rank by the similarity of the name or a part of it, then of its first part."""
        # `glvoe` resembles the first part of `glove-6b-50d` more than all of it.
        parts = [ratio(part) for part in re.split("[-_]", candidate)]
        return (
            max([ratio(candidate), *(part for part in parts if part >= MIN_PART_RATIO)]),
            parts[0],
            ratio(candidate),
            candidate,
        )

    ranking = sorted(map(rank, known_names), reverse=True)
    names = [name for score, *_, name in ranking[:3] if score >= max(MIN_NAME_RATIO, ranking[0][0] - 0.2)]
    return f"; did you mean {', '.join(names)}?" if names else ""


# Control characters, separators of lines and paragraphs, overrides of direction, surrogates. Marks that scripts need
# (joiners and the two marks of direction) stay.
_INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_INVISIBLE_IN_LINES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str, *, lines: bool = False) -> str:
    """Escape invisible characters as Python does (`\\x1b`, `\\n`); `lines` keeps line breaks and tabs."""
    pattern = _INVISIBLE_IN_LINES if lines else _INVISIBLE
    return pattern.sub(lambda match: match.group().encode("unicode_escape").decode("ascii"), text)


def quote(word: str | bytes) -> str:
    """Return a word as a message shows it, shortened to 60 characters."""
    if isinstance(word, bytes):
        return quote(word.decode(errors="replace"))
    return repr(word) if len(word) <= 60 else f"{word[:60]!r}…"
