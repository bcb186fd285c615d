"""The podwatch operator as a process: its log, its registry, and its door for others."""

import asyncio
import json
import socket
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

import pytest

import kubewright as kw
from kubewright.kinds.core.v1 import Pod
from tests.e2e.conftest import Start
from tests.e2e.kubectl import Kubectl
from tests.e2e.program import EXAMPLES, Program

SAMPLE = EXAMPLES / "podwatch" / "samples" / "pod.yaml"
NAME = "example-pod"


@dataclass
class Watcher:
    """The operator, and the address of its endpoint."""

    program: Program
    url: str

    async def seen(self, text: str, *, after: int = 0) -> dict[str, Any]:
        """Wait for a line about a pod with *text*, and return its fields.

        How many lines there are without an address depends on how fast it gets one.
        """
        line = await asyncio.to_thread(self.program.wait_for_line, text, after=after)
        fields: dict[str, Any] = json.loads(line)
        assert fields["msg"] == "pod seen"
        return fields

    async def ask(self, method: str, path: str) -> tuple[int, Any]:
        """Send a request; return the status and the content of the answer."""
        request = urllib.request.Request(self.url + path, method=method)
        return await asyncio.to_thread(_answer, request)


def _answer(request: urllib.request.Request) -> tuple[int, Any]:
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


@pytest.fixture
async def watcher(start: Start) -> Watcher:
    """The operator, once its endpoint listens."""
    program = start("podwatch", environment={"PODWATCH_PORT": "0"})
    line = await asyncio.to_thread(program.wait_for_line, "endpoint listens")
    return Watcher(program, json.loads(line)["address"])


async def address(client: kw.Client) -> str:
    """Wait until the pod has an address, and return it."""
    pod = await kw.wait_for(
        client, Pod, NAME, lambda pod: pod is not None and bool(pod.status.pod_ip), timeout=60
    )
    assert pod is not None
    return pod.status.pod_ip or ""


async def test_name_labels_and_address_are_fields_of_the_log(
    client: kw.Client, kubectl: Kubectl, watcher: Watcher
) -> None:
    """When it has got its address, and when its labels change; and not otherwise."""
    kubectl("apply", "--filename", str(SAMPLE))
    ip = await address(client)
    first = await watcher.seen(ip)
    kubectl("annotate", "pod", NAME, "nothing=new")
    kubectl("label", "pod", NAME, "tier=front")
    second = await watcher.seen("tier")

    keys = ("namespace", "name", "labels", "ip")
    assert [[one.get(key) for key in keys] for one in (first, second)] == [
        [client.namespace, NAME, {"app": "example"}, ip],
        [client.namespace, NAME, {"app": "example", "tier": "front"}, ip],
    ]
    assert watcher.program.output.count(ip) == 2


async def test_it_only_looks(client: kw.Client, kubectl: Kubectl, watcher: Watcher) -> None:
    """The pods are not ours: the server has never seen a write of the operator's to one."""
    kubectl("apply", "--filename", str(SAMPLE))
    ip = await address(client)
    await watcher.seen(ip)
    await watcher.ask("POST", f"/reconcile/{client.namespace}/{NAME}")
    await watcher.seen(ip, after=1)

    pod = await client.get(Pod, NAME)

    writers = {one.manager for one in pod.metadata.managed_fields}
    assert writers
    assert "podwatch" not in writers


async def test_the_registry_finds_a_pod_by_its_address_until_it_is_gone(
    client: kw.Client, kubectl: Kubectl, watcher: Watcher
) -> None:
    """An address may belong to another pod tomorrow."""
    kubectl("apply", "--filename", str(SAMPLE))
    ip = await address(client)
    await watcher.seen(ip)

    found = await watcher.ask("GET", f"/pods/{ip}")
    everything = await watcher.ask("GET", "/pods")
    kubectl("delete", "pod", NAME, "--grace-period=1")
    kubectl("run", "barrier", "--image=nginx")  # what happened before it is known by then
    await watcher.seen("barrier")
    left = await watcher.ask("GET", f"/pods/{ip}")

    pod = {"namespace": client.namespace, "name": NAME, "labels": {"app": "example"}, "ip": ip}
    assert found == (200, [pod])
    assert everything == (200, [pod])
    assert left == (200, [])


async def test_somebody_outside_can_ask_for_a_reconcile(
    client: kw.Client, kubectl: Kubectl, watcher: Watcher
) -> None:
    """The door for a web hook or a message queue."""
    kubectl("apply", "--filename", str(SAMPLE))
    ip = await address(client)
    await watcher.seen(ip)

    queued = await watcher.ask("POST", f"/reconcile/{client.namespace}/{NAME}")
    missing = await watcher.ask("POST", f"/reconcile/{client.namespace}/nobody")

    assert queued == (202, f"{client.namespace}/{NAME} is queued")
    assert missing[0] == 404
    assert (await watcher.seen(ip, after=1))["name"] == NAME


async def test_who_does_not_speak_http_disturbs_nobody(watcher: Watcher) -> None:
    """A port is open to everything that can reach it."""
    host, _, port = watcher.url.removeprefix("http://").partition(":")
    for nonsense in (b"", b"\r\n", b"HELLO\r\n\r\n", b"\xff\xfe\r\n\r\n", b"x" * 100_000):
        with socket.create_connection((host, int(port)), timeout=10) as other:
            other.sendall(nonsense)

    assert (await watcher.ask("GET", "/nowhere"))[0] == 404
    assert watcher.program.stop() == 0
    assert "Traceback" not in watcher.program.output
