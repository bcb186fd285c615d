"""Watchers in a storm: each can rebuild, from its events alone, exactly what it would list."""

import asyncio
import contextlib
import random
from typing import Any

import pytest

from kubewright.apiserver.server import APIServer
from kubewright.apiserver.wire.http import HTTPServer
from tests.robustness.wire import CONFIG_MAPS, MERGE, Obj, Wire

SELECTORS = (
    "",
    "labelSelector=color%3Dred",
    "labelSelector=color+notin+(red)",
    "labelSelector=!color",
    "fieldSelector=metadata.name%3Da3",
    "fieldSelector=metadata.name!%3Da3",
    "labelSelector=color%3Dblue&fieldSelector=metadata.name!%3Da1",
)
COLORS = ("red", "blue", "green", None)


class Mirror:
    """What one watcher makes of its events."""

    def __init__(self, wire: Wire, query: str) -> None:
        self.query = query
        self.objects: dict[str, Obj] = {}
        self.faults: list[str] = []
        self._last = 0
        self._wire = wire

    async def follow(self, since: str) -> None:
        """Take events until the object ``end`` comes or matches no watcher but this one's."""
        target = f"{CONFIG_MAPS}?watch=1&resourceVersion={since}&{self.query}"
        async for event in self._wire.watch(target):
            self._take(event["type"], event["object"])

    def _take(self, sort: str, obj: Obj) -> None:
        name, version = obj["metadata"]["name"], int(obj["metadata"]["resourceVersion"])
        if version <= self._last:
            self.faults.append(f"{sort} {name} goes back to {version}")
        if (sort == "ADDED") == (name in self.objects):
            self.faults.append(f"{sort} {name}, which was {'' if sort == 'ADDED' else 'not '}there")
        self._last = version
        if sort == "DELETED":
            self.objects.pop(name, None)
        else:
            self.objects[name] = obj

    async def settle(self, listed: Obj) -> None:
        """Wait until this knows all of *listed*, or has known it long enough to be wrong."""
        wanted = {item["metadata"]["name"]: item["metadata"] for item in listed["items"]}
        for _ in range(200):
            if {name: obj["metadata"] for name, obj in self.objects.items()} == wanted:
                return
            await asyncio.sleep(0.01)
        self.faults.append(f"{sorted(self.objects)} instead of {sorted(wanted)}")


async def write(wire: Wire, seed: int) -> None:
    """Do random things to few objects; whether one of them succeeds is not the question."""
    chance = random.Random(seed)
    for _ in range(60):
        name, color = f"a{chance.randrange(6)}", chance.choice(COLORS)
        one, labels = f"{CONFIG_MAPS}/{name}", {"color": color} if color else {}
        body: Obj = {"metadata": {"name": name, "labels": labels}}
        kept = {"metadata": {**body["metadata"], "finalizers": ["a.b/c"]}}
        answer = await wire.ask(
            *chance.choice(
                (
                    ("POST", CONFIG_MAPS, body),
                    ("POST", CONFIG_MAPS, kept),
                    ("DELETE", one),
                    ("PATCH", one, {"metadata": {"labels": labels}}),
                    ("PATCH", one, {"metadata": {"finalizers": None}}),
                    ("PUT", one, body),
                )
            )
        )
        assert answer.status in (200, 201, 404, 409), answer


async def test_every_watcher_rebuilds_what_a_list_shows(wire: Wire) -> None:
    """No event is lost, doubled or out of order, whatever is selected and whenever one begins."""
    begin = (await wire.ask("GET", CONFIG_MAPS)).version
    mirrors = [Mirror(wire, SELECTORS[n % len(SELECTORS)]) for n in range(50)]

    async with asyncio.TaskGroup() as group:
        watching = [group.create_task(mirror.follow(begin)) for mirror in mirrors[:40]]
        writing = [group.create_task(write(wire, seed)) for seed in range(8)]
        await asyncio.sleep(0)
        for mirror in mirrors[40:]:  # these come late, and are told what they missed
            watching.append(group.create_task(mirror.follow(begin)))
            await asyncio.sleep(0.01)
        await asyncio.gather(*writing)
        for mirror in mirrors:
            await mirror.settle((await wire.ask("GET", f"{CONFIG_MAPS}?{mirror.query}")).body)
        for task in watching:
            task.cancel()

    assert [fault for mirror in mirrors for fault in mirror.faults] == []


async def test_who_does_not_read_holds_up_nobody(
    api: APIServer, front: HTTPServer, wire: Wire
) -> None:
    """A watcher that sleeps is not waited for, and what it missed is not kept for it."""
    sleepers = [await wire.connect() for _ in range(20)]
    begin = (await wire.ask("GET", CONFIG_MAPS)).version
    for _, writer in sleepers:
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # a reading transport
        writer.write(wire.head("GET", f"{CONFIG_MAPS}?watch=1&resourceVersion={begin}"))
    reader = Mirror(wire, "")
    big = {"metadata": {"name": "a"}, "data": {"k": "v" * 200_000}}
    await wire.ask("POST", CONFIG_MAPS, big)

    async with asyncio.TaskGroup() as group:
        task = group.create_task(reader.follow(begin))
        for n in range(60):
            change = {"data": {"n": str(n)}}
            await wire.ask("PATCH", f"{CONFIG_MAPS}/a", change, media=MERGE)
        await reader.settle((await wire.ask("GET", CONFIG_MAPS)).body)
        task.cancel()

    assert reader.faults == []
    assert sum(_buffered(connection) for connection in front._connections) < 20 * 1_000_000
    for _, writer in sleepers:
        writer.transport.abort()
    await until(lambda: not watchers(api))


def _buffered(connection: Any) -> int:
    return int(connection._transport.get_write_buffer_size())


def watchers(api: APIServer) -> int:
    """Return how many watchers the server knows."""
    return sum(len(one._watchers) for one in api.store._collections.values())


async def until(holds: Any) -> None:
    """Wait for something that is about to be so."""
    for _ in range(300):
        if holds():
            return
        await asyncio.sleep(0.01)
    pytest.fail("it did not come to that")


@pytest.mark.parametrize(
    "target",
    [
        f"{CONFIG_MAPS}?watch=1",
        f"{CONFIG_MAPS}?watch=1&resourceVersion=1",
        f"{CONFIG_MAPS}?watch=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan",
        "/api/v1/watch/configmaps",
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_who_leaves_is_forgotten(
    api: APIServer, wire: Wire, method: str, target: str
) -> None:
    """A thousand watches that come and go leave nothing behind."""
    own = watchers(api)
    for _ in range(25):
        connection = [await wire.connect() for _ in range(5)]
        for _, writer in connection:
            writer.write(wire.head(method, target))
            with contextlib.suppress(ConnectionError):
                await writer.drain()
        await asyncio.sleep(0)
        for _, writer in connection:
            writer.transport.abort()

    await until(lambda: watchers(api) == own)


async def test_who_does_not_read_is_cut_off(api: APIServer, front: HTTPServer, wire: Wire) -> None:
    """A watcher for which 16 MB of events wait is ended, whatever it is being sent."""
    large = {"k": "v" * 1_000_000}
    for n in range(8):
        await wire.ask("POST", CONFIG_MAPS, {"metadata": {"name": f"a{n}"}, "data": large})
    own, sleepers = watchers(api), [await wire.connect() for _ in range(10)]
    for place, (_, writer) in enumerate(sleepers):
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # a reading transport
        since = "&resourceVersion=1" if place % 2 else ""
        writer.write(wire.head("GET", f"{CONFIG_MAPS}?watch=1{since}"))
    await until(lambda: watchers(api) == own + 10)

    for n in range(40):
        answer = await wire.ask("PATCH", f"{CONFIG_MAPS}/a0", {"data": {"n": str(n)}}, media=MERGE)
        assert answer.status == 200

    found = [one for each in api.store._collections.values() for one in each._watchers]
    assert sum(one.ended for one in found) == 10
    assert sum(one._size for one in found) == 0
    assert sum(_buffered(connection) for connection in front._connections) < 10 * 3_000_000
    for _, writer in sleepers:
        writer.transport.abort()
    await until(lambda: watchers(api) == own)
