"""A run of the tests, as the audit makes it."""

from pathlib import Path

import pytest

from kubewright.application.calls import Call
from kubewright.cli.rbac.recording import record
from kubewright.errors import ConfigError


def test_a_run_gives_the_calls_of_the_operator(project: Path) -> None:
    """And how many tests it took."""
    found = record(project, ["tests"], show=False)

    assert (found.passed, found.failed) == (1, False)
    assert Call("list", "", "services", "default") in found.calls
    assert "1 passed" in found.output


def test_the_output_of_pytest_can_be_seen(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the side of complaints: results are for programs."""
    found = record(project, ["tests"], show=True)

    said = capsys.readouterr()
    assert "1 passed" in said.err
    assert (said.out, found.output) == ("", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "its arguments are wrong"),
        (["--no-such-option"], "its arguments are wrong"),
        (["-k", "nothing"], "pytest found no tests in"),
        (["-p", "no:kubewright"], "pytest did not load its plugin kubewright"),
    ],
)
def test_a_run_that_records_nothing_is_told(project: Path, arguments: list[str], said: str) -> None:
    """With what pytest said, and without its traceback."""
    with pytest.raises(ConfigError) as refused:
        record(project, arguments, show=False)

    assert said in str(refused.value)


def test_tests_that_cannot_be_loaded_are_told_with_their_error(project: Path) -> None:
    """It is in the output of pytest only."""
    (project / "tests/test_it.py").write_text("import no_such_module\n")

    with pytest.raises(ConfigError, match="No module named 'no_such_module'"):
        record(project, [], show=False)
