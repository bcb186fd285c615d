from typing import Any

import kubewright as kw
from kubewright.embedded.controllers.history import expendable, template_of
from kubewright.kinds.apps.v1 import ControllerRevision, StatefulSet
from tests.unit.embedded.controllers.world import World, template, workload, world


def revisions(*numbers: int) -> list[ControllerRevision]:
    """Return revisions that are called after their numbers."""
    return [
        ControllerRevision(metadata=kw.ObjectMeta(name=f"web-{number}"), revision=number)
        for number in numbers
    ]


def names(found: list[ControllerRevision]) -> list[str]:
    return [one.metadata.name for one in found]


async def stored(w: World) -> list[tuple[int | None, str | None]]:
    """Return number and image of each revision, by number."""
    found = await w.client.list(ControllerRevision)
    pairs = [(one.revision, template_of(one).spec.containers[0].image) for one in found]
    return sorted(pairs, key=lambda pair: pair[0] or 0)


def test_the_first_that_are_not_in_use_are_too_many() -> None:
    """Pods of an old template need it to be made again."""
    known = revisions(1, 2, 3, 4)

    assert names(expendable(known, live={"web-1"}, limit=2)) == ["web-2", "web-3"]
    assert names(expendable(known, live=set(), limit=3)) == ["web-1"]
    assert expendable(known, live=set(), limit=10) == []
    assert expendable(known, live=set(), limit=None) == []


def test_a_template_is_read_whoever_wrote_it() -> None:
    """Go writes nulls where there is nothing."""
    data: dict[str, Any] = {
        "spec": {
            "template": {
                "$patch": "replace",
                "metadata": {"creationTimestamp": None, "labels": {"app": "web"}},
                "spec": {"containers": [{"name": "main", "image": "good"}]},
            }
        }
    }

    found = template_of(ControllerRevision(data=data))

    assert found.metadata.labels == {"app": "web"}
    assert found.spec.containers[0].image == "good"


async def test_going_back_gives_the_old_revision_a_new_number() -> None:
    """So that the latest number is always the present template."""
    async with world("statefulset") as w:
        await w.create(StatefulSet, workload(replicas=1))
        await w.patch(StatefulSet, "web", {"spec": {"template": template("better", app="web")}})

        await w.patch(StatefulSet, "web", {"spec": {"template": template(app="web")}})

        assert await stored(w) == [(2, "better"), (3, "good")]


async def test_a_name_that_is_taken_is_not_used() -> None:
    """A stranger with our name must not stop an update."""
    async with world("statefulset") as w:
        await w.create(StatefulSet, workload(replicas=1))
        (ours,) = await w.client.list(ControllerRevision)
        await w.client.delete(StatefulSet, "web", propagation="Orphan")
        await w.settle()
        await w.client.patch(
            ControllerRevision, ours.key, {"metadata": {"labels": {"app": "other"}}}
        )

        await w.create(StatefulSet, workload(replicas=1))

        found = await w.client.get(StatefulSet, "web")
        assert found.status.collision_count == 1
        assert found.status.update_revision != ours.metadata.name
