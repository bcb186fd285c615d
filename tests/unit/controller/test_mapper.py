import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from kubewright._aio import VirtualClock
from kubewright.api.kind import ObjectKey
from kubewright.api.meta import ObjectMeta
from kubewright.cache.entry import Entry, Event
from kubewright.controller import Reason, Watches
from kubewright.controller.mapper import MOST_VERSIONS, Mapper
from kubewright.controller.mapping import MapContext, takes_context
from kubewright.errors import CacheNotSyncedError, DecodeError
from kubewright.kinds.core.v1 import ConfigMap
from kubewright.metrics import CounterValue
from kubewright.workqueue import LOW
from tests.unit.cluster.clusters import lab
from tests.unit.controller.test_sources import Heap
from tests.unit.controller.world import Shop, changed, entry

REASON = Reason("Shop", "MODIFIED", ObjectKey("default", "a"))


def mapper_of(
    map_: Callable[..., Any], clock: VirtualClock, **options: Any
) -> tuple[Mapper[Shop], Heap]:
    """Return a mapper, and where its requests go."""
    heap = Heap(clock)
    watch = Watches(Shop, map=map_)
    return Mapper(watch, heap, cluster="east", errors=CounterValue(), **options), heap


async def run_for(mapper: Mapper[Shop], clock: VirtualClock, seconds: float) -> None:
    """Run *mapper* for some seconds."""
    task = asyncio.create_task(mapper.run())
    await clock.advance(seconds)
    task.cancel()
    await asyncio.wait([task])


def names(heap: Heap) -> list[str]:
    """Return what was asked for."""
    return [name for name, _, _ in heap.added]


def by_label(shop: Shop) -> list[str]:
    """Return what the annotations of a shop name."""
    return [shop.metadata.annotations["for"]]


def of(target: str, version: str) -> Entry[Shop]:
    """Return a shop that names *target*."""
    return entry(version=version, annotations={"for": target})


async def test_both_states_of_an_object_are_mapped_at_once() -> None:
    """Who was concerned before has to hear that this is over."""
    mapper, heap = mapper_of(by_label, VirtualClock())

    mapper.hear(changed(of("old", "1"), of("new", "2")), REASON)

    assert names(heap) == ["east:default/new", "east:default/old"]


async def test_the_first_list_has_low_priority() -> None:
    """It must not stand in the way of live changes."""
    mapper, heap = mapper_of(by_label, VirtualClock())

    mapper.hear(Event(None, of("a", "1"), initial=True), REASON)

    assert [priority for _, _, priority in heap.added] == [LOW]


async def test_a_function_that_fails_is_asked_again_until_it_answers() -> None:
    """The event would be lost otherwise, and with it a reconcile that nothing else brings."""
    clock, broken = VirtualClock(), True

    def fails_at_first(shop: Shop) -> list[str]:
        if broken:
            raise OSError("not now")
        return by_label(shop)

    mapper, heap = mapper_of(fails_at_first, clock)
    mapper.hear(changed(of("old", "1"), of("new", "2")), REASON)
    task = asyncio.create_task(mapper.run())
    await clock.advance(10)
    during = names(heap)
    broken = False
    await clock.advance(60)
    task.cancel()
    await asyncio.wait([task])

    assert during == []
    assert sorted(names(heap)) == ["east:default/new", "east:default/old"]
    assert len(mapper) == 0


async def test_an_async_function_is_asked_in_a_task_and_misses_no_state() -> None:
    """While it waits for somebody, the object goes on changing."""
    clock = VirtualClock()

    async def slow(shop: Shop) -> list[str]:
        await clock.sleep(1)
        return by_label(shop)

    mapper, heap = mapper_of(slow, clock)
    mapper.hear(Event(None, of("one", "1")), REASON)
    mapper.hear(changed(of("one", "1"), of("two", "2")), REASON)
    mapper.hear(changed(of("two", "2"), of("three", "3")), REASON)

    await run_for(mapper, clock, 5)

    assert sorted(names(heap)) == ["east:default/one", "east:default/three", "east:default/two"]


async def test_a_plain_function_around_an_async_one_is_noticed() -> None:
    """A lambda does not show what it returns before it is called."""
    clock = VirtualClock()

    async def slow(shop: Shop) -> list[str]:
        await clock.sleep(1)
        return by_label(shop)

    mapper, heap = mapper_of(lambda shop: slow(shop=shop), clock)
    mapper.hear(changed(of("old", "1"), of("new", "2")), REASON)

    await run_for(mapper, clock, 5)

    assert sorted(names(heap)) == ["east:default/new", "east:default/old"]


async def test_an_async_function_that_hangs_is_given_up_and_asked_again() -> None:
    """One question without an answer must not end all others."""
    clock, calls = VirtualClock(), 0

    async def hangs_at_first(shop: Shop) -> list[str]:
        nonlocal calls
        calls += 1
        if calls == 1:
            await asyncio.Event().wait()
        return by_label(shop)

    mapper, heap = mapper_of(hangs_at_first, clock)
    mapper.hear(Event(None, of("a", "1")), REASON)

    await run_for(mapper, clock, 70)

    assert names(heap) == ["east:default/a"]


async def test_what_does_not_fit_the_class_is_left_out_at_once() -> None:
    """Its bytes will not become better by waiting."""

    class Broken:
        def unpack(self, packed: bytes, packing: int) -> bytes:
            return packed

        def decode(self, raw: bytes) -> Shop:
            raise DecodeError("spec.size: expected int")

    mapper, heap = mapper_of(by_label, VirtualClock())
    odd = of("a", "1")
    unreadable = msgspec.structs.replace(odd, codec=Broken())

    mapper.hear(Event(None, unreadable), REASON)

    assert (names(heap), len(mapper)) == ([], 0)


async def test_states_do_not_gather_without_end_while_the_function_fails() -> None:
    """The first and the last are kept: who was concerned, and who is."""
    clock, broken = VirtualClock(), True

    def fails(shop: Shop) -> list[str]:
        if broken:
            raise OSError
        return by_label(shop)

    mapper, heap = mapper_of(fails, clock)
    for number in range(500):
        mapper.hear(
            changed(of(f"n{number}", str(number)), of(f"n{number + 1}", str(number + 1))), REASON
        )
    broken = False

    await run_for(mapper, clock, 60)

    assert len(set(names(heap))) == MOST_VERSIONS
    assert {"east:default/n1", "east:default/n500"} <= set(names(heap))


async def test_a_cancelled_task_that_it_waited_for_is_a_failure_like_any_other() -> None:
    """Taken for our own end, it would lose the change."""
    clock, asked = VirtualClock(), 0

    async def find(shop: Shop) -> list[str]:
        nonlocal asked
        asked += 1
        if asked == 1:
            other = asyncio.create_task(clock.sleep(1))
            other.cancel()
            await other
        return ["found"]

    mapper, heap = mapper_of(find, clock)
    mapper.hear(Event(None, entry()), REASON)
    await run_for(mapper, clock, 1)

    assert names(heap) == ["east:default/found"]


@pytest.mark.parametrize("ending", [asyncio.CancelledError, GeneratorExit])
async def test_a_function_that_cancels_itself_is_asked_again(ending: type[BaseException]) -> None:
    """One of the eight that ask would be gone with each of them, and then all."""
    clock, asked = VirtualClock(), 0

    async def find(shop: Shop) -> list[str]:
        nonlocal asked
        asked += 1
        if asked <= 10:
            task = asyncio.current_task()
            assert task is not None
            if ending is GeneratorExit:
                raise GeneratorExit
            task.cancel()
            await asyncio.sleep(0)
        return ["found"]

    mapper, heap = mapper_of(find, clock)
    mapper.hear(Event(None, entry()), REASON)
    await run_for(mapper, clock, 300)

    assert names(heap) == ["east:default/found"]


@pytest.mark.parametrize("ending", [asyncio.CancelledError, GeneratorExit])
async def test_a_plain_function_may_raise_what_ends_tasks(ending: type[BaseException]) -> None:
    """It looks at a future that was cancelled, say; the task that asks again is not meant."""
    clock, asked = VirtualClock(), 0

    def find(shop: Shop) -> list[str]:
        nonlocal asked
        asked += 1
        if asked <= 3:
            raise ending
        return ["found"]

    mapper, heap = mapper_of(find, clock)
    mapper.hear(Event(None, entry()), REASON)
    await run_for(mapper, clock, 300)

    assert names(heap) == ["east:default/found"]


async def test_a_function_with_two_parameters_can_ask_the_cache() -> None:
    """Which of mine refer to this one? The answer is where the objects are."""
    clock = VirtualClock()
    async with lab() as made:
        await made.other.create(ConfigMap(metadata=ObjectMeta(name="mine", namespace="default")))
        made.cluster.cache.informer(ConfigMap, indexes={"name": lambda one: [one.metadata.name]})
        await made.start()

        def users(shop: Shop, ctx: MapContext) -> list[ConfigMap]:
            return ctx.cache.list(ConfigMap, index="name", value="mine")

        mapper, heap = mapper_of(users, clock, home=made.cluster)
        mapper.hear(Event(None, of("a", "1")), REASON)

        assert names(heap) == ["east:default/mine"]


async def test_what_the_function_looks_for_may_not_be_there_yet(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """At the start the kinds arrive in any order: it is asked again, and that is no failure."""
    clock, ready = VirtualClock(), list[bool]()

    def users(shop: Shop) -> list[str]:
        if not ready:
            raise CacheNotSyncedError("its first list is not complete")
        return ["mine"]

    mapper, heap = mapper_of(users, clock)
    mapper.hear(Event(None, of("a", "1")), REASON)
    ready.append(True)
    await run_for(mapper, clock, 1)

    assert names(heap) == ["east:default/mine"]
    assert caplog.text == ""


def test_only_a_second_parameter_that_must_be_given_is_for_the_context() -> None:
    """``lambda pod, name=name: [name]`` keeps a value of the user's own."""

    class Finder:
        def __call__(self, shop: Shop, ctx: MapContext) -> list[str]:
            return []

    with_default: Callable[..., Any] = lambda shop, name="a": [name]  # noqa: E731  # as users write
    assert [takes_context(one) for one in (by_label, with_default, Finder(), print)] == [
        False,
        False,
        True,
        False,
    ]
