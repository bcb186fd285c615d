from typing import Any

import pytest

from kubewright.embedded.node import AccessError, LogOptions, Node
from kubewright.kinds.core.v1 import (
    ExecAction,
    GRPCAction,
    HTTPGetAction,
    Lifecycle,
    LifecycleHandler,
    Probe,
    TCPSocketAction,
)
from tests.unit.embedded.node.world import a_world, container, pod


async def log_of(node: Node, name: str = "web", **options: Any) -> bytes:
    """Return a whole log."""
    wanted = LogOptions(**options)
    return b"".join([data async for data in node.access.logs("default", name, "main", wanted)])


async def test_what_a_command_says_is_in_the_log() -> None:
    """``kubectl logs example-at-pod`` prints YAY."""
    async with a_world() as world:
        await world.create(pod(container(command=["echo", "YAY"]), restart_policy="Never"))

        assert await log_of(world.node) == b"YAY\n"
        assert await log_of(world.node, timestamps=True) == b"2026-01-01T00:00:00.000000000Z YAY\n"


async def test_the_log_of_the_run_before_is_kept() -> None:
    """``kubectl logs --previous`` is how one reads a crash."""
    async with a_world() as world:
        await world.create(pod(simulate="log=first exit=1; log=second run"), after=1)

        assert await log_of(world.node) == b"second\n"
        assert await log_of(world.node, previous=True) == b"first\n"


async def test_every_port_answers_by_http_without_a_socket() -> None:
    """Port-forwarding to an image that is only a name shows something."""
    async with a_world() as world:
        await world.create(pod())

        connection = await world.node.access.connect("default", "web", 8080)
        await connection.write(b"GET / HTTP/1.1\r\nHost: web\r\n\r\n")

        answer = await connection.read()
        assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
        assert answer.endswith(b"This is web: nginx, simulated by Kubewright.\n")
        await connection.close()
        assert await connection.read() == b""


@pytest.mark.parametrize(
    ("command", "output", "code"),
    [
        (["echo", "hello"], b"hello\n", 0),
        (["sh", "-c", "echo $A; exit 4"], b"\n", 4),
    ],
)
async def test_a_command_in_a_simulated_container_pretends(
    command: list[str], output: bytes, code: int
) -> None:
    """One that is understood writes what it would write."""
    async with a_world() as world:
        await world.create(pod())

        made = await world.node.access.execute("default", "web", "main", command)
        await made.write(b"ignored")
        await made.close_input()
        made.resize(80, 24)
        written = b"".join([data async for _, data in made.output()])

        assert (written, await made.wait()) == (output, code)
        await made.close()


async def test_a_command_that_is_not_understood_fails_and_says_why() -> None:
    """A script that looks at the exit status must not go on as if something had run."""
    async with a_world() as world:
        await world.create(pod())

        with pytest.raises(AccessError) as caught:
            await world.node.access.execute("default", "web", "main", ["psql", "-c", "x"])

        assert str(caught.value) == (
            "'psql' did not run: the container 'main' is simulated. To run commands in it, give it"
            " a command of its own, and start the cluster without --simulate."
        )


@pytest.mark.parametrize(
    "probe",
    [
        Probe(exec=ExecAction(command=["pg_isready"])),
        Probe(http_get=HTTPGetAction(path="/healthz", port=80)),
        Probe(tcp_socket=TCPSocketAction(port=80)),
        Probe(grpc=GRPCAction(port=80)),
    ],
)
async def test_probes_and_hooks_of_a_simulated_container_succeed(probe: Probe) -> None:
    """Whatever they ask: nothing is there that could fail."""
    async with a_world() as world:
        hook = LifecycleHandler(exec=probe.exec, http_get=probe.http_get)
        has_hook = probe.exec is not None or probe.http_get is not None
        lifecycle = Lifecycle(post_start=hook) if has_hook else None
        made = container(readiness_probe=probe, liveness_probe=probe, lifecycle=lifecycle)

        found = await world.create(pod(made), after=60)

        [status] = found.status.container_statuses
        assert (status.ready, status.restart_count) == (True, 0)


async def test_a_probe_that_is_known_to_fail_fails() -> None:
    """A command that plainly fails, or a port that does not exist."""
    async with a_world() as world:
        bad = [
            Probe(exec=ExecAction(command=["false"])),
            Probe(http_get=HTTPGetAction(port="http")),
        ]
        found = [
            await world.create(pod(container(readiness_probe=one), name=f"web-{n}"), after=30)
            for n, one in enumerate(bad)
        ]

        assert not any(one.status.container_statuses[0].ready for one in found)


async def test_who_attaches_sees_what_comes_until_the_end() -> None:
    """And the exit code."""
    async with a_world() as world:
        script = ["sh", "-c", "echo a; sleep 5; echo b; exit 2"]
        await world.create(pod(container(command=script), restart_policy="Never"), after=1)

        attached = await world.node.access.attach("default", "web", "main")
        await world.settle(10)
        written = [data async for _, data in attached.output()]

        assert written == [b"b\n"]
        assert await attached.wait() == 2
        await attached.close()


async def test_a_simulated_container_that_ended_cannot_be_entered() -> None:
    """As a real one."""
    async with a_world() as world:
        await world.create(pod(container(command=["true"]), restart_policy="Never"))

        with pytest.raises(AccessError, match="container not found"):
            await world.node.access.execute("default", "web", "main", ["ls"])
