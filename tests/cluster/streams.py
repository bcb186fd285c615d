"""An API server on loopback with one pod that runs, and kubectl beside it."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from kubewright import _json
from kubewright._pki import kubeconfig
from kubewright.apiserver.server import APIServer
from kubewright.apiserver.wire.request import Request, Response
from kubewright.client import Client, Config
from kubewright.embedded import LocalServer
from kubewright.embedded.kubelet import Kubelets
from tests.unit.embedded.kubelet.containers import Containers

NODE = "node-1"
PATIENCE = 60.0


def kubectls() -> list[str]:
    """Return every kubectl of this machine, the one on the path first.

    Google's package has several versions in one folder, which is how old ones are tested.
    """
    found = shutil.which("kubectl")
    if found is None:
        return []
    others = sorted(Path(found).resolve().parent.glob("kubectl.1.*"))
    return [found, *map(str, others)]


class Done(NamedTuple):
    """What a command printed, and how it ended."""

    code: int
    out: str
    err: str


class Town:
    """A folder with a kubeconfig, and programs that use it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "KUBECONFIG": str(folder / "kubeconfig"),
            "TERM": "xterm",
        }

    def client(self) -> Client:
        """Return our own client, over HTTPS."""
        return Client(Config.load(kubeconfig=self.folder / "kubeconfig"))

    async def start(self, program: str, *words: str) -> asyncio.subprocess.Process:
        """Start a program with the kubeconfig."""
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(
            program, *words, stdin=pipe, stdout=pipe, stderr=pipe, env=self.environment,
            cwd=self.folder,
        )  # fmt: skip

    async def run(self, program: str, *words: str, stdin: bytes = b"") -> Done:
        """Run a program to its end."""
        process = await self.start(program, *words)
        try:
            async with asyncio.timeout(PATIENCE):
                out, err = await process.communicate(stdin)
        finally:
            if process.returncode is None:
                process.kill()
                await process.communicate()  # and not only wait: its pipes are closed at their end
        assert process.returncode is not None
        return Done(process.returncode, out.decode(), err.decode())


class EmbeddedTown(Town):
    """A served API server, and a kubeconfig for it."""

    def __init__(self, api: APIServer, folder: Path) -> None:
        super().__init__(folder)
        self.api = api

    async def post(self, path: str, tree: dict[str, Any], method: str = "POST") -> None:
        """Write an object."""
        request = Request(
            method, path, headers={"content-type": "application/json"}, body=_json.encode(tree),
            trusted=True,
        )  # fmt: skip
        answer = await self.api.handle(request)
        assert isinstance(answer, Response)
        assert answer.status < 300, answer.body


@asynccontextmanager
async def town(containers: Containers, folder: Path) -> AsyncIterator[EmbeddedTown]:
    """Serve an API server whose one node has *containers*, and two pods that run there."""
    kubelets = Kubelets()
    kubelets.add(NODE, containers)
    async with LocalServer(partial(APIServer, node=kubelets)) as server:
        pair = server.client_pair("admin", ("system:masters",))
        entry = kubeconfig.credentials(certificate=pair.certificate, key=pair.key)
        document = kubeconfig.document(server.url, ("admin", entry), ca_data=server.ca_data)
        (folder / "kubeconfig").write_bytes(_json.encode(document))  # JSON is YAML, too
        made = EmbeddedTown(server.api, folder)
        await make_pod(made, "web", "main")
        await make_pod(made, "two", "main", "side")
        await made.post("/api/v1/nodes", {"metadata": {"name": NODE}})
        try:
            yield made
        finally:
            await containers.stop()


async def make_pod(made: EmbeddedTown, name: str, *containers: str) -> None:
    """Make a pod that is Running, as a node would have it."""
    spec = {
        "nodeName": NODE,
        "containers": [{"name": one, "image": "x", "stdin": True} for one in containers],
    }
    meta = {"name": name, "namespace": "default"}
    pods = "/api/v1/namespaces/default/pods"
    tree = {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}
    await made.post(pods, tree)
    running = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}
    statuses = [
        {"name": one, "image": "x", "imageID": "x", "ready": True, "restartCount": 0,
         "state": running}
        for one in containers
    ]  # fmt: skip
    tree["status"] = {"phase": "Running", "podIP": "127.0.0.1", "containerStatuses": statuses}
    await made.post(f"{pods}/{name}/status", tree, "PUT")
