"""Makes the outputs that docs/check.md shows: its own rules held against glove-6b-50d, by the command and by pytest."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from pages import put

PAGE = Path(__file__).parent / "check.md"
MODEL = "glove-6b-50d"


def block(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```"


def ran(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command in the example's folder, with what it printed."""
    environment = {**os.environ, "COLUMNS": "110"}
    return subprocess.run([sys.executable, "-m", *words], cwd=folder, env=environment, capture_output=True, text=True)


def main() -> None:
    rules = re.findall(r"^```toml\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)[0]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "rules.toml").write_text(rules, encoding="utf-8")
        checked = ran(folder, "wordworth", "check", MODEL, "rules.toml", "--junit", "check.xml")
        if checked.returncode != 1:
            raise SystemExit(f"exit code {checked.returncode}, not 1: {checked.stderr}")
        lines = [line.rstrip() for line in checked.stdout.splitlines()]
        put(PAGE, "table", block("\n".join(lines)))
        loaded = () if "--wordworth " in ran(folder, "pytest", "--help").stdout else ("-p", "wordworth.check.plugin")
        words = (*loaded, "-p", "no:cacheprovider", "rules.toml", "--wordworth-run", f"runs/check-{MODEL}")
        tested = ran(folder, "pytest", *words)
        if tested.returncode != 1:
            raise SystemExit(f"pytest ended with {tested.returncode}, not 1: {tested.stdout}")
        shown = re.sub(r"^(platform|rootdir|plugins|configfile).*\n", "", tested.stdout, flags=re.MULTILINE)
        put(PAGE, "pytest", block(re.sub(r" in [\d.]+s", "", shown)))


if __name__ == "__main__":
    main()
