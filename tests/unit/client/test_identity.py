"""Which object a write is about, request by request."""

import copy
import json
import pickle
from typing import Any

import pytest

import kubewright as kw
from kubewright.api.requests import Request
from kubewright.api.resource import mapping_of
from kubewright.client import Client, Config
from kubewright.client.identity import TRIES, Identity, identity_of
from kubewright.client.transport import Response
from kubewright.errors import ConflictError, InvalidError, TransportError
from kubewright.kinds.core.v1 import ConfigMap, Pod
from tests.unit.client.scripted import ScriptedTransport, answer, failure

CONFIG = Config(server="https://example.com", namespace="home")
PATH = "/apis/example.com/v1/namespaces/home/shops/a"


class ShopStatus(kw.Model):
    phase: str = "NEW"


@kw.resource(group="example.com", version="v1")
class Shop(kw.Resource):
    status: ShopStatus = kw.field(default_factory=ShopStatus)


def body(uid: str = "old", version: str = "7") -> dict[str, Any]:
    metadata = {"name": "a", "namespace": "home", "uid": uid, "resourceVersion": version}
    return {"metadata": metadata}


def invalid(*fields: str) -> Response:
    causes = [{"field": name, "message": "field is immutable"} for name in fields]
    details = {"causes": causes}
    status = {"kind": "Status", "status": "Failure", "reason": "Invalid", "message": "no"}
    return answer({**status, "code": 422, "details": details}, 422)


def client(*script: Any) -> tuple[Client, ScriptedTransport]:
    transport = ScriptedTransport(answer(body()), *script)
    return Client(CONFIG, transport=transport), transport


def sent(transport: ScriptedTransport) -> list[tuple[str, str]]:
    """Return what was asked after the first read."""
    return [(one.method, one.target.partition("?")[0]) for one in transport.requests[1:]]


async def changed_pod(c: Client) -> Pod:
    pod = await c.get(Pod, "a")
    pod.metadata.labels["app"] = "a"
    return pod


async def changed_shop(c: Client) -> Shop:
    shop = await c.get(Shop, "a")
    shop.status.phase = "OPEN"
    return shop


async def test_a_patch_says_which_object_it_is_for() -> None:
    """In the one request that it is."""
    c, transport = client(answer(body()))

    await c.patch(await changed_pod(c))

    assert transport.bodies == [{"metadata": {"labels": {"app": "a"}, "uid": "old"}}]


@pytest.mark.parametrize("fields", [("metadata.uid",), ("metadata.uid", "spec.selector")])
async def test_a_uid_that_cannot_be_changed_is_another_object(fields: tuple[str, ...]) -> None:
    """The other one may be unfit for the patch in more than one way; it was not meant for it."""
    c, transport = client(invalid(*fields), answer(body("new")))
    pod = await changed_pod(c)

    with pytest.raises(ConflictError, match=r"has the uid old, .* with the uid new") as caught:
        await c.patch(pod)

    assert caught.value.is_about_identity
    assert caught.value.status.details is not None
    assert caught.value.status.details.uid == "new"
    assert isinstance(caught.value.__cause__, InvalidError)
    path = "/api/v1/namespaces/home/pods/a"
    assert sent(transport) == [("PATCH", path), ("GET", path)]
    assert "PartialObjectMetadata" in transport.requests[-1].accept


async def test_other_rules_are_broken_as_before() -> None:
    """And cost no further request."""
    c, transport = client(invalid("spec.size"))
    pod = await changed_pod(c)

    with pytest.raises(InvalidError):
        await c.patch(pod)

    assert len(transport.requests) == 2


async def test_a_namesake_that_nobody_can_read_is_another_object_all_the_same() -> None:
    """The server has compared the two; only the name of the other one is missing."""
    c, _ = client(invalid("metadata.uid"), failure(404, "NotFound"))
    pod = await changed_pod(c)

    with pytest.raises(ConflictError, match="with another uid") as caught:
        await c.patch(pod)

    assert caught.value.is_about_identity


async def test_an_optimistic_patch_tells_a_change_from_another_object() -> None:
    """The server compares the version first, and says nothing of the uid."""
    c, _ = client(
        failure(409, "Conflict"), answer(body("old", "8")), failure(409, "Conflict"),
        answer(body("new", "9")),
    )  # fmt: skip
    pod = await changed_pod(c)

    with pytest.raises(ConflictError) as changed:
        await c.patch(pod, optimistic=True)
    with pytest.raises(ConflictError) as other:
        await c.patch(pod, optimistic=True)

    assert not changed.value.is_about_identity
    assert other.value.is_about_identity


async def test_a_status_patch_of_a_custom_resource_carries_the_version() -> None:
    """There the server ignores the uid; still it is one request."""
    c, transport = client(answer(body()))

    await c.status.patch(await changed_shop(c))

    metadata = {"uid": "old", "resourceVersion": "7"}
    assert transport.bodies == [{"status": {"phase": "OPEN"}, "metadata": metadata}]


async def test_a_status_patch_of_a_built_in_kind_needs_no_version() -> None:
    """There the uid is compared, and others may change the object as they like."""
    c, transport = client(answer(body()))
    pod = await c.get(Pod, "a")

    pod.status.phase = "Running"
    await c.status.patch(pod)

    assert transport.bodies[0]["metadata"] == {"uid": "old"}


@pytest.mark.parametrize("optimistic", [None, False])
async def test_a_status_that_met_another_change_is_sent_again(optimistic: bool | None) -> None:
    """The version was for the server's eyes; the caller did not ask for it."""
    c, transport = client(
        failure(409, "Conflict"), answer(body("old", "8")), answer(body("old", "9"))
    )

    written = await c.status.patch(await changed_shop(c), optimistic=optimistic)

    assert written.metadata.resource_version == "9"
    assert sent(transport) == [
        ("PATCH", f"{PATH}/status"),
        ("GET", PATH),
        ("PATCH", f"{PATH}/status"),
    ]
    assert [one["metadata"]["resourceVersion"] for one in transport.bodies] == ["7", "8"]


async def test_a_status_of_another_object_is_not_written() -> None:
    """Also when it has changed hands between two tries."""
    c, transport = client(
        failure(409, "Conflict"), answer(body("old", "8")), failure(409, "Conflict"),
        answer(body("new", "9")),
    )  # fmt: skip
    shop = await changed_shop(c)

    with pytest.raises(ConflictError, match="the object was replaced"):
        await c.status.patch(shop)

    assert len(transport.bodies) == 2


async def test_an_optimistic_status_is_not_sent_again() -> None:
    """The caller has asked to be refused."""
    c, transport = client(failure(409, "Conflict"), answer(body("old", "8")))
    shop = await changed_shop(c)

    with pytest.raises(ConflictError):
        await c.status.patch(shop, optimistic=True)

    assert len(transport.bodies) == 1


async def test_an_object_that_never_rests_is_given_up() -> None:
    """A loop without an end would hold the caller for ever."""
    versions = iter(range(8, 100))

    def busy(request: Request) -> Response:
        if request.method == "PATCH":
            return failure(409, "Conflict")
        return answer(body("old", str(next(versions))))

    c, transport = client(*[busy] * 2 * TRIES)
    shop = await changed_shop(c)

    with pytest.raises(ConflictError):
        await c.status.patch(shop)

    assert len(transport.bodies) == TRIES


@pytest.mark.parametrize(
    "trouble",
    [failure(403, "Forbidden"), TransportError("no route"), Response(200, (), b"<html>")],
    ids=["forbidden", "unreachable", "nonsense"],
)
async def test_without_a_look_at_the_object_a_conflict_stays_one(trouble: Any) -> None:
    """Rather no write than one to an object that may be another one; the note says why."""
    c, transport = client(failure(409, "Conflict"), trouble)
    shop = await changed_shop(c)

    with pytest.raises(ConflictError) as caught:
        await c.status.patch(shop)

    assert not caught.value.is_about_identity
    assert "whether it is still the object that was read" in caught.value.__notes__[0]
    assert len(transport.bodies) == 1


async def test_a_caller_who_says_another_uid_is_left_to_the_server() -> None:
    """To clear it is to mean whatever has the name."""
    c, transport = client(answer(body("new")))
    pod = await changed_pod(c)

    pod.metadata.uid = ""
    await c.patch(pod)

    assert transport.bodies[0]["metadata"]["uid"] is None


async def test_an_update_that_met_another_object_says_so() -> None:
    """The server's own words are those of its storage."""
    said = "Precondition failed: UID in precondition: old, UID in object meta: new"
    c, transport = client(failure(409, "Conflict", said), failure(409, "Conflict", "modified"))
    pod = await changed_pod(c)

    with pytest.raises(ConflictError, match=r"has the uid old, .* with the uid new") as replaced:
        await c.update(pod)
    with pytest.raises(ConflictError, match="modified") as changed:
        await c.update(pod)

    assert replaced.value.is_about_identity
    assert not changed.value.is_about_identity
    assert len(transport.requests) == 3


async def test_the_error_survives_a_copy() -> None:
    """It may come from another process."""
    c, _ = client(invalid("metadata.uid"), answer(body("new")))
    pod = await changed_pod(c)

    with pytest.raises(ConflictError) as caught:
        await c.patch(pod)

    for twin in (copy.copy(caught.value), pickle.loads(pickle.dumps(caught.value))):
        assert str(twin) == str(caught.value)
        assert twin.is_about_identity


def test_the_identity_is_what_was_read() -> None:
    """Whatever was done to the object since; of one that was not read, what it says."""
    raw = json.dumps(body()).encode()
    untyped = kw.Unstructured.read(raw)
    untyped["metadata"]["uid"] = "new"
    made = ConfigMap(metadata=kw.ObjectMeta(name="a", uid="made"))

    assert identity_of(untyped) == Identity("old", "7")
    assert identity_of(made) == Identity("made", "")
    assert identity_of(ConfigMap(metadata=kw.ObjectMeta(name="a"))) == Identity()


async def test_an_untyped_status_is_guarded_in_the_same_way() -> None:
    """A kind without a class is a custom resource, most likely."""

    class Mapper:
        async def mapping(self, gvk: kw.api.GroupVersionKind) -> Any:
            return mapping_of(Shop)

    c, transport = client(answer(body()))
    shop = await c.get(mapping_of(Shop), "a")
    c.status._mapper = Mapper()  # type: ignore[assignment]  # all of it that is asked

    shop["status"] = {"phase": "OPEN"}
    await c.status.patch(shop)

    assert transport.bodies[0]["metadata"] == {"uid": "old", "resourceVersion": "7"}
