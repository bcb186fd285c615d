"""The command line of the benchmark."""

import argparse

import pytest

from bench import __main__ as command
from bench.run import Results
from bench.table import Verdict

OPTIONS = argparse.Namespace(tolerance=0.25)
REACHED = Verdict("list, CPU s", "kopf", 0.05, goal=0.06, baseline=0.05)
MISSED = Verdict("list, CPU s", "kopf", 0.07, goal=0.06)
WORSE = Verdict("list, CPU s", "kopf", 0.05, goal=0.06, baseline=0.03)


@pytest.mark.parametrize(
    ("found", "errors", "status"),
    [
        ([REACHED], [], 0),
        ([REACHED, MISSED], [], 1),
        ([WORSE], [], 1),
        ([REACHED], ["list kopf: no result"], 1),
    ],
)
def test_the_exit_status_tells_a_script(
    found: list[Verdict], errors: list[str], status: int
) -> None:
    """A goal missed, a step back and a peer that failed all need somebody to look."""
    assert command._exit_status(found, Results(errors=errors), OPTIONS) == status


@pytest.mark.parametrize(
    "arguments", [["--only", "lists"], ["--peers", "client-go"], ["--rounds", "0"]]
)
def test_wrong_input_is_refused_before_anything_runs(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A typing mistake must not cost eight minutes."""
    with pytest.raises(SystemExit) as stopped:
        command._parser().parse_args(arguments)

    assert stopped.value.code == 2
    assert arguments[0] in capsys.readouterr().err


def test_only_and_peers_take_lists() -> None:
    """Several can be chosen at once."""
    options = command._parser().parse_args(["--only", "list,watch", "--peers", "kopf"])

    assert options.only == ("list", "watch")
    assert options.peers == ("kopf",)
