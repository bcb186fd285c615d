"""Fields that belong to a block."""

import asyncio

import pytest

from kubewright.log import bind, bound


def test_fields_last_as_long_as_their_block() -> None:
    """The inner block adds to the outer one, and takes its own away again."""
    with bind(controller="at"):
        with bind(name="a"):
            assert dict(bound()) == {"controller": "at", "name": "a"}
        assert dict(bound()) == {"controller": "at"}

    assert not bound()


def test_fields_can_be_made_when_a_line_needs_them() -> None:
    """A controller has a block for each reconcile, and most of them log nothing."""
    made: list[str] = []

    def fields() -> dict[str, str]:
        made.append("fields")
        return {"name": "a"}

    with bind(fields):
        assert made == []
        assert dict(bound()) == {"name": "a"}
        with bind(namespace="x"):
            assert dict(bound()) == {"name": "a", "namespace": "x"}
    with bind(controller="at"), bind(fields):
        assert dict(bound()) == {"controller": "at", "name": "a"}

    assert not bound()


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
