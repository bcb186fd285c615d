"""The embedded server in a thread, and the environment in which other people's clients live."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kubewright.testing import EmbeddedServer

HERE = Path(__file__).parent
VENV = Path(os.environ.get("CLIENTS_VENV", HERE.parents[1] / ".venv-clients"))
TIMEOUT = 100.0

Run = Callable[..., str]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give a foreign program the time that it takes."""
    for item in items:
        if "run" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.timeout(TIMEOUT + 20))


@pytest.fixture
def server() -> Iterator[EmbeddedServer]:
    """A new server, with its controllers."""
    with EmbeddedServer() as server:
        yield server


@pytest.fixture
def run(server: EmbeddedServer, tmp_path: Path) -> Run:
    """Run a program of the clients' environment as an administrator; returns what it printed."""
    assert VENV.is_dir(), f"no {VENV}: run `make clients`"

    def run(program: str, *arguments: str) -> str:
        done = subprocess.run(
            [VENV / "bin" / program, *arguments],
            env=environment(server, tmp_path),
            cwd=HERE,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        assert done.returncode == 0, f"{program} {arguments}:\n{done.stdout}{done.stderr}"
        return done.stdout

    return run


def environment(server: EmbeddedServer, home: Path) -> dict[str, str]:
    """Return the environment of a user who has a kubeconfig and nothing else."""
    return {
        "PATH": f"{VENV / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "KUBECONFIG": str(server.kubeconfig_file),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
