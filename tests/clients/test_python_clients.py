"""Clients of other people, unmodified: each program is written as its users write."""

import pytest

from tests.clients.conftest import Run


@pytest.mark.parametrize("program", ["official", "light", "kr8s_objects"])
def test_client_works_unmodified(run: Run, program: str) -> None:
    """Whoever has a program for Kubernetes has one for the embedded server."""
    printed = run("python", f"programs/{program}.py")

    assert printed.endswith("done\n")
