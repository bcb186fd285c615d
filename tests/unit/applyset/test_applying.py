"""One object, applied."""

from typing import Any

from kubewright.applyset import members_of
from kubewright.applyset.applying import Applier
from kubewright.applyset.report import Change
from kubewright.kinds.apps.v1 import Deployment
from tests.unit.applyset.objects import (
    PARENT,
    Bench,
    bench,
    config,
    crd,
    deployment,
    named,
    shop,
)

SECRET = named("v1", "Secret", "key", namespace="default", stringData={"password": "one"})


async def apply(b: Bench, *documents: dict[str, Any], **options: Any) -> list[Change]:
    """Apply objects one after the other, as part of the set."""
    members = members_of(documents)
    wanted = {"force": False, "dry_run": False, "timeout": 5.0, **options}
    applier = Applier(b.client, PARENT, members, field_owner="kubewright", **wanted)
    return [(await b.clock.run(applier.apply(member)))[0] for member in members]


async def test_values_of_secrets_are_not_shown() -> None:
    """The report is in the log of a pipeline."""
    other = {**SECRET, "stringData": {"password": "two"}}
    async with bench() as b:
        await apply(b, SECRET)

        (change,) = await apply(b, other)

        assert change.action == "configured"
        assert "two" not in str(change)
        assert "dHdv" not in str(change)


async def test_a_status_in_a_document_is_not_applied() -> None:
    """Generators write ``status: {}`` and ``creationTimestamp: null``: nobody wants to own it."""
    document = deployment(where="default")
    document["metadata"]["creationTimestamp"] = None
    document["status"] = {}
    async with bench() as b:
        await apply(b, document)
        found = await b.client.get(Deployment, "shop")

        assert all("f:status" not in str(one.fields_v1) for one in found.metadata.managed_fields)


async def test_a_status_that_a_controller_wrote_is_no_change_of_ours() -> None:
    """It may be written between our read and our write."""
    async with bench() as b:
        await apply(b, deployment(where="default"))
        found = await b.client.get(Deployment, "shop")
        found.status.replicas = 3
        await b.client.status.update(found)

        (change,) = await apply(b, deployment(where="default"))

        assert change.action == "unchanged"


async def test_a_kind_in_a_new_version_is_guessed_in_a_dry_run() -> None:
    """The object is there already in the version before."""
    newer = crd()
    (version,) = newer["spec"]["versions"]
    newer["spec"]["versions"] = [{**version, "storage": False}, {**version, "name": "v2"}]
    async with bench() as b:
        await b.apply(crd(), parent=None)
        await b.apply(shop(), parent=None)

        changes = await apply(b, newer, {**shop(), "apiVersion": "example.com/v2"}, dry_run=True)

        assert [one.action for one in changes] == ["configured", "configured"]
        assert changes[1].note == "not checked: example.com/v2 Shop is new"


async def test_a_label_of_the_document_stays() -> None:
    """The label of the set is added to those that people wrote."""
    document = config(where="default")
    document["metadata"]["labels"] = {"tier": "front"}
    async with bench() as b:
        await apply(b, document)
        found = await b.client.get("configmaps", "settings")

        assert found.metadata.labels == {
            "tier": "front",
            "applyset.kubernetes.io/part-of": PARENT.id,
        }
        assert document["metadata"]["labels"] == {"tier": "front"}
