"""Create, get, update, patch, delete: what every API server promises of them."""

import pytest

from kubewright.api.meta import ObjectMeta
from kubewright.api.model import Model
from kubewright.api.resource import Resource, resource
from kubewright.client import Client, retry_on_conflict, wait_for
from kubewright.errors import (
    AlreadyExistsError,
    BadRequestError,
    ConflictError,
    InvalidError,
    NotFoundError,
)
from kubewright.kinds.apps.v1 import Deployment
from kubewright.kinds.core.v1 import ConfigMap, Namespace, Pod
from tests.conformance.objects import config_map, deployment, pod


class FewSpec(Model):
    """One of the many fields of a DeploymentSpec."""

    replicas: int = 1


@resource(group="apps", version="v1", kind="Deployment")
class Few(Resource):
    """A Deployment as an old or narrow client knows it."""

    spec: FewSpec


async def test_what_is_created_can_be_read(client: Client) -> None:
    """The server adds identity and time, and keeps the rest."""
    created = await client.create(config_map("a", k="v"))

    found = await client.get(ConfigMap, "a")

    assert found == created
    assert found.data == {"k": "v"}
    assert found.metadata.uid
    assert found.metadata.resource_version
    assert found.metadata.creation_timestamp is not None
    assert found.metadata.namespace == client.namespace


async def test_a_name_is_taken_once(client: Client) -> None:
    """Retrying a create that succeeded unnoticed shows as AlreadyExists, not as Conflict."""
    await client.create(config_map("a"))

    with pytest.raises(AlreadyExistsError, match='configmaps "a" already exists'):
        await client.create(config_map("a"))


async def test_generate_name_gives_each_its_own(client: Client) -> None:
    """Controllers create many objects from one template."""
    template = ConfigMap(metadata=ObjectMeta(generate_name="job-"))

    first, second = await client.create(template), await client.create(template)

    assert first.metadata.name.startswith("job-")
    assert first.metadata.name != second.metadata.name


async def test_an_object_that_breaks_the_rules_is_refused_field_by_field(client: Client) -> None:
    """The causes say which fields, for programs to show."""
    broken = deployment("a")
    assert broken.spec.template.spec is not None
    broken.spec.template.spec.containers[0].name = "Not A Name"

    with pytest.raises(InvalidError) as caught:
        await client.create(broken)

    fields = {cause.field for cause in caught.value.causes}
    assert "spec.template.spec.containers[0].name" in fields


async def test_a_body_of_another_name_than_the_path_is_refused(client: Client) -> None:
    """A mistake in a client must not write to another object."""
    made = await client.create(config_map("a"))
    made.metadata.name = "b"

    with pytest.raises((NotFoundError, BadRequestError, ConflictError, InvalidError)):
        await client.update(made)


async def test_an_update_moves_the_version(client: Client) -> None:
    """Caches rely on versions that only go on."""
    made = await client.create(config_map("a", k="1"))

    made.data["k"] = "2"
    updated = await client.update(made)

    assert updated.data == {"k": "2"}
    assert int(updated.metadata.resource_version) > int(made.metadata.resource_version)


async def test_an_update_that_changes_nothing_does_not_move_the_version(client: Client) -> None:
    """Otherwise a controller that writes what is there already would wake itself up for ever."""
    made = await client.create(config_map("a", k="1"))

    again = await client.update(made)

    assert again.metadata.resource_version == made.metadata.resource_version


async def test_an_update_of_an_old_version_is_a_conflict(client: Client) -> None:
    """The other writer's change must not be lost."""
    mine = await client.create(config_map("a"))
    theirs = await client.get(ConfigMap, "a")
    theirs.data["k"] = "theirs"
    await client.update(theirs)

    mine.data["k"] = "mine"
    with pytest.raises(ConflictError, match="the object has been modified"):
        await client.update(mine)


async def test_retry_on_conflict_wins_in_the_end(client: Client) -> None:
    """Read again, change again, write again: both changes are there."""
    await client.create(config_map("a"))
    interfered = False

    async def change() -> ConfigMap:
        nonlocal interfered
        mine = await client.get(ConfigMap, "a")
        if not interfered:
            interfered = True
            theirs = await client.get(ConfigMap, "a")
            theirs.data["theirs"] = "1"
            await client.update(theirs)
        mine.data["mine"] = "1"
        return await client.update(mine)

    result = await retry_on_conflict(change)

    assert result.data == {"mine": "1", "theirs": "1"}


async def test_a_merge_patch_of_an_object_sends_the_difference(client: Client) -> None:
    """Another writer's change to another field stays."""
    mine = await client.create(config_map("a", kept="1", removed="1"))
    await client.patch(ConfigMap, "a", {"data": {"theirs": "1"}})

    mine.data["added"] = "1"
    del mine.data["removed"]
    patched = await client.patch(mine)

    assert patched.data == {"kept": "1", "theirs": "1", "added": "1"}


async def test_an_optimistic_patch_of_an_old_version_is_a_conflict(client: Client) -> None:
    """For changes that depend on what was read."""
    mine = await client.create(config_map("a"))
    await client.patch(ConfigMap, "a", {"data": {"theirs": "1"}})

    mine.data["mine"] = "1"
    with pytest.raises(ConflictError):
        await client.patch(mine, optimistic=True)


async def test_a_json_patch_is_carried_out_in_order(client: Client) -> None:
    """With its tests, it is the sharpest of the patch types."""
    await client.create(config_map("a", k="1"))
    operations = [
        {"op": "test", "path": "/data/k", "value": "1"},
        {"op": "replace", "path": "/data/k", "value": "2"},
        {"op": "add", "path": "/data/l", "value": "3"},
    ]

    patched = await client.patch(ConfigMap, "a", operations, patch_type="json")

    assert patched.data == {"k": "2", "l": "3"}


async def test_a_json_patch_whose_test_fails_changes_nothing(client: Client) -> None:
    """It is all or nothing."""
    await client.create(config_map("a", k="1"))
    operations = [
        {"op": "replace", "path": "/data/k", "value": "2"},
        {"op": "test", "path": "/data/k", "value": "other"},
    ]

    with pytest.raises(InvalidError):
        await client.patch(ConfigMap, "a", operations, patch_type="json")

    assert (await client.get(ConfigMap, "a")).data == {"k": "1"}


async def test_a_strategic_patch_merges_lists_by_their_key(client: Client) -> None:
    """A merge patch would replace the whole list of containers."""
    await client.create(deployment("a"))
    sidecar = {"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "b"}]}}}}

    patched = await client.patch(Deployment, "a", sidecar, patch_type="strategic")

    assert patched.spec.template.spec is not None
    assert {c.name for c in patched.spec.template.spec.containers} == {"main", "side"}


async def test_a_deleted_object_is_gone(client: Client) -> None:
    """And deleting it again says so."""
    made = await client.create(config_map("a"))

    await client.delete(made)

    assert await client.find(ConfigMap, "a") is None
    with pytest.raises(NotFoundError):
        await client.delete(made)
    await client.delete(made, missing_ok=True)


async def test_a_delete_with_the_wrong_uid_deletes_nothing(client: Client) -> None:
    """An object of the same name may be another one by now."""
    await client.create(config_map("a"))

    with pytest.raises(ConflictError):
        await client.delete(ConfigMap, "a", uid="00000000-0000-0000-0000-000000000000")

    assert await client.find(ConfigMap, "a") is not None


async def test_a_delete_of_an_old_version_deletes_nothing(client: Client) -> None:
    """Only what was looked at may be deleted."""
    old = await client.create(config_map("a"))
    await client.patch(ConfigMap, "a", {"data": {"k": "v"}})

    with pytest.raises(ConflictError):
        await client.delete(old, resource_version=old.metadata.resource_version)

    assert await client.find(ConfigMap, "a") is not None


async def test_a_finalizer_keeps_an_object_until_it_is_taken_off(client: Client) -> None:
    """Controllers clean up before the object goes."""
    made = config_map("a")
    made.metadata.finalizers = ["example.com/cleanup"]
    await client.create(made)

    await client.delete(ConfigMap, "a")
    waiting = await client.get(ConfigMap, "a")
    assert waiting.metadata.deletion_timestamp is not None
    waiting.metadata.finalizers = []
    await client.update(waiting)

    assert await client.find(ConfigMap, "a") is None


async def test_delete_all_takes_what_is_selected(client: Client) -> None:
    """And leaves the rest."""
    await client.create(config_map("a", labels={"app": "x"}))
    await client.create(config_map("b", labels={"app": "x"}))
    await client.create(config_map("c"))

    await client.delete_all(ConfigMap, labels={"app": "x"})

    left = await client.list(ConfigMap, namespace=client.namespace, labels="app=x")
    assert len(left) == 0
    assert await client.find(ConfigMap, "c") is not None


async def test_a_dry_run_stores_nothing(client: Client) -> None:
    """It is checked and answered all the same."""
    answered = await client.create(config_map("a", k="v"), dry_run=True)

    assert answered.data == {"k": "v"}
    assert await client.find(ConfigMap, "a") is None


async def test_a_dry_run_of_a_delete_deletes_nothing(client: Client) -> None:
    """Deletes take the option in their body."""
    await client.create(config_map("a"))

    await client.delete(ConfigMap, "a", dry_run=True)

    assert await client.find(ConfigMap, "a") is not None


async def test_an_update_keeps_what_our_class_does_not_know(client: Client) -> None:
    """A class with one field of a Deployment changes that one and loses nothing."""
    before = await client.create(deployment("a"))
    few = await client.get(Few, "a")

    few.spec.replicas = 3
    few.metadata.annotations["seen"] = "yes"
    await client.update(few)

    after = await client.get("deployments.apps", "a")
    assert after["spec"]["replicas"] == 3
    assert after["spec"]["template"]["spec"]["containers"][0]["image"] == "busybox"
    assert after["spec"]["strategy"]["type"] == "RollingUpdate"
    assert before.metadata.uid == after["metadata"]["uid"]


async def test_a_cluster_scoped_object_has_no_namespace(client: Client) -> None:
    """Whatever namespace the client is at home in."""
    found = await client.get(Namespace, client.namespace)

    assert found.metadata.namespace == ""
    assert found.status.phase == "Active"


async def test_wait_for_sees_an_object_come_and_change(client: Client) -> None:
    """By watching, so it returns at once when it happens."""
    await client.create(config_map("a"))
    await client.patch(ConfigMap, "a", {"data": {"ready": "yes"}})

    found = await wait_for(
        client, ConfigMap, "a", lambda a: a is not None and "ready" in a.data, timeout=10
    )

    assert found is not None
    assert found.data["ready"] == "yes"


async def test_wait_for_gives_up_in_time(client: Client) -> None:
    """A script must not hang for ever."""
    with pytest.raises(
        TimeoutError,
        match=r"after 0\.2 s; there was no such object",
    ):
        await wait_for(client, ConfigMap, "a", lambda a: a is not None, timeout=0.2)


async def test_a_pod_is_given_defaults(client: Client) -> None:
    """What the server fills in, our class reads."""
    made = await client.create(pod("a"))

    found = await client.get(Pod, "a")

    assert found.spec.restart_policy == "Always"
    assert found.status.phase == "Pending"
    assert found.spec.containers[0].image_pull_policy == "Always"
    assert found == made
