"""The command line of the benchmark of the runtime."""

from pathlib import Path

import pytest

from bench.runtime import __main__ as command
from bench.runtime.run import REAL


@pytest.mark.parametrize("arguments", [["--only", "informers"], ["--peers", "client-go"]])
def test_wrong_input_is_refused_before_anything_runs(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A typing mistake must not cost many minutes."""
    with pytest.raises(SystemExit) as stopped:
        command._parser().parse_args(arguments)

    assert stopped.value.code == 2
    assert "is not one of" in capsys.readouterr().err


def test_without_a_real_server_the_rest_is_measured_and_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Silence would look like success."""
    options = command._parser().parse_args(["--assets", str(tmp_path), "--peers", "lightkube"])

    plan = command._plan(options)

    assert {scenario.how for scenario in plan.scenarios}.isdisjoint(REAL)
    assert plan.scenarios
    assert "NOT measured" in capsys.readouterr().err


def test_a_quick_run_is_one_round_of_little_work() -> None:
    """It shows that everything runs, and no more."""
    plan = command._plan(
        command._parser().parse_args(["--quick", "--only", "queue", "--peers", "kopf"])
    )

    assert (plan.rounds, plan.work.pods) == (1, 1_000)
