"""The one error a user sees: a sentence that says what is wrong, where, and what to do; and text safe to show."""

import errno
import os
import re
import traceback
from collections.abc import Iterable
from importlib.util import find_spec
from types import TracebackType

MAX_MESSAGE_CHARACTERS = 480
"""Characters of a sentence. A longer one quotes a file that is not what it seems."""
MAX_QUOTED = 160
"""Characters of another program's message that a sentence repeats."""

LIKE, ALIKE = 0.5, 0.75
"""How like a known name an unknown one must be to be taken for a slip, and how like a part of it."""

# What libraries raise for a file that they cannot read. None of it is caught unless a library is at work; of that which
# is raised in a line of this package itself, only what no mistake in that line would raise.
_BUILT_IN = (
    ArithmeticError, AssertionError, AttributeError, EOFError, ImportError, LookupError, MemoryError, OSError,
    RuntimeError, SyntaxError, TypeError, ValueError,
)  # fmt: skip
_IN_OUR_LINES = (EOFError, MemoryError, OSError, RuntimeError)
_OF_LIBRARIES = frozenset(
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
"""What libraries in Rust raise where they stop in the middle; it derives from BaseException, and cannot be imported."""
DISK_LIMITS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""A full disk, a quota, and a limit on the size of a file."""
SYSTEM_ERRORS = {
    errno.EACCES: "cannot be opened ({reason}); check its rights",
    errno.ENAMETOOLONG: "is longer than the name of a file can be; give a shorter one",
    errno.ENOSPC: "cannot be written ({reason}); free some space, or write elsewhere",
    errno.EFBIG: "cannot be written ({reason}); raise the limit on the size of files (ulimit -f), or write elsewhere",
    errno.EMFILE: "cannot be opened ({reason}); raise the limit on open files (ulimit -n)",
}
"""What a user can do about errors of the system."""
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
"""What is not part of the base install → the extra that has it, and the packages it imports."""


class WordworthError(Exception):
    """Bad input or surroundings. The message is shown as it is, without a traceback; the command exits with 2.

    Of a message that is too long, the place at its beginning and the advice at its end are kept.
    """

    def __init__(self, message: str) -> None:
        if len(message) > MAX_MESSAGE_CHARACTERS:
            message = f"{message[: MAX_MESSAGE_CHARACTERS * 2 // 3]} … {message[-MAX_MESSAGE_CHARACTERS // 3 + 3 :]}"
        super().__init__(message)


class LibraryErrors:
    """The one door for files that another library reads: `with LibraryErrors("what cannot be read", "what to do"):`.

    What the library raises, by name, becomes one sentence. Bare exceptions count too: tokenizers raises nothing else,
    and no `except` could name them without naming all others. A mistake in our own lines inside stays a traceback,
    but where `ours` says that a host's work of days must not end by it.
    """

    def __init__(self, what: str, advice: str = "", *, ours: bool = False) -> None:
        self.what = what
        self.advice = advice
        self.ours = ours

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None or error is None or issubclass(kind, WordworthError):
            return
        number = error.errno if isinstance(error, OSError) else None
        if number in DISK_LIMITS and not self.ours:  # `files.space_checked` reports it
            return
        if is_out_of_memory(error) or number in (errno.EACCES, errno.EMFILE):  # the file itself may be whole
            raise WordworthError(_describe_machine_error(error)) from error
        names = _names_of(error)
        built_in = _IN_OUR_LINES if _raised_by_us(trace) and not self.ours else _BUILT_IN
        if kind is Exception or issubclass(kind, built_in) or names & {PANIC, *_OF_LIBRARIES}:
            reason = reason_of(error)
            sentence = f"{self.what} ({reason}); {self.advice}" if self.advice else f"{self.what}: {reason}"
            raise WordworthError(sentence) from error


class MachineErrors:
    """The door around all work: what the system, its memory or a panic may raise in any line becomes one sentence."""

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
        return f"a library stopped in the middle ({reason}); fetch the model again, its tokenizer.json may be damaged"
    if isinstance(error, RuntimeError) and "home directory" in reason:  # of `Path.expanduser`
        return "a path begins with ~ and a name that no user of this machine has; write it without ~"
    if isinstance(error, RuntimeError) and "Symlink loop" in reason:  # of `Path.resolve`
        return f"a link leads to itself ({reason}); put the file in its place"
    if not isinstance(error, OSError) or isinstance(error, BrokenPipeError):  # the reader has gone, as `| head` does
        return ""
    if error.filename is None and error.errno == errno.ENOENT:
        return f"the working folder or TMPDIR cannot be used ({error.strerror}); change to a folder that is there"
    advice = SYSTEM_ERRORS.get(error.errno or 0, "cannot be used ({reason}); check the path")
    return f"{error.filename or 'stdout'} {advice.format(reason=error.strerror or reason)}"


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether the memory of the machine or of a device ran out; each library says it in its own way."""
    names = _names_of(error)
    if names & {"builtins.MemoryError", "torch.OutOfMemoryError"}:
        return True
    can_be = isinstance(error, ImportError | OSError | RuntimeError) or bool(names & _OF_LIBRARIES)
    return can_be and bool(_OUT_OF_MEMORY.search(str(error)))


def print_traceback(error: BaseException) -> None:
    """Print how an error came about that is shown or recorded as a sentence, where WORDWORTH_TRACEBACK asks for it."""
    if os.environ.get("WORDWORTH_TRACEBACK", "0") not in ("", "0"):
        traceback.print_exception(error)


def _names_of(error: BaseException) -> set[str]:
    return {f"{base.__module__}.{base.__qualname__}" for base in type(error).__mro__}


def _raised_by_us(trace: TracebackType | None) -> bool:
    """Return whether this package raised the error; compiled functions of libraries have no lines."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    module = trace.tb_frame.f_globals.get("__name__", "") if trace else ""
    return str(module).partition(".")[0] == __name__.partition(".")[0]


def require(what: str) -> None:
    """Raise unless the packages for something in `EXTRAS` are installed; name two that are missing, and the extra."""
    extra, *packages = EXTRAS[what]
    if missing := [package for package in packages if find_spec(package) is None]:
        raise WordworthError(f"{what} need {' and '.join(missing[:2])}: pip install 'wordworth[{extra}]'")


def reason_of(error: BaseException) -> str:
    """Return the first line of another program's message, cut where it is long; its messages run over many."""
    lines = str(error).strip().splitlines()
    first = lines[0] if lines else type(error).__name__
    return first if len(first) <= MAX_QUOTED else f"{first[:MAX_QUOTED]}…"


def first_problem(error: ValueError) -> str:
    """Return what pydantic found wrong first, and where, counted from 1: “layers.1: Input should be an integer”."""
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return reason_of(error)
    problem = error.errors(include_url=False)[0]
    place = ".".join(str(part + 1 if isinstance(part, int) else part)[:60] for part in problem["loc"])
    if problem["type"] in (reasons := {"extra_forbidden": "is an unknown field", "missing": "is missing"}):
        return f"{place} {reasons[problem['type']]}"
    return ": ".join(filter(None, [place, problem["msg"].removeprefix("Value error, ")]))


def format_names(names: Iterable[object], most: int = 12) -> str:
    """Join names for a sentence: the first few of many, long ones shortened."""
    written = [str(name) for name in names]
    short = [name if len(name) <= 40 else f"{name[:40]}…" for name in written[:most]]
    return ", ".join(short) + (", …" if len(written) > most else "")


def nearest(name: str, known: list[str]) -> str:
    """Return “; did you mean a, b?” for an unknown name, or nothing when no known name is close."""
    from difflib import SequenceMatcher

    like = SequenceMatcher(None)
    like.set_seq2(name.lower()[:MAX_QUOTED])

    def ratio(other: str) -> float:
        like.set_seq1(other)
        return like.ratio()

    def rank(other: str) -> tuple[float, float, float, str]:
        """Put those first that are near as a whole or in a part, then those that begin alike."""
        # `glvoe` is little like `glove-6b-50d` and much like its first part.
        parts = [ratio(part) for part in re.split("[-_]", other)]
        return max([ratio(other), *(part for part in parts if part >= ALIKE)]), parts[0], ratio(other), other

    close = sorted(map(rank, known), reverse=True)
    names = [name for score, *_, name in close[:3] if score >= max(LIKE, close[0][0] - 0.2)]
    return f"; did you mean {', '.join(names)}?" if names else ""


# Control characters, separators of lines and paragraphs, what overrides the direction of a line, halves of a pair.
# Marks that writing needs (joiners, and the two marks of direction) are left as they are.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_UNSEEN_IN_LINES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str, *, lines: bool = False) -> str:
    """The text with each such character as Python writes it (`\\x1b`, `\\n`); `lines` keeps line breaks and tabs."""
    unseen = _UNSEEN_IN_LINES if lines else _UNSEEN
    return unseen.sub(lambda found: found.group().encode("unicode_escape").decode("ascii"), text)


def quote(word: str | bytes) -> str:
    """Return a word as a message shows it, cut where a file that is not what it seems has one of a million letters."""
    if isinstance(word, bytes):
        return quote(word.decode(errors="replace"))
    return repr(word) if len(word) <= 60 else f"{word[:60]!r}…"
