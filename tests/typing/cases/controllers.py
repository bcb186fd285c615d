"""Map functions and predicates are checked against the kind that is watched."""

from typing import assert_type

from kubewright.cache.entry import Event
from kubewright.controller import (
    Controller,
    For,
    Owns,
    Request,
    Result,
    Run,
    Watches,
    content_changed,
    generation_changed,
    predicate,
)
from kubewright.kinds.core.v1 import Pod, Secret


def of_secret(secret: Secret) -> list[str]:
    return [secret.metadata.name]


async def asked(secret: Secret) -> list[Request]:
    return [Request("default", secret.metadata.name)]


@predicate
def large(event: Event[Secret]) -> bool:
    return len(event.entry.object.data) > 5


async def reconcile(request: Request, run: Run) -> Result | None:
    return Result(requeue_after=float(run.attempt))


async def of_something_else(request: str) -> None: ...


def right() -> None:
    watches = [Watches(Secret, map=of_secret), Watches(Secret, map=asked)]
    Watches(Secret, map=lambda secret: [secret.metadata.name])
    For(Secret, predicate=large & generation_changed)
    For(Pod, predicate=generation_changed)
    For(Pod, predicate=content_changed(lambda pod: pod.spec.containers))
    assert_type(Owns(Pod), Owns[Pod])
    Controller("a", reconcile, for_=Pod, owns=[Pod, Owns(Secret)], watches=watches)


def wrong() -> None:
    Watches(Pod, map=of_secret)  # E: Argument "map" to "Watches" has incompatible type
    Watches(Secret)  # E: Missing positional argument "map" in call to "Watches"
    Watches(Secret, map=lambda secret: [secret.name])  # E: "Secret" has no attribute "name"
    Watches(Secret, map=lambda _: [5])  # E: List item 0 has incompatible type "int"
    For(Pod, predicate=large)  # E: Argument "predicate" to "For" has incompatible type
    Controller("a", of_something_else, for_=Pod)  # E: Argument 2 to "Controller"
    Controller("a", reconcile, watches=[Secret])  # E: List item 0 has incompatible type
