"""Server-side apply: ownership, conflicts, force, and fields that are no longer wanted."""

import pytest

from kubewright.api.meta import ObjectMeta
from kubewright.client import Client
from kubewright.errors import ConflictError
from kubewright.kinds.apps.v1 import Deployment
from kubewright.kinds.core.v1 import ConfigMap
from tests.conformance.objects import config_map, deployment


async def test_apply_creates_what_is_not_there(client: Client) -> None:
    """One verb for the first time and for every time after it."""
    applied = await client.apply(config_map("a", k="v"))

    assert applied.data == {"k": "v"}
    owners = {entry.manager: entry.operation for entry in applied.metadata.managed_fields}
    assert owners == {"test": "Apply"}


async def test_apply_again_changes_nothing(client: Client) -> None:
    """A reconciler may apply on every pass without waking anybody."""
    first = await client.apply(config_map("a", k="v"))

    again = await client.apply(config_map("a", k="v"))

    assert again.metadata.resource_version == first.metadata.resource_version


async def test_a_field_that_is_no_longer_applied_is_removed(client: Client) -> None:
    """What the owner drops, the server drops."""
    await client.apply(config_map("a", kept="1", dropped="1"))

    applied = await client.apply(config_map("a", kept="1"))

    assert applied.data == {"kept": "1"}


async def test_fields_of_others_stay(client: Client) -> None:
    """Two owners share one object, each with fields of its own."""
    await client.apply(config_map("a", mine="1"))
    await client.apply(config_map("a", theirs="1"), field_owner="other")

    applied = await client.apply(config_map("a", mine="2"))

    assert applied.data == {"mine": "2", "theirs": "1"}


async def test_a_field_of_another_owner_is_a_conflict_that_names_it(client: Client) -> None:
    """Whoever reads the message knows whom to ask."""
    await client.apply(config_map("a", k="theirs"), field_owner="other")

    with pytest.raises(ConflictError, match=r'conflict with "other"') as caught:
        await client.apply(config_map("a", k="mine"))

    details = caught.value.status.details
    assert details is not None
    assert [cause.field for cause in details.causes or ()] == [".data.k"]


async def test_force_takes_the_field_over(client: Client) -> None:
    """A controller that must have its way says so."""
    await client.apply(config_map("a", k="theirs"), field_owner="other")

    applied = await client.apply(config_map("a", k="mine"), force=True)

    assert applied.data == {"k": "mine"}
    with pytest.raises(ConflictError):
        await client.apply(config_map("a", k="theirs"), field_owner="other")


async def test_the_same_value_is_shared_not_fought_over(client: Client) -> None:
    """Two owners that agree are no conflict."""
    await client.apply(config_map("a", k="v"), field_owner="other")

    applied = await client.apply(config_map("a", k="v"))

    assert {entry.manager for entry in applied.metadata.managed_fields} == {"test", "other"}


async def test_a_typed_object_applies_only_what_was_set(client: Client) -> None:
    """Zero values in our classes must not claim fields that nobody meant."""
    applied = await client.apply(deployment("a"))

    owned = next(e for e in applied.metadata.managed_fields if e.manager == "test").fields
    assert set(owned) == {"f:spec"}
    assert set(owned["f:spec"]) == {"f:replicas", "f:selector", "f:template"}
    assert applied.spec.strategy is not None


async def test_another_controller_may_scale_what_we_apply_without_replicas(client: Client) -> None:
    """An autoscaler and an apply do not fight when the apply leaves replicas out."""
    wanted = deployment("a")
    wanted.spec.replicas = None
    await client.apply(wanted)
    await client.scale.set(Deployment, "a", 4)

    applied = await client.apply(wanted)

    assert applied.spec.replicas == 4


async def test_what_was_read_cannot_be_applied(client: Client) -> None:
    """Applying it would claim every field of it."""
    read = await client.apply(config_map("a", k="v"))

    with pytest.raises(ValueError, match="it was read from a server"):
        await client.apply(read)


async def test_a_dry_run_of_apply_shows_the_result_and_stores_nothing(client: Client) -> None:
    """What would change can be asked for."""
    await client.apply(config_map("a", k="1"))

    answered = await client.apply(config_map("a", k="2"), dry_run=True)

    assert answered.data == {"k": "2"}
    assert (await client.get(ConfigMap, "a")).data == {"k": "1"}


async def test_an_apply_with_an_old_version_is_a_conflict(client: Client) -> None:
    """A resource version in an apply is a precondition."""
    first = await client.apply(config_map("a", k="1"))
    await client.apply(config_map("a", k="2"))

    stale = ConfigMap(
        metadata=ObjectMeta(name="a", resource_version=first.metadata.resource_version),
        data={"k": "3"},
    )
    with pytest.raises(ConflictError):
        await client.apply(stale)
