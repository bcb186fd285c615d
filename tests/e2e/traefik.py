"""Real etcd and real Traefik as processes, servers behind them, and requests through them."""

import asyncio
import base64
import http.client
import json
import os
import socket
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable
from inspect import getsource
from pathlib import Path
from typing import Any, NamedTuple, Self

from kubewright._pki.authority import Authority
from kubewright.testing.process import Process
from tests.e2e.greeter import Greeter

VENV = Path(os.environ.get("E2E_VENV", Path(__file__).parents[2] / ".venv-e2e"))
TIMEOUT = 30.0
POLL_EVERY = 0.05


def free_port(host: str = "127.0.0.1") -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port


async def eventually(holds: Callable[[], Any], *, timeout: float = TIMEOUT) -> Any:
    """Return what *holds* returns, once that is true; neither Traefik nor etcdctl can wait."""
    deadline = time.monotonic() + timeout
    while not (found := await asyncio.to_thread(holds)):
        assert time.monotonic() < deadline, f"not within {timeout:g} s: {getsource(holds)}"
        await asyncio.sleep(POLL_EVERY)
    return found


class EtcdServer:
    """etcd, which can be stopped and started again; what it was told is kept.

    Args:
        folder: Where it keeps things.
        tls: Whether it asks for certificates, and has one.
    """

    def __init__(self, folder: Path, *, tls: bool = False) -> None:
        scheme = "https" if tls else "http"
        self.url = f"{scheme}://127.0.0.1:{free_port()}"
        self.environment = {"ETCD_ENDPOINTS": self.url}
        """How operators find it."""
        self._peers = f"http://127.0.0.1:{free_port()}"
        self._folder = folder
        self._process: Process | None = None
        self._flags = self._secured() if tls else []
        self._ctl_flags = [f"--{name.lower()}={file}" for name, file in self._files()]

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start it, and return when it answers."""
        command = [
            f"{VENV}/bin/etcd", f"--data-dir={self._folder}/etcd", "--unsafe-no-fsync",
            f"--listen-client-urls={self.url}", f"--advertise-client-urls={self.url}",
            f"--listen-peer-urls={self._peers}", f"--initial-advertise-peer-urls={self._peers}",
            f"--initial-cluster=default={self._peers}", "--log-level=warn", *self._flags,
        ]  # fmt: skip
        self._process = Process("etcd", command, log=self._folder / "etcd.log")
        self._process.start()
        self._process.wait_until(self._answers, timeout=TIMEOUT)

    def stop(self) -> None:
        """Stop it; requests are refused from now on."""
        if self._process is not None:
            self._process.stop()

    def keys(self, prefix: str = "") -> dict[str, str]:
        """Return all keys that begin with *prefix*, and their values; as etcdctl tells it."""
        answer = json.loads(self._ctl("get", "--prefix", prefix))
        return {_text(kv["key"]): _text(kv.get("value", "")) for kv in answer.get("kvs", ())}

    def revision(self) -> int:
        """Return a number that each write makes larger."""
        return int(json.loads(self._ctl("get", "none"))["header"]["revision"])

    def put(self, key: str, value: str) -> None:
        """Write a key, as somebody else."""
        self._ctl("put", "--", key, value)

    def delete(self, key: str) -> None:
        """Delete a key, as somebody else."""
        self._ctl("del", key)

    def _ctl(self, *arguments: str) -> str:
        command = [f"{VENV}/bin/etcdctl", f"--endpoints={self.url}", "--write-out=json"]
        done = subprocess.run(
            [*command, *self._ctl_flags, *arguments], env={"ETCDCTL_API": "3"},
            capture_output=True, text=True, timeout=TIMEOUT, check=True,
        )  # fmt: skip
        return done.stdout

    def _answers(self) -> bool:
        try:
            self._ctl("get", "none")
        except subprocess.CalledProcessError:
            return False
        return True

    def _files(self) -> list[tuple[str, str]]:
        files = [(name.removeprefix("ETCD_"), file) for name, file in self.environment.items()]
        return [(name, file) for name, file in files if name != "ENDPOINTS"]

    def _secured(self) -> list[str]:
        """Make certificates; return the flags that name them."""
        authority, flags = Authority("etcd"), ["--client-cert-auth"]
        pairs = {"": authority.serving("127.0.0.1"), "client-": authority.client("operator")}
        for name, pair in pairs.items():
            for end, content in (("cert", pair.certificate), ("key", pair.key)):
                path = self._folder / f"{name}{end}.pem"
                path.write_bytes(content)
                # The second pair is the one with which etcd asks itself, for its JSON.
                flags.append(f"--{name}{end}-file={path}")
        (self._folder / "ca.pem").write_bytes(authority.certificate)
        self.environment |= {
            "ETCD_CACERT": f"{self._folder}/ca.pem",
            "ETCD_CERT": f"{self._folder}/client-cert.pem",
            "ETCD_KEY": f"{self._folder}/client-key.pem",
        }
        return [*flags, f"--trusted-ca-file={self._folder}/ca.pem"]


class Answer(NamedTuple):
    """The answer."""

    status: int
    text: str


class TraefikServer:
    """Traefik, with one entry point ``web`` and the etcd provider."""

    def __init__(self, etcd: EtcdServer, folder: Path) -> None:
        self.web = f"http://127.0.0.1:{free_port()}"
        self.api = f"http://127.0.0.1:{free_port()}"
        command = [
            f"{VENV}/bin/traefik", "--api.insecure=true", "--log.level=INFO",
            f"--entrypoints.web.address={self.web.removeprefix('http://')}",
            f"--entrypoints.traefik.address={self.api.removeprefix('http://')}",
            f"--providers.etcd.endpoints={etcd.url.removeprefix('http://')}",
            "--global.checknewversion=false", "--global.sendanonymoususage=false",
        ]  # fmt: skip
        self._process = Process("traefik", command, log=folder / "traefik.log")

    def __enter__(self) -> Self:
        self._process.start()
        self._process.wait_until(lambda: self._listed("routers") is not None, timeout=TIMEOUT)
        return self

    def __exit__(self, *exc: object) -> None:
        self._process.stop()

    def get(self, path: str) -> Answer:
        """Make a request through it."""
        return _get(self.web, path)

    def routers(self) -> set[str]:
        """Return the names of the routers that it has from etcd."""
        names = [router["name"] for router in self._listed("routers") or ()]
        return {name.removesuffix("@etcd") for name in names if name.endswith("@etcd")}

    def servers(self, name: str) -> set[str]:
        """Return the addresses behind the service *name*."""
        found = self._listed(f"services/{name}@etcd") or {}
        return {server["url"] for server in found.get("loadBalancer", {}).get("servers", ())}

    def _listed(self, what: str) -> Any:
        try:
            answer = _get(self.api, f"/api/http/{what}?per_page=1000")
        except OSError:
            return None
        return json.loads(answer.text) if answer.status == 200 else None


class Backend:
    """An HTTP server that answers every request with its name."""

    def __init__(self, name: str, host: str = "127.0.0.1") -> None:
        self.name, self.host = name, host
        self._server = Greeter(host, 0, name)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(POLL_EVERY,))
        self.port: int = self._server.server_address[1]
        self.url = f"http://{host}:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class Traffic:
    """Requests for one path from several clients, a hundred a second each, and their results."""

    def __init__(self, traefik: TraefikServer, path: str, *, clients: int = 4) -> None:
        self._answers: list[Answer] = []
        self._traefik, self._path = traefik, path
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._flow) for _ in range(clients)]

    @property
    def answers(self) -> Counter[Answer]:
        """The results, and how often each came."""
        return Counter(self._answers)

    @property
    def names(self) -> set[str]:
        """Who answered."""
        return {answer.text for answer in self.answers}

    @property
    def failures(self) -> list[Answer]:
        """The answers that users would not like."""
        return [answer for answer in self.answers if answer.status != 200]

    def _flow(self) -> None:
        while not self._over.wait(0.01):
            try:
                self._answers.append(self._traefik.get(self._path))
            except OSError as error:
                self._answers.append(Answer(0, repr(error)))

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()


def _get(server: str, path: str) -> Answer:
    connection = http.client.HTTPConnection(server.removeprefix("http://"), timeout=TIMEOUT)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return Answer(response.status, response.read().decode())
    except http.client.HTTPException as error:
        raise OSError(repr(error)) from error
    finally:
        connection.close()


def _text(encoded: str) -> str:
    return base64.b64decode(encoded).decode()
