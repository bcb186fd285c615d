"""Processes of one run: what they are told, and what becomes of their answers."""

import json
import sys
from pathlib import Path

import pytest

from bench import run
from bench.figures import SCENARIOS
from bench.measure import Work

BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}


def test_the_last_line_is_the_result(tmp_path: Path) -> None:
    """Libraries print what they like before it."""
    script = "print('hello'); print('{\"cpu\": 1.5}')"

    numbers = run.measure([sys.executable, "-c", script], tmp_path)

    assert numbers == {"cpu": 1.5}


def test_a_process_that_fails_is_an_error_with_its_last_words(tmp_path: Path) -> None:
    """The reader sees why, without the traceback."""
    with pytest.raises(run.MeasurementError, match="exit status 1: the list holds 3 objects"):
        run.measure(
            [sys.executable, "-c", "raise SystemExit('the list holds 3 objects')"], tmp_path
        )


def test_a_process_that_says_nothing_is_an_error(tmp_path: Path) -> None:
    """No numbers are not zero."""
    with pytest.raises(run.MeasurementError, match="nothing was said"):
        run.measure([sys.executable, "-c", ""], tmp_path)


@pytest.mark.parametrize(
    ("contender", "events"), [("kubewright", 20_000), ("lightkube", 20_000), ("kopf", 5_000)]
)
def test_slow_peers_get_a_quarter_of_the_events(contender: str, events: int) -> None:
    """The cost of one event is what counts, and it does not change."""
    command = run._command(BY_NAME["watch"], contender, Work())

    assert json.loads(command[-1])["events"] == events


def test_a_scenario_changes_the_work() -> None:
    """Requests at a concurrency of 32 are a scenario of their own."""
    command = run._command(BY_NAME["patch32"], "lightkube", Work())

    work = json.loads(command[-1])
    assert command[-3:-1] == ["peers.lightkube", "requests"]
    assert (work["verb"], work["concurrency"]) == ("patch", 32)


def test_the_cost_of_an_import_is_measured(tmp_path: Path) -> None:
    """The script reports time and memory of a real import."""
    command = [sys.executable, "-P", str(Path(run.__file__).with_name("imports.py"))]

    numbers = run.measure([*command, "import decimal"], tmp_path)

    assert numbers["ms"] > 0
    assert 3 < numbers["rss"] < 100
