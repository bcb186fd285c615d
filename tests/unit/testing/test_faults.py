"""Faults at the transport seam do what their names say, and no more."""

import pytest

import kubewright as kw
from kubewright.errors import (
    ConflictError,
    GoneError,
    NotFoundError,
    ServerError,
    TransportError,
    TransportTimeoutError,
)
from kubewright.kinds.core.v1 import ConfigMap
from kubewright.testing import (
    Cut,
    EmbeddedServer,
    Hanging,
    Lost,
    NextFaults,
    RandomFaults,
    Refused,
    Silent,
    Slow,
    Unreachable,
    VirtualClock,
)
from kubewright.testing.faults import Fault


def config_map(name: str = "a") -> ConfigMap:
    return ConfigMap(metadata=kw.ObjectMeta(name=name))


@pytest.mark.parametrize(
    ("fault", "error", "stored"),
    [
        (Unreachable(), TransportError, False),
        (Hanging(60), TransportError, False),
        (Lost(), TransportError, True),
        (Refused(409), ConflictError, False),
        (Refused(410), GoneError, False),
        (Refused(500), ServerError, False),
    ],
)
async def test_a_write_fails_as_the_fault_says(
    fault: Fault, error: type[Exception], stored: bool
) -> None:
    """Only a lost answer leaves the object behind: that is what makes it hard."""
    clock = VirtualClock()
    faults = NextFaults([fault])
    async with EmbeddedServer(clock=clock) as server, server.client(faults=faults) as client:
        with pytest.raises(error):
            await clock.run(client.create(config_map()))

        assert (await client.find(ConfigMap, "a") is not None) is stored
        assert faults.left == 0


async def test_a_slow_answer_comes_after_its_time() -> None:
    """A request that says how long it waits gives up before; another one just waits."""
    clock = VirtualClock()
    faults = NextFaults([Slow(5), Slow(5)], matching=lambda request: "configmaps" in request.target)
    async with EmbeddedServer(clock=clock) as server, server.client(faults=faults) as client:
        await clock.run(client.create(config_map()))
        assert clock.monotonic() >= 5

        client.rest._timeout = 1
        with pytest.raises(TransportTimeoutError):
            await clock.run(client.create(config_map("b")))


async def test_a_cut_stream_ends_in_the_middle() -> None:
    """A watch goes on after a cut, and nothing of it is missing."""
    clock = VirtualClock()
    faults = NextFaults([Cut(300)], matching=lambda request: request.attempt.verb == "watch")
    async with EmbeddedServer(clock=clock) as server, server.client(faults=faults) as client:
        first = await client.create(config_map())
        version = first.metadata.resource_version
        for name in "bcd":
            await client.create(config_map(name))

        async def names() -> list[str]:
            seen: list[str] = []
            async with client.watch(
                ConfigMap, namespace="default", resource_version=version
            ) as events:
                async for event in events:
                    seen.append(event.key.name)
                    if len(seen) == 3:
                        break
            return seen

        assert await clock.run(names()) == ["b", "c", "d"]
        assert faults.left == 0


async def test_a_silent_stream_is_given_up_in_the_end() -> None:
    """The client has a deadline of its own for a server that says nothing any more."""
    clock = VirtualClock()
    faults = NextFaults([Silent()], matching=lambda request: request.attempt.verb == "watch")
    async with EmbeddedServer(clock=clock) as server, server.client(faults=faults) as client:
        first = await client.create(config_map())
        await client.create(config_map("b"))

        async with client.watch(
            ConfigMap, namespace="default", resource_version=first.metadata.resource_version
        ) as events:
            event = await clock.run(anext(events))

        assert event.key.name == "b"
        assert clock.monotonic() > 300


async def test_random_faults_are_the_same_for_the_same_seed() -> None:
    """A failure that a test found can be looked at again."""

    async def trouble() -> list[str]:
        clock = VirtualClock()
        faults = RandomFaults(3, rate=0.5)
        seen = []
        async with EmbeddedServer(clock=clock) as server, server.client(faults=faults) as client:
            for index in range(30):
                try:
                    await clock.run(client.create(config_map(f"c{index}")))
                    seen.append("ok")
                except (kw.APIError, TransportError) as error:
                    seen.append(type(error).__name__)
            faults.heal()
            with pytest.raises(NotFoundError):
                await client.get(ConfigMap, "never")
        return seen

    first, second = await trouble(), await trouble()

    assert first == second
    assert len(set(first)) > 2
