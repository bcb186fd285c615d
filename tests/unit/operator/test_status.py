"""What of a status is written, and when nothing is."""

import pytest

import kubewright as kw
from kubewright.kinds.apps.v1 import Deployment
from kubewright.kinds.core.v1 import ConfigMap
from kubewright.operator.status import Snapshot, observe_generation, write_status
from tests.unit.operator.world import Shop, shop, world


class StateStatus(kw.Model):
    phase: str = "PENDING"


@kw.resource(group="example.com", version="v1")
class State(kw.Resource):
    status: StateStatus = kw.field(default_factory=StateStatus)


async def test_an_untouched_object_has_no_changes() -> None:
    """At rest nothing is written."""
    async with world() as w:
        made = await w.other.create(shop())

        assert Snapshot(made).changes(made) == {}


async def test_a_change_and_its_undoing_is_no_change() -> None:
    """Only what it is in the end counts."""
    async with world() as w:
        made = await w.other.create(shop())
        snapshot = Snapshot(made)

        made.status.phase = "Open"
        made.status.phase = None

        assert snapshot.changes(made) == {}


async def test_changes_of_the_status_and_others_are_told_apart() -> None:
    """The second are not written, and are warned of."""
    async with world() as w:
        made = await w.other.create(shop())
        snapshot = Snapshot(made)

        made.status.phase, made.spec.size = "Open", 2

        assert snapshot.changes(made) == {"status": {"phase": "Open"}, "spec": {"size": 2}}


async def test_defaults_of_a_status_that_was_never_written_are_written() -> None:
    """``kubectl get`` shows PENDING only if it is on the server; once is enough."""
    async with world(crds=(State,)) as w:
        made = await w.other.create(State(metadata=kw.ObjectMeta(name="a")))
        changes = Snapshot(made).changes(made)

        written = await write_status(w.other, made, changes["status"])

        assert changes == {"status": {"phase": "PENDING"}}
        assert Snapshot(written).changes(written) == {}


async def test_a_list_is_not_written_over_what_others_wrote() -> None:
    """Two who set conditions would lose one another's."""
    async with world() as w:
        made = await w.other.create(shop())
        await w.other.status.patch(Shop, "corner", {"status": {"phase": "Closed"}})

        with pytest.raises(kw.ConflictError):
            await write_status(w.other, made, {"conditions": []})

        assert (await write_status(w.other, made, {"phase": "Open"})).status.phase == "Open"


def test_the_generation_of_a_built_in_kind_is_for_its_own_controller_to_observe() -> None:
    """``kubectl rollout status`` would believe us; we have only looked at the Deployment."""
    deployment = Deployment(metadata=kw.ObjectMeta(name="a", generation=2))

    observe_generation(deployment)

    assert deployment.status.observed_generation is None


def test_the_generation_is_observed_where_there_is_a_field_for_it() -> None:
    """Whoever waits for a rollout compares it."""
    seen = shop()
    seen.metadata.generation = 7
    plain = State(metadata=kw.ObjectMeta(name="a", generation=7))

    for obj in (seen, plain, ConfigMap()):
        observe_generation(obj)

    assert seen.status.observed_generation == 7
