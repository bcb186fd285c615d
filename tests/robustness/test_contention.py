"""Many writers of one object: nobody's answered write is lost, and nobody's is done twice."""

import asyncio
from collections import Counter
from typing import Any

from tests.robustness.wire import APPLY, CONFIG_MAPS, JSON_PATCH, MERGE, Wire

WRITERS = 200
ONE = f"{CONFIG_MAPS}/one"


async def create(wire: Wire, **data: str) -> None:
    """Create the object that everybody writes to."""
    answer = await wire.ask("POST", CONFIG_MAPS, {"metadata": {"name": "one"}, "data": data})
    assert answer.status == 201


async def at_once(*asked: Any) -> Counter[int]:
    """Return how often each status was the answer."""
    answers = await asyncio.gather(*asked)
    return Counter(answer.status for answer in answers)


async def test_of_updates_with_one_version_one_wins(wire: Wire) -> None:
    """Optimistic concurrency is what every controller builds on."""
    await create(wire)
    seen = (await wire.ask("GET", ONE)).body

    statuses = await at_once(
        *(wire.ask("PUT", ONE, {**seen, "data": {"n": str(n)}}) for n in range(WRITERS))
    )

    assert statuses == {200: 1, 409: WRITERS - 1}


async def test_conditional_increments_add_up(wire: Wire) -> None:
    """Each answered increment counts once, whatever else goes on."""
    await create(wire, n="0")

    async def increment() -> int:
        done = 0
        while done < 3:
            n = (await wire.ask("GET", ONE)).body["data"]["n"]
            patch = [
                {"op": "test", "path": "/data/n", "value": n},
                {"op": "replace", "path": "/data/n", "value": str(int(n) + 1)},
            ]
            answer = await wire.ask("PATCH", ONE, patch, media=JSON_PATCH)
            assert answer.status in (200, 409, 422), answer
            done += answer.status == 200
        return done

    done = sum(await asyncio.gather(*(increment() for _ in range(20))))

    assert (await wire.ask("GET", ONE)).body["data"]["n"] == str(done) == "60"


async def test_patches_of_different_fields_all_arrive(wire: Wire) -> None:
    """A patch says what it changes, so two of them are no conflict."""
    await create(wire)

    statuses = await at_once(
        *(wire.ask("PATCH", ONE, {"data": {f"k{n}": "v"}}, media=MERGE) for n in range(WRITERS))
    )

    assert statuses == {200: WRITERS}
    assert len((await wire.ask("GET", ONE)).body["data"]) == WRITERS


async def test_appliers_of_different_fields_own_what_they_applied(wire: Wire) -> None:
    """The first apply creates, the others join in, and managedFields knows them all."""

    def config(n: int) -> Any:
        meta = {"name": "one"}
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {f"k{n}": "v"}}

    statuses = await at_once(
        *(
            wire.ask("PATCH", f"{ONE}?fieldManager=m{n}", config(n), media=APPLY)
            for n in range(WRITERS)
        )
    )

    assert statuses == {201: 1, 200: WRITERS - 1}
    found = (await wire.ask("GET", ONE)).body
    assert len(found["data"]) == len(found["metadata"]["managedFields"]) == WRITERS


async def test_of_many_creations_and_deletions_one_wins_each(wire: Wire) -> None:
    """An object is born once and dies once."""
    one = {"metadata": {"name": "one"}}

    created = await at_once(*(wire.ask("POST", CONFIG_MAPS, one) for _ in range(WRITERS)))
    deleted = await at_once(*(wire.ask("DELETE", ONE) for _ in range(WRITERS)))

    assert created == {201: 1, 409: WRITERS - 1}
    assert deleted == {200: 1, 404: WRITERS - 1}
