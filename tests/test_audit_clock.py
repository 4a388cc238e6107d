"""What an audit says of the time that it takes."""

import pytest

from wordworth.cli.audit_clock import TRUST, AuditClock, spoken, spread_sentence
from wordworth.study import study
from wordworth.study.cost import Pace, Work, _timed


class Watch:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    made = Watch()
    monkeypatch.setattr("time.monotonic", made)
    monkeypatch.setattr("time.perf_counter", made)
    return made


def test_times_as_they_are_said() -> None:
    told = {
        3: "a few seconds",
        8: "10 seconds",
        44: "40 seconds",
        89: "90 seconds",
        91: "2 minutes",
        1_320: "22 minutes",
    }
    assert {seconds: spoken(seconds) for seconds in told} == told


def test_the_sentence_at_the_start() -> None:
    clock = AuditClock(["weat", "vast", "static", "predict"], [5, 540, 660, 55])
    assert clock.sentence() == "About 21 minutes on this machine: static 11, vast 9, predict 1, the rest 1."
    assert AuditClock(["weat"], [3]).sentence() == "A few seconds on this machine."
    assert AuditClock(["weat"], [5]).sentence() == "About 10 seconds on this machine."


def test_the_sentence_of_workers() -> None:
    assert spread_sentence(1_200, 4) == (
        "About 20 minutes of work on this machine, spread over 4 workers: about 5 minutes."
    )
    assert spread_sentence(8, 2) == "About 10 seconds of work on this machine, spread over 2 workers: a few seconds."


def test_what_is_left_follows_the_pace(watch: Watch) -> None:
    clock = AuditClock(["vast", "static"], [600, 300])
    assert clock.begin() == "about 10 minutes"
    assert clock.left == 900
    watch.now += 300
    assert clock.left == 600
    assert clock.state() == ("vast (1 of 2)", pytest.approx(300 / 900), "10 minutes left")
    watch.now += 900  # twice as long as expected: all that is known is that it is not done
    assert 300 < clock.left < 400
    assert clock.end() == 1_200
    assert clock.left == pytest.approx(300 * (1_200 + TRUST * 900) / (600 + TRUST * 900))
    assert clock.told() == "20 minutes; about 9 minutes left"
    clock.begin()
    watch.now += 10
    clock.end()
    assert (clock.left, clock.told()) == (0, "10 seconds")
    assert clock.state()[1] == 1


def test_a_unit_is_measured_with_enough_of_them(watch: Watch) -> None:
    tried: list[int] = []

    def run(count: int) -> None:
        tried.append(count)
        watch.now += 0.001 * count

    assert _timed(run, 4, 256) == pytest.approx(0.001)
    assert tried == [1, 4, 256]

    def slow(count: int) -> None:
        tried.append(count)
        watch.now += 2.0 * count

    assert _timed(slow, 4, 256) == pytest.approx(2.0)
    assert tried[3:] == [1, 4]  # a large model is not tried for minutes


def test_work_is_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[str] = []

    def token_seconds(model: str) -> float:
        measured.append(model)
        return 0.5

    monkeypatch.setattr("wordworth.study.cost.token_seconds", token_seconds)
    monkeypatch.setattr("wordworth.study.cost.rank_seconds", lambda: 0.25)
    pace = Pace()
    assert pace.seconds(Work(tokens=10, ranks=4, seconds=3), "model") == 10 * 0.5 + 4 * 0.25 + 3
    assert pace.seconds(Work(tokens=20), "model") == 10
    assert measured == ["model"]  # once


def test_a_quick_study_has_less_to_do() -> None:
    for name in ("predict", "infer"):
        declared = study(name)
        whole, quick = (
            declared.expected(None, declared.settings(**chosen)) for chosen in (declared.whole, declared.quick)
        )
        assert sum(quick) < sum(whole)
