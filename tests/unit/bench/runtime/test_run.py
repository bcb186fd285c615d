"""What the contenders of the runtime are told."""

import json
import sys
from pathlib import Path

import pytest

from bench.measure import Work
from bench.runtime.figures import SCENARIOS, Scenario
from bench.runtime.run import HERE, Plan, Runner, _amount, _steps

BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}
PEER = Path("/opt/go-peer")


def command(scenario: Scenario, contender: str) -> list[str]:
    """Return how *contender* is started."""
    plan = Plan(scenarios=[scenario], contenders=[contender], go_peer=PEER)
    return Runner(plan)._command(scenario, contender, Work())


def test_the_go_program_is_told_the_encoding_the_scenario_and_the_work() -> None:
    """Its arguments are those of the Python contenders, in one program."""
    found = command(BY_NAME["informer"], "go_proto")

    assert found[:3] == [str(PEER), "proto", "list_pods"]
    assert json.loads(found[3])["pods"] == 10_000


def test_an_operator_is_a_script_of_its_own() -> None:
    """What starts it must not cost what is measured."""
    found = command(BY_NAME["start"], "kubewright")

    assert found[:3] == [sys.executable, "-P", str(HERE / "operators" / "kubewright.py")]


@pytest.mark.parametrize(
    "path", [HERE / "operators" / f"{name}.py" for name in ("kubewright", "lightkube", "kopf")]
)
def test_every_operator_is_there(path: Path) -> None:
    """A command that names a file that is not there would only fail in a long run."""
    assert path.is_file()


@pytest.mark.parametrize(("contender", "events"), [("lightkube", 20_000), ("kopf", 5_000)])
def test_who_is_slow_plays_a_quarter_of_the_events(contender: str, events: int) -> None:
    """An event of theirs costs a millisecond; more of them say nothing more."""
    assert _amount(Work(), BY_NAME["watch"], contender).events == events


def test_the_start_is_that_of_one_widget() -> None:
    """A scenario may differ from the usual amount of work."""
    assert _amount(Work(), BY_NAME["start"], "kubewright").widgets == 1


def test_only_who_is_chosen_takes_part() -> None:
    """Without the Go program, the others still run."""
    plan = Plan(scenarios=[BY_NAME["queue"]], contenders=["kubewright"])

    assert [contender for _, contender in _steps(plan)] == ["kubewright"]


def test_a_contender_that_fails_does_not_stop_the_others() -> None:
    """It is said at the end."""
    scenario = BY_NAME["queue"]
    runner = Runner(Plan(scenarios=[scenario], contenders=["go_json"], go_peer=Path("/bin/false")))

    runner.measure(scenario, "go_json")

    assert runner.results.errors == ["queue go_json: exit status 1: nothing was said"]
