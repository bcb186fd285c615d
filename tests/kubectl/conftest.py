"""Two servers for one session: our own, and a real one to compare with."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

from kubewright.errors import ConfigError
from kubewright.testing import EmbeddedServer, RealCRDServer, RealServer, Server
from kubewright.testing.assets import get_program
from tests.kubectl.session import Outcome, Step, Terminal, problems

Compare = Callable[..., None]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each session the time for its many commands."""
    for item in items:
        if "compare" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.timeout(300))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Refuse to begin without the programs, before the first test rather than in each of them."""
    if not any("compare" in getattr(item, "fixturenames", ()) for item in session.items):
        return
    try:
        for program in ("etcd", "kube-apiserver", "apiextensions-apiserver"):
            get_program(program)
    except ConfigError as error:
        raise pytest.UsageError(str(error)) from None


class Pairs:
    """Starts each server when the first session asks for it, and keeps it for the rest."""

    def __init__(self) -> None:
        self._started: dict[str, Server] = {}
        self._stack = ExitStack()

    def get(self, name: str) -> Server:
        """Return the server called *name*."""
        makers: dict[str, Callable[[], AbstractContextManager[Server]]] = {
            "embedded": lambda: EmbeddedServer(controllers=False),
            "real": RealServer,
            "real-crd": RealCRDServer,
        }
        if name not in self._started:
            self._started[name] = self._stack.enter_context(makers[name]())
        return self._started[name]

    def close(self) -> None:
        """Stop what was started."""
        self._stack.close()


@pytest.fixture(scope="session")
def pairs() -> Iterator[Pairs]:
    """Every server of this run."""
    pairs = Pairs()
    yield pairs
    pairs.close()


@pytest.fixture
def compare(pairs: Pairs, tmp_path: Path, request: pytest.FixtureRequest) -> Compare:
    """Run a session on both servers, in a new namespace, and compare what was printed."""
    namespace = request.node.name.removeprefix("test_").replace("_", "-")[:60].strip("-")

    def run(steps: Sequence[Step], *, real: str = "real") -> None:
        def play(name: str) -> list[Outcome]:
            terminal = Terminal(pairs.get(name), tmp_path / name, namespace=namespace)
            manifest = f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: {namespace}}}"
            made = terminal.run(Step("create --validate=false -f -", stdin=manifest))
            assert made.code == 0, made.text
            return [terminal.run(step) for step in steps]

        for name in ("embedded", real):
            pairs.get(name)  # not in the threads: both would start the same one
        with ThreadPoolExecutor() as pool:
            ours, theirs = pool.map(play, ("embedded", real))
        found = [
            f"$ kubectl {one.step.command}\n{problem}"
            for one, other in zip(ours, theirs, strict=True)
            for problem in problems(one, other)
        ]
        assert not found, "\n\n".join(found)

    return run
