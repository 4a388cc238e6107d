"""Makes the table of times in docs/audit.md from a whole audit of this version: `python docs/make_audit_times.py`.

Nothing is in the cache but what was fetched; what is computed goes into a temporary folder (about 7 GB while it runs).
It takes as long as the audit. `--quick` prints the table of a quick audit and leaves the page alone. Needs Linux.
"""

import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread

from pages import put

from wordworth import __version__
from wordworth.study import STUDIES

PAGE = Path(__file__).parent / "audit.md"
TICKS = os.sysconf("SC_CLK_TCK")
LINE = re.compile(rf"({'|'.join(STUDIES)})(:| took| failed:) ")
"""“vast: smollm2-135m (about 9 minutes)”, “vast took 10 minutes; …”, “vast failed: …”."""
LOADING, REPORT = "loading, estimate", "report"


@dataclass
class Used:
    """What one part of the audit took, as the system counts it."""

    seconds: float = 0.0
    core_seconds: float = 0.0
    peak: float = 0.0
    """Gigabytes of memory at the most."""


@dataclass
class Watched:
    """A process, part by part."""

    process: subprocess.Popen[str]
    parts: dict[str, Used] = field(default_factory=lambda: defaultdict(Used))
    part: str = LOADING
    ended: Event = field(default_factory=Event)

    def watch(self) -> None:
        """Adds what was used since the last look to the part that runs."""
        before, cores = time.monotonic(), 0.0
        while not self.ended.wait(0.2):
            part = self.parts[self.part]
            try:
                now, busy, memory = time.monotonic(), *self._looked()
            except (FileNotFoundError, ProcessLookupError, IndexError):
                return
            part.seconds += now - before
            part.core_seconds += busy - cores
            part.peak = max(part.peak, memory)
            before, cores = now, busy

    def _looked(self) -> tuple[float, float]:
        """Core seconds so far, and gigabytes of memory now."""
        folder = Path(f"/proc/{self.process.pid}")
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        pages = int((folder / "statm").read_text().split()[1])
        return (int(fields[11]) + int(fields[12])) / TICKS, pages * os.sysconf("SC_PAGE_SIZE") / 1e9


def audited(folder: Path, quick: bool) -> tuple[dict[str, Used], dict[str, object], str]:
    """Runs the audit; what its parts took, what it says of them, and its estimate."""
    command = [sys.executable, "-m", "wordworth", "audit", *(["--quick"] if quick else []), "--json"]
    command += ["-o", str(folder / "audit")]
    environment = {**os.environ, "WORDWORTH_NO_CACHE": str(folder / "computed")}
    with (folder / "out").open("w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, text=True, env=environment)
        watched = Watched(process)
        thread = Thread(target=watched.watch)
        thread.start()
        estimate = _follow(watched)
        process.wait()
        watched.ended.set()
        thread.join()
    told = (folder / "out").read_text(encoding="utf-8")
    if not told:
        raise SystemExit(f"the audit ended with {process.returncode} and without a result")
    return watched.parts, json.loads(told), estimate


def _follow(watched: Watched) -> str:
    """Repeats what the audit says, and tells its parts by it; gives the sentence of its estimate."""
    estimate = ""
    assert watched.process.stderr is not None
    for line in watched.process.stderr:
        sys.stderr.write(line)
        if " on this machine" in line:
            estimate = line.strip()
        elif found := LINE.match(line):
            watched.part = found[1] if found[2] == ":" else REPORT
    return estimate


def table(parts: dict[str, Used], told: dict[str, object], runs: Path) -> str:
    """A line for each study; the seconds are those of its run.json."""
    lines = ["| | models | seconds | core seconds | memory at the most |", "|---|---|---|---|---|"]
    studies = {one["study"]: one for one in told["studies"]}  # type: ignore[attr-defined]
    total = Used()
    for name, used in parts.items():
        one = studies.get(name)
        models, seconds = ", ".join(one["models"]) if one else "", used.seconds
        if one and one["state"] == "failed":
            models += f" — **failed**: {one['reason']}"
        elif one:
            seconds = json.loads((runs / name / "run.json").read_text(encoding="utf-8"))["seconds"]
        label = f"`{name}`" if one else name
        lines.append(f"| {label} | {models} | {seconds:,.0f} | {used.core_seconds:,.0f} | {used.peak:.1f} GB |")
        total.seconds += used.seconds
        total.core_seconds += used.core_seconds
        total.peak = max(total.peak, used.peak)
    lines.append(f"| all | | {total.seconds:,.0f} | {total.core_seconds:,.0f} | {total.peak:.1f} GB |")
    return "\n".join(lines)


def machine() -> str:
    """The processor and how many cores of it there are."""
    names = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    name = names[0].partition(":")[2].strip() if names else platform.machine()
    return f"{len(os.sched_getaffinity(0))} cores ({name})"


def size_of(folder: Path) -> float:
    """Gigabytes of what is there."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e9


def main() -> None:
    """Audits, and writes the table."""
    quick = "--quick" in sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts, told, estimate = audited(folder, quick)
        text = table(parts, told, folder / "audit")
        kept = size_of(folder / "computed")
    minutes = sum(used.seconds for used in parts.values()) / 60
    where = f"wordworth {__version__} on {machine()}, nothing in the cache but what is fetched."
    text += f"\n\n{where} At its start it said “{estimate}”; it took {minutes:.0f} minutes."
    text += f" What it computed takes {kept:.1f} GB in the cache."
    if quick:
        print(text)
    else:
        put(PAGE, "times", text)
    if any(one["state"] == "failed" for one in told["studies"]):  # type: ignore[attr-defined]
        raise SystemExit("a study of the audit failed")


if __name__ == "__main__":
    main()
