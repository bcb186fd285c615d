"""An object that was made under the name of another one: no write for the first reaches it."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

import kubewright as kw
from kubewright import _json
from kubewright.api.resource import mapping_of
from kubewright.kinds.apps.v1 import Deployment
from kubewright.kinds.networking.v1 import Ingress
from tests.conformance.crds import ANYTHING, Installer, object_of, version
from tests.conformance.wire import Wire

ANOTHER = "11111111-2222-3333-4444-555555555555"
LABELS = {"app": "a"}

Write = Callable[[kw.Client, Any], Awaitable[Any]]

WRITES: dict[str, Write] = {
    "update": lambda client, obj: client.update(obj),
    "patch": lambda client, obj: client.patch(obj),
    "optimistic patch": lambda client, obj: client.patch(obj, optimistic=True),
    "status update": lambda client, obj: client.status.update(obj),
    "status patch": lambda client, obj: client.status.patch(obj),
    "optimistic status patch": lambda client, obj: client.status.patch(obj, optimistic=True),
}


@pytest.fixture(params=["deployments", "ingresses", pytest.param("custom", marks=pytest.mark.crd)])
def kind(request: pytest.FixtureRequest) -> type[kw.Resource]:
    """A kind with a status: one of Kubernetes', one whose group has a dot, and a custom one."""
    builtin: dict[str, type[kw.Resource]] = {"deployments": Deployment, "ingresses": Ingress}
    if request.param in builtin:
        return builtin[request.param]
    return custom_kind(request.getfixturevalue("install"))


def custom_kind(install: Installer) -> type[kw.Resource]:
    whole = object_of(spec=ANYTHING, status=ANYTHING)
    served = version(subresources={"status": {}}) | {"schema": {"openAPIV3Schema": whole}}
    installed = install.shared(served)

    @kw.resource(group=installed.group, version="v1")
    class Widget(kw.Resource):
        spec: dict[str, Any] = kw.field(default_factory=dict)
        status: dict[str, Any] = kw.field(default_factory=dict)

    return Widget


def spec_of(kind: type[kw.Resource]) -> dict[str, Any]:
    """Return a spec that the server takes."""
    if kind is Deployment:
        containers = [{"name": "a", "image": "a"}]
        template = {"metadata": {"labels": LABELS}, "spec": {"containers": containers}}
        return {"selector": {"matchLabels": LABELS}, "template": template}
    return {"defaultBackend": {"service": {"name": "a", "port": {"number": 80}}}}


def status_of(kind: type[kw.Resource]) -> dict[str, Any]:
    """Return a status that is not the one of a new object."""
    if kind is Ingress:
        return {"loadBalancer": {"ingress": [{"ip": "10.0.0.1"}]}}
    return {"replicas": 3}


async def create(api: Wire, client: kw.Client, kind: type[kw.Resource]) -> Any:
    mapping = mapping_of(kind)
    body = {
        "apiVersion": mapping.gvk.api_version,
        "kind": mapping.kind,
        "metadata": {"name": "a"},
        "spec": spec_of(kind),
    }
    api.post(mapping.path(client.namespace, "", ""), body).ok(201)
    return await client.get(mapping, "a")


def change(obj: Any, kind: type[kw.Resource]) -> None:
    """Change a label and the status."""
    obj.metadata.labels["written"] = "yes"
    if isinstance(obj, kw.Unstructured):
        obj["status"] = status_of(kind)
    else:
        obj.status = _json.convert(status_of(kind), type(obj.status))


@pytest.mark.parametrize("write", WRITES.values(), ids=[name.replace(" ", "-") for name in WRITES])
@pytest.mark.parametrize("typed", [True, False], ids=["typed", "untyped"])
async def test_another_object_of_the_same_name_is_never_written(
    api: Wire, client: kw.Client, kind: type[kw.Resource], write: Write, *, typed: bool
) -> None:
    """What was decided for one object would be done to another one that nobody has looked at."""
    first = await create(api, client, kind)
    obj: Any = await client.get(kind, "a") if typed else first
    await client.delete(kind, "a")
    second = await create(api, client, kind)
    change(obj, kind)

    with pytest.raises(kw.ConflictError) as caught:
        await write(client, obj)

    assert caught.value.is_about_identity
    assert f"uid {identity(first)}," in str(caught.value)
    assert f"uid {identity(second)}." in str(caught.value)
    assert await client.get(mapping_of(kind), "a") == second


def identity(obj: Any) -> str:
    uid: str = obj["metadata"]["uid"]
    return uid


async def test_the_same_object_is_patched_though_it_has_changed(
    api: Wire, client: kw.Client, kind: type[kw.Resource]
) -> None:
    """Two who write different fields do not get in one another's way."""
    await create(api, client, kind)
    obj: Any = await client.get(kind, "a")
    await client.patch(kind, "a", {"metadata": {"labels": {"other": "yes"}}})
    change(obj, kind)

    await client.patch(obj, optimistic=False)
    written: Any = await client.status.patch(obj, optimistic=False)

    assert written.metadata.labels == {"other": "yes", "written": "yes"}
    assert written.status == obj.status


async def test_an_optimistic_patch_of_the_same_object_is_an_ordinary_conflict(
    api: Wire, client: kw.Client, kind: type[kw.Resource]
) -> None:
    """Who gets it reads again, and goes on with the same object."""
    await create(api, client, kind)
    obj: Any = await client.get(kind, "a")
    await client.patch(kind, "a", {"metadata": {"labels": {"other": "yes"}}})
    change(obj, kind)

    for patch in (client.patch, client.status.patch):
        with pytest.raises(kw.ConflictError, match="the object has been modified") as caught:
            await patch(obj, optimistic=True)
        assert not caught.value.is_about_identity


async def test_a_patch_with_another_uid_is_refused(
    api: Wire, client: kw.Client, kind: type[kw.Resource]
) -> None:
    """The server compares it wherever it looks at metadata, and so not in the status of a CR."""
    await create(api, client, kind)
    path = mapping_of(kind).path(client.namespace, "a")
    body = {"metadata": {"uid": ANOTHER, "labels": {"a": "b"}}, "status": status_of(kind)}

    causes = api.patch(path, body).causes()
    status = api.patch(f"{path}/status", body)

    # Once for all kinds, and once more by the kind itself.
    immutable = 2 * [
        ("FieldValueInvalid", "metadata.uid", f'Invalid value: "{ANOTHER}": field is immutable')
    ]
    assert causes == immutable
    if "example.com" in mapping_of(kind).group:
        assert status.ok()["status"] == status_of(kind)
        assert status.ok()["metadata"]["uid"] != ANOTHER
    else:
        assert status.causes() == immutable


@pytest.mark.parametrize("subresource", ["", "status"])
async def test_another_time_of_creation_is_ignored(
    api: Wire, client: kw.Client, kind: type[kw.Resource], subresource: str
) -> None:
    """It does not say which object is meant; the uid does."""
    made = await create(api, client, kind)
    path = mapping_of(kind).path(client.namespace, "a", subresource)
    when = {"creationTimestamp": "2020-01-01T00:00:00Z"}

    patched = api.patch(path, {"metadata": when}).ok()
    replaced = api.put(path, {**patched, "metadata": {**patched["metadata"], **when}}).ok()

    for found in (patched, replaced):
        assert found["metadata"]["creationTimestamp"] == made["metadata"]["creationTimestamp"]


async def test_a_status_patch_with_the_version_of_another_object_is_a_conflict(
    api: Wire, client: kw.Client, kind: type[kw.Resource]
) -> None:
    """That is what guards the status of custom resources: no two objects share a version."""
    first = await create(api, client, kind)
    await client.delete(kind, "a")
    await create(api, client, kind)
    stale = {"resourceVersion": first["metadata"]["resourceVersion"]}
    path = mapping_of(kind).path(client.namespace, "a", "status")

    api.patch(path, {"metadata": stale, "status": status_of(kind)}).refused(409, "Conflict")

    assert "replicas" not in (api.get(path).ok().get("status") or {})
