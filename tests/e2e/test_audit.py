"""No sample has a right too few or too many: ``kubewright rbac audit`` in each of their folders."""

import subprocess
import sys

import pytest

from tests.e2e.program import EXAMPLES

SAMPLES = ("at", "cronjob", "helloworld", "podwatch", "serviceregistry", "traefikservice")
TESTS = {"cronjob": ("test_cronjob.py", "--", "-k", "each_run or without_limits or without_sense")}
"""The tests to run, where all of them take long."""
PROJECTS = ("at_project", "collector", "foo", "guestbook", "memcached")


def audit(sample: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the command where somebody would who has copied the sample."""
    command = [sys.executable, "-m", "kubewright", "rbac", "audit"]
    return subprocess.run(
        [*command, *arguments],
        cwd=EXAMPLES / sample,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.timeout(120)  # the machine may be busy
@pytest.mark.parametrize("sample", SAMPLES)
def test_a_sample_has_exactly_the_rights_that_it_uses(sample: str) -> None:
    """People copy them, and what they copy should be right."""
    files = TESTS.get(sample, ())
    done = audit(sample, "--role", "rbac.yaml", "--operator", f"{sample}.py", *files)

    assert done.stdout == "nothing missing, nothing unused\n", done.stderr
    assert done.returncode == 0


def test_a_program_without_an_operator_is_compared_with_its_role() -> None:
    """Its role is written by hand, and nothing else knows what it does."""
    done = audit("at_by_hand", "--role", "rbac.yaml")

    assert done.stdout == "nothing missing, nothing unused\n", done.stderr
    assert done.returncode == 0


@pytest.mark.timeout(120)  # as above
@pytest.mark.parametrize("sample", PROJECTS)
def test_a_project_has_exactly_the_rights_that_it_uses(sample: str) -> None:
    """Its role is made from its code, and its operator is known."""
    done = audit(sample)

    assert done.stdout == "nothing missing, nothing unused\n", done.stderr
    assert done.returncode == 0
