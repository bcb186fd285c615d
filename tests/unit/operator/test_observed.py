"""Who has acted on which generation of an object."""

from typing import Any

from kubewright.controller import For
from kubewright.controller.declaration import Declaration
from kubewright.operator.observed import Observer, Observers
from tests.unit.operator.world import Shop, World, shop, world


async def nothing(obj: Any, ctx: Any) -> None: ...


async def two(w: World, **options: Any) -> tuple[Observer, Observer]:
    """Return the observers of two reconcilers that have heard of one shop."""
    observers = Observers()
    informer = w.cluster.cache.informer(Shop)
    await w.other.create(shop())
    informer.store.put(informer.store.codec.entry(b'{"metadata":{"name":"corner","uid":"1"}}'))

    def join(**how: Any) -> Observer:
        return observers.join(Declaration("a", For(Shop, **how), nothing), w.cluster, informer)

    return join(), join(**options)


def seen(generation: int, uid: str = "1") -> Shop:
    obj = shop()
    obj.metadata.uid, obj.metadata.generation, obj.metadata.namespace = uid, generation, ""
    return obj


async def test_one_is_last_when_the_other_has_succeeded_with_the_same_generation() -> None:
    """And is not while that one has not begun, runs, has failed, or is behind."""
    async with world() as w:
        one, other = await two(w)
        answers = [one.observed(seen(1))]
        for step in (other.begin, other.succeed):
            step(seen(1))
            answers.append(one.observed(seen(1)))

        assert answers == [None, None, 1]
        assert one.observed(seen(2)) is None
        assert one.observed(seen(1, uid="2")) is None


async def test_one_that_has_left_owes_nothing() -> None:
    """Its reconciler was removed, and will never act again."""
    async with world() as w:
        one, other = await two(w)

        other.leave()

        assert one.observed(seen(1)) == 1


async def test_of_one_that_chooses_its_changes_only_an_open_run_counts() -> None:
    """It may never hear of the generation; but if it fails, something was not done."""
    async with world() as w:
        one, other = await two(w, predicate=lambda event: True)
        answers = [one.observed(seen(2))]
        for step in (other.begin, other.succeed):
            step(seen(1))
            answers.append(one.observed(seen(2)))

        assert answers == [2, None, 2]


async def test_one_that_chooses_its_changes_observes_what_the_other_has_done() -> None:
    """While it ran the other one went on to the next generation, and could not say so."""
    async with world() as w:
        other, one = await two(w, predicate=lambda event: True)
        one.begin(seen(1))
        other.succeed(seen(2))

        assert other.observed(seen(2)) is None
        assert one.observed(seen(1)) == 2


async def test_what_is_gone_is_forgotten() -> None:
    """A year of short-lived objects must not pile up."""
    async with world() as w:
        one, other = await two(w, predicate=lambda event: True)
        other.begin(seen(1))

        other.forget(seen(1).key)

        assert one.observed(seen(1)) == 1
