from collections.abc import Callable
from typing import Any

import pytest

from kubewright.embedded.node import AccessError, LogOptions
from tests.unit.embedded.node.world import World, a_world, container, pod


async def log(world: World, pod_name: str, container_name: str, **options: Any) -> None:
    """Read a log and throw it away."""
    wanted = LogOptions(**options)
    async for _ in world.node.access.logs("default", pod_name, container_name, wanted):
        pass


@pytest.mark.parametrize(
    ("read", "code", "message"),
    [
        (lambda w: log(w, "nobody", "main"), 404, 'pod "nobody" not found'),
        (lambda w: log(w, "web", "other"), 400, "container other is not valid for pod web"),
        (
            lambda w: log(w, "web", "main", previous=True),
            400,
            'previous terminated container "main" in pod "web" not found',
        ),
        (
            lambda w: log(w, "bad", "main"),
            400,
            'container "main" in pod "bad" is waiting to start: image can\'t be pulled',
        ),
        (
            lambda w: w.node.access.execute("default", "bad", "main", ["ls"]),
            500,
            'unable to upgrade connection: container not found ("main")',
        ),
        (lambda w: w.node.access.attach("default", "web", "x"), 400, "x is not valid for pod web"),
        (lambda w: w.node.access.connect("default", "bad", 80), 500, "the pod bad is not running"),
    ],
)
async def test_what_cannot_be_done_says_why(
    read: Callable[[World], object], code: int, message: str
) -> None:
    """In the words of the kubelet where it has some: kubectl prints them."""
    async with a_world() as world:
        await world.create(pod())
        await world.create(pod(name="bad", simulate="pull=error"))

        with pytest.raises(AccessError) as caught:
            await read(world)  # type: ignore[misc]

        assert caught.value.code == code
        assert message in str(caught.value)


async def test_the_log_of_what_waits_for_its_image_says_so() -> None:
    """It is tried again and again, and kubectl logs can be, too."""
    async with a_world() as world:
        await world.create(pod(simulate="pull=error"), after=3)

        with pytest.raises(AccessError, match="start: trying and failing to pull image"):
            await log(world, "web", "main")


async def test_the_first_container_is_meant_if_none_is_named() -> None:
    """As kubectl exec does it."""
    async with a_world() as world:
        await world.create(pod(container("a"), container("b")))

        command = await world.node.access.execute("default", "web", "", ["true"])

        assert await command.wait() == 0
