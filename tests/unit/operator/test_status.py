"""What of a status is written, and when nothing is."""

from typing import Any

import pytest

import kubewright as kw
from kubewright import _json
from kubewright.api.resource import mapping_of, read
from kubewright.kinds.apps.v1 import Deployment
from kubewright.kinds.core.v1 import ConfigMap
from kubewright.operator.status import (
    Changes,
    Snapshot,
    learn_status,
    observe_generation,
    write_status,
)
from tests.unit.operator.world import Shop, World, shop, world


class Backup(kw.Model):
    enabled: bool = False
    copies: int = 1


class StateStatus(kw.Model):
    phase: str = "PENDING"
    backup: Backup = kw.field(default_factory=Backup)


DEFAULTS = {"phase": "PENDING", "backup": {"enabled": False, "copies": 1}}


@kw.resource(group="example.com", version="v1")
class State(kw.Resource):
    status: StateStatus = kw.field(default_factory=StateStatus)


@kw.resource(group="example.com", version="v1", status_subresource=False)
class Whole(kw.Resource):
    status: StateStatus = kw.field(default_factory=StateStatus)


async def test_a_status_without_a_subresource_is_written_with_the_rest() -> None:
    """The server has no other way for such a kind."""
    async with world(crds=(Whole,)) as w:
        made = await w.other.create(Whole(metadata=kw.ObjectMeta(name="a")))

        written = await write_status(w.cluster.client, made, Changes(status={"phase": "Open"}))

        assert written.status.phase == "Open"
        assert (await w.other.get(Whole, "a")).status.phase == "Open"


async def test_an_untouched_object_has_no_changes() -> None:
    """At rest nothing is written."""
    async with world() as w:
        made = await w.other.create(shop())

        assert Snapshot(made).changes(made) == Changes()


class TagsStatus(kw.Model):
    tags: set[str] = set()
    phase: str = ""


@kw.resource(group="example.com", version="v1")
class Tags(kw.Resource):
    status: TagsStatus = kw.field(default_factory=TagsStatus)


def test_a_set_in_another_order_is_no_change() -> None:
    """It would be written after each run, and each write would lead to the next run."""
    tags = [f"tag-{number}" for number in range(20)]
    raw = _json.encode({"metadata": {"name": "a"}, "status": {"tags": tags, "phase": "Open"}})
    made = read(raw, kind=Tags)
    snapshot = Snapshot(made)

    others = {f"other-{number}" for number in range(200)}
    made.status.tags |= others  # a set that was larger has another order
    made.status.tags -= others
    made.status.phase = "Closed"

    assert snapshot.changes(made) == Changes(status={"phase": "Closed"})


def test_fields_that_the_class_does_not_know_stay_in_a_list_that_changed() -> None:
    """A newer version of the operator may have written them."""
    old = {"type": "Ready", "status": "False", "reason": "A", "message": "", "weight": 3}
    raw = _json.encode({"metadata": {"name": "a"}, "status": {"conditions": [old]}})
    made = read(raw, kind=Shop)
    snapshot = Snapshot(made)

    made.status.conditions[0].status = "True"

    assert snapshot.changes(made).status == {"conditions": [{**old, "status": "True"}]}


async def test_a_change_and_its_undoing_is_no_change() -> None:
    """Only what it is in the end counts."""
    async with world() as w:
        made = await w.other.create(shop())
        snapshot = Snapshot(made)

        made.status.phase = "Open"
        made.status.phase = None

        assert snapshot.changes(made) == Changes()


async def test_changes_of_the_status_and_others_are_told_apart() -> None:
    """The second are not written, and are warned of."""
    async with world() as w:
        made = await w.other.create(shop())
        snapshot = Snapshot(made)

        made.status.phase, made.spec.size = "Open", 2

        changes = snapshot.changes(made)
        assert (changes.status, changes.others) == ({"phase": "Open"}, {"spec": {"size": 2}})


async def test_defaults_of_a_status_that_was_never_written_are_written() -> None:
    """``kubectl get`` shows PENDING only if it is on the server; once is enough."""
    async with world(crds=(State,)) as w:
        made = await w.other.create(State(metadata=kw.ObjectMeta(name="a")))
        changes = Snapshot(made).changes(made)

        written = await write_status(w.cluster.client, made, changes)

        assert changes == Changes(first=DEFAULTS)
        assert Snapshot(written).changes(written) == Changes()


async def test_defaults_are_not_written_over_what_others_wrote() -> None:
    """Who never touched the status would undo the work of who did, for good."""
    async with world(crds=(State,)) as w:
        made = await w.other.create(State(metadata=kw.ObjectMeta(name="a")))
        untouched, touched = Snapshot(made).changes(made), Snapshot(made)
        await w.other.status.patch(State, "a", {"status": {"phase": "DONE"}})

        seen = await write_status(w.cluster.client, made, untouched)
        made.status.backup.copies = 3
        written = await write_status(w.cluster.client, made, touched.changes(made))

        assert seen.status.phase == written.status.phase == "DONE"
        assert written.status.backup.copies == 3


async def test_defaults_are_written_though_something_else_has_changed() -> None:
    """A label that somebody sets meanwhile is no status."""
    async with world(crds=(State,)) as w:
        made = await w.other.create(State(metadata=kw.ObjectMeta(name="a")))
        await w.other.patch(State, "a", {"metadata": {"labels": {"a": "b"}}})

        await write_status(w.cluster.client, made, Snapshot(made).changes(made))

        assert (await w.other.get("states.example.com", "a"))["status"] == DEFAULTS


async def test_only_what_was_changed_in_a_part_that_the_server_lacks_is_written() -> None:
    """Its other fields may have been written by somebody else since."""
    async with world(crds=(State,)) as w:
        await w.other.create(State(metadata=kw.ObjectMeta(name="a")))
        made = await w.other.status.patch(State, "a", {"status": {"phase": "DONE"}})
        snapshot = Snapshot(made)

        made.status.backup.copies = 3

        assert snapshot.changes(made) == Changes(status={"backup": {"copies": 3}})


async def test_a_list_is_not_written_over_what_others_wrote() -> None:
    """Two who set conditions would lose one another's."""
    async with world() as w:
        made = await w.other.create(shop())
        await w.other.status.patch(Shop, "corner", {"status": {"phase": "Closed"}})

        with pytest.raises(kw.ConflictError):
            await write_status(w.cluster.client, made, Changes({"conditions": []}))

        written = await write_status(w.cluster.client, made, Changes({"phase": "Open"}))
        assert written.status.phase == "Open"


async def replaced(w: World, kind: type[kw.Resource]) -> None:
    """Delete the object *a* of *kind*, and make another one of its name."""
    await w.other.delete(kind, "a")
    await w.other.create(kind(metadata=kw.ObjectMeta(name="a")))


CHANGES = {
    "a field": Changes({"phase": "Open"}),
    "a list": Changes({"conditions": []}),
    "defaults": Changes(first=DEFAULTS),
    "defaults and a field": Changes({"phase": "Open"}, first=DEFAULTS),
}


@pytest.mark.parametrize(
    "changes", CHANGES.values(), ids=[name.replace(" ", "-") for name in CHANGES]
)
@pytest.mark.parametrize("kind", [State, Whole])
@pytest.mark.parametrize("typed", [True, False], ids=["typed", "untyped"])
async def test_the_status_of_another_object_of_the_same_name_is_not_written(
    kind: type[kw.Resource], changes: Changes, *, typed: bool
) -> None:
    """It would say that work is done which nobody has begun."""
    async with world(crds=(State, Whole)) as w:
        await w.other.create(kind(metadata=kw.ObjectMeta(name="a")))
        made: Any = await w.other.get(kind if typed else mapping_of(kind), "a")
        if not typed:
            await learn_status(w.cluster.client, made, mapping_of(kind))
        await replaced(w, kind)
        namesake = await w.other.get(mapping_of(kind), "a")

        with pytest.raises(kw.ConflictError, match="the object was replaced") as caught:
            await write_status(w.cluster.client, made, changes)

        assert caught.value.is_about_identity
        assert await w.other.get(mapping_of(kind), "a") == namesake


async def test_a_status_is_one_write_unless_somebody_was_faster() -> None:
    """What it is guarded with costs nothing at rest, and no reconcile in a race."""
    async with world() as w:
        made = await w.other.create(shop())

        await write_status(w.cluster.client, made, Changes({"phase": "Open"}))
        calm = w.take_writes()
        written = await write_status(w.cluster.client, made, Changes({"phase": "Closed"}))

        assert calm == ["patch shops corner status"]
        assert w.take_writes() == calm * 2
        assert written.status.phase == "Closed"


def test_the_generation_of_a_built_in_kind_is_for_its_own_controller_to_observe() -> None:
    """``kubectl rollout status`` would believe us; we have only looked at the Deployment."""
    deployment = Deployment(metadata=kw.ObjectMeta(name="a", generation=2))

    observe_generation(deployment, 2)

    assert deployment.status.observed_generation is None


def test_the_generation_is_observed_where_there_is_a_field_for_it() -> None:
    """Whoever waits for a rollout compares it."""
    seen, plain = shop(), State(metadata=kw.ObjectMeta(name="a"))

    for obj in (seen, plain, ConfigMap()):
        observe_generation(obj, 7)

    assert seen.status.observed_generation == 7
