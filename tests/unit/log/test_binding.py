"""Fields that belong to a block."""

import asyncio

import pytest

from kubewright.log import bind, bound, rebind


def test_fields_last_as_long_as_their_block() -> None:
    """The inner block adds to the outer one, and takes its own away again."""
    with bind(controller="at"):
        with bind(name="a"):
            assert dict(bound()) == {"controller": "at", "name": "a"}
        assert dict(bound()) == {"controller": "at"}

    assert not bound()


async def test_a_task_can_change_its_fields_with_its_work() -> None:
    """A worker has a new run every time, and most of them log nothing."""
    made: list[str] = []

    def fields(name: str) -> dict[str, str]:
        made.append(name)
        return {"name": name}

    async def started() -> dict[str, object]:
        await asyncio.sleep(0)
        return dict(bound())

    rebind(lambda: fields("a"))
    assert made == []
    with bind(namespace="x"):
        assert dict(bound()) == {"name": "a", "namespace": "x"}
    late = asyncio.create_task(started())
    rebind(lambda: fields("b"))

    assert dict(bound()) == {"name": "b"}
    assert await late == {"name": "a"}


def test_an_error_ends_the_block_too() -> None:
    """It passes through."""
    with pytest.raises(KeyError), bind(name="a"):
        raise KeyError

    assert not bound()


async def test_a_task_started_inside_keeps_the_fields() -> None:
    """What a reconcile starts belongs to it, and so does what it sends to a thread."""

    async def fields() -> dict[str, object]:
        return dict(bound())

    with bind(name="a"):
        task = asyncio.create_task(fields())
        thread = asyncio.create_task(asyncio.to_thread(lambda: dict(bound())))

    assert await task == await thread == {"name": "a"}
