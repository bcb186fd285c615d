"""What a server with a data folder has answered survives its death, whenever that comes."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from kubewright.api import ObjectMeta
from kubewright.client import Client, Config
from kubewright.errors import KubewrightError
from kubewright.kinds.core.v1 import ConfigMap

PROGRAM = "from kubewright.cli import main; main()"
CREATED = "created"
UPDATED = "updated"
DELETED = ""
OBJECTS = 600
"""A third of them is updated, a third deleted, and a third left as it is: 1,000 writes."""


class Server:
    """The command ``kubewright apiserver``, with its objects in a folder."""

    def __init__(self, folder: Path) -> None:
        self.kubeconfig = folder / "kubeconfig"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        """Start it and wait until it has said where it is."""
        self.kubeconfig.unlink(missing_ok=True)
        process = self._process = self._launch()
        while not self.kubeconfig.exists():
            assert process.poll() is None, (self._folder / "log").read_text()
            await asyncio.sleep(0.01)  # another process: its time is not ours

    def _launch(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-c", PROGRAM, "apiserver"]
        command += ["--kubeconfig", str(self.kubeconfig), "--data-dir", str(self._folder / "data")]
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log)

    def kill(self) -> None:
        """Kill it: it gets no chance to do anything more."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    """Return a server that runs, and kill it at the end."""
    found = Server(tmp_path)
    await found.start()
    yield found
    found.kill()


@asynccontextmanager
async def connected(server: Server) -> AsyncIterator[Client]:
    """Return a client of *server*."""
    async with Client(Config.from_kubeconfig(server.kubeconfig)) as client:
        yield client


class Writer:
    """Writes to a server, and remembers what it was answered and what it had asked for."""

    def __init__(self, client: Client, enough: int) -> None:
        self.answered: dict[str, tuple[str, int]] = {}  # the state and version of the last answer
        self.asked: dict[str, str] = {}  # the state that was last asked for
        self.count = 0
        self.enough = asyncio.Event()
        self._client = client
        self._limit = enough

    async def work(self, number: int) -> None:
        """Create one object, and change or delete it, or neither."""
        name = f"a-{number:04d}"
        self.asked[name] = CREATED
        made = await self._client.create(_config_map(name, CREATED))
        self._note(name, CREATED, made)
        if number % 3 == 0:
            self.asked[name] = UPDATED
            made.data["state"] = UPDATED
            self._note(name, UPDATED, await self._client.update(made))
        elif number % 3 == 1:
            self.asked[name] = DELETED
            await self._client.delete(ConfigMap, name, namespace="default")
            self._note(name, DELETED, made)

    def _note(self, name: str, state: str, answer: ConfigMap) -> None:
        self.answered[name] = state, int(answer.metadata.resource_version)
        self.count += 1
        if self.count >= self._limit:
            self.enough.set()


def _config_map(name: str, state: str) -> ConfigMap:
    # Not all of one size: pages of the database fill up at different moments.
    padding = "x" * (int(name[-4:]) % 7 * 500)
    metadata = ObjectMeta(name=name, namespace="default")
    return ConfigMap(metadata=metadata, data={"state": state, "padding": padding})


async def killed_while_writing(server: Server, after: int) -> Writer:
    """Write until *after* answers have come, and kill the server while the others are on their way.

    All tasks are under way at once, a hundred of them at the server.
    """
    async with connected(server) as client:
        writer = Writer(client, after)
        tasks = [asyncio.create_task(writer.work(number)) for number in range(OBJECTS)]
        await writer.enough.wait()
        server.kill()
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
    strange = [one for one in results if isinstance(one, Exception)]
    assert all(isinstance(one, (KubewrightError, OSError)) for one in strange), strange
    return writer


async def stored(client: Client) -> dict[str, ConfigMap]:
    """Return the objects of the tests that are there, by name."""
    found = await client.list(ConfigMap, namespace="default")
    return {item.metadata.name: item for item in found if item.metadata.name.startswith("a-")}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("answers", [1, 150, 400, 750, 950])
async def test_every_answered_write_is_there_after_a_kill(server: Server, answers: int) -> None:
    """A kill in the middle of 1,000 writes loses nothing that a client was told is done."""
    writer = await killed_while_writing(server, answers)

    await server.start()
    async with connected(server) as client:
        found = await stored(client)

    states = {name: item.data["state"] for name, item in found.items()}
    lost = {
        name: (state, states.get(name, DELETED))
        for name, (state, _) in writer.answered.items()
        # What was asked for later may have been done without an answer.
        if states.get(name, DELETED) not in (state, writer.asked[name])
    }
    assert writer.count >= answers
    assert not lost
    assert states.keys() <= writer.asked.keys()
    assert all(
        len(item.data["padding"]) == int(name[-4:]) % 7 * 500 for name, item in found.items()
    )


@pytest.mark.timeout(120)
@pytest.mark.parametrize("answers", [100, 600])
async def test_versions_go_on_after_a_kill(server: Server, answers: int) -> None:
    """A version that a client has seen is never given to another change."""
    writer = await killed_while_writing(server, answers)
    seen = max(version for _, version in writer.answered.values())

    await server.start()
    async with connected(server) as client:
        found = await stored(client)
        made = await client.create(_config_map("b-0000", CREATED))

    for name, item in found.items():
        if name in writer.answered:
            assert int(item.metadata.resource_version) >= writer.answered[name][1]
    kept = [int(item.metadata.resource_version) for item in found.values()]
    assert int(made.metadata.resource_version) > max(seen, *kept)


@pytest.mark.timeout(120)
async def test_a_folder_outlives_one_kill_after_the_other(server: Server) -> None:
    """What survived the first kill survives the next ones, too."""
    version, names = 0, set[str]()

    for number in range(4):
        async with connected(server) as client:
            made = await client.create(_config_map(f"c-{number:04d}", CREATED))
            found = await client.list(ConfigMap, namespace="default")
        server.kill()
        await server.start()

        assert names <= {item.metadata.name for item in found}
        assert int(made.metadata.resource_version) > version
        version, names = int(made.metadata.resource_version), names | {made.metadata.name}
