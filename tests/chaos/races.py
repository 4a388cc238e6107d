"""Stops one command before each of its steps in the file system, and lets another one run meanwhile."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from chaos.bench import Bench, Ended, tree
from chaos.kills import CASES, FIRST, GET, VALNORM, WEAT, content

COMMANDS = {case.name: case.command for case in CASES}
OTHER = f"run weat @vectors.txt --test weat1 --permutations 100 --seed 7 {WEAT.split('100')[1].strip()}"


@dataclass(frozen=True)
class Race:
    """Two commands, what is done before them, and what they leave."""

    name: str
    first: str
    second: str
    before: tuple[str, ...] = ()
    results: tuple[str, ...] = ("run",)
    one_wins: bool = False
    """Of two that must not both succeed."""
    refuses: bool = False
    """Either may be refused in one sentence."""
    reads: bool = False
    """The first one also stops before each file that it reads."""
    every: int = 1
    """Of the steps, each so-many-th."""


CLEAR = "cache clear --fetched"
REPORT = "report run --format md -o r.md"
_USING_MODELS = ("vast", "static", "predict", "infer", "fetched-gguf", "wiki")
RACES = [
    Race("one-cache", f"{VALNORM} -o a", f"{VALNORM} -o b", results=("a", "b")),
    Race("one-fetch", GET, GET, results=("cache/files",)),
    Race("one-folder", FIRST, OTHER, one_wins=True),
    Race("one-folder-overwritten", f"{FIRST} --overwrite", f"{OTHER} --overwrite", (FIRST,), refuses=True),
    Race("fetch-cleared", GET, CLEAR, results=()),
    Race("cleared", f"{FIRST} --overwrite", CLEAR, (FIRST,), reads=True),
    Race("valnorm-cleared", VALNORM, CLEAR, (VALNORM,), reads=True),
    Race("cleared-cold", VALNORM, CLEAR, reads=True),
    Race("clearing", CLEAR, VALNORM, (VALNORM,)),
    Race("pruned", VALNORM, "cache prune --max-size 0", (VALNORM,), reads=True),
    Race("verified", VALNORM, "cache verify"),
    Race("reported", REPORT, f"{OTHER} --overwrite", (FIRST,), ("run", "r.md"), reads=True, refuses=True),
    Race("overwritten-reported", f"{OTHER} --overwrite", REPORT, (FIRST,), ("run", "r.md"), refuses=True),
    *(Race(f"{name}-cleared", COMMANDS[name], CLEAR, (COMMANDS[name],), reads=True, every=3) for name in _USING_MODELS),
]


def outcome(bench: Bench, race: Race) -> tuple[object, ...]:
    return tuple(repr(content(bench.work / name)) for name in race.results)


def prepare(bench: Bench, race: Race) -> None:
    bench.clear()
    for command in race.before:
        ended = bench.run(command)
        assert ended.code == 0, ended
    bench.keep(race.name)


def in_turn(bench: Bench, race: Race) -> tuple[set[tuple[object, ...]], set[str], int]:
    """What the commands leave one after the other, in either order, the files there then, and the first one's steps."""
    left, files, steps = set(), set(), 0
    for commands in ((race.first, race.second), (race.second, race.first)):
        bench.bring(race.name)
        for command in commands:
            ended = bench.run(command, reads=race.reads)
            assert not ended.told(), ended
            steps = ended.changes if command == race.first and not steps else steps
            left.add(outcome(bench, race))
        files |= set(tree(bench.work))
    return left, files, steps


def raced(
    bench: Bench, race: Race, choose: Callable[[range], Iterable[int]] = lambda numbers: numbers
) -> tuple[int, list[str]]:
    """The number of stops, and a sentence for each thing that was not as it must be."""
    prepare(bench, race)
    allowed, files, steps = in_turn(bench, race)
    stops, problems = 0, []
    for number in choose(range(1, steps + 1, race.every)):
        bench.bring(race.name)
        stops += 1
        request = bench.request(race.first, pause_at=number, reads=race.reads)
        first, second = bench.run_beside(request, bench.request(race.second))
        wrong = _wrong(race, first, second)
        if outcome(bench, race) not in allowed:
            wrong.append("what is left is what neither order leaves")
        wrong += [f"left {name}" for name in sorted(set(tree(bench.work)) - files)]
        problems += [f"{race.name} at {number}: {problem}" for problem in wrong]
    return stops, problems


def _wrong(race: Race, first: Ended, second: Ended) -> list[str]:
    wrong = [told for ended in (first, second) if (told := ended.told())]
    codes = sorted((first.code, second.code))
    if race.one_wins and codes != [0, 2]:
        wrong.append(f"the two end with {codes}")
    if not race.one_wins and codes != [0, 0] and not (race.refuses and 0 in codes):
        wrong.append(f"the two end with {codes}: {first.err.strip()[-200:]} {second.err.strip()[-200:]}")
    return wrong
