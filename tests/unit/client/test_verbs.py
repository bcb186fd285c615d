"""The verbs: what each sends, and what becomes of fields that a class does not know."""

import json
from typing import Any

import pytest

import kubewright.api.resource as resource_module
from kubewright.api.kind import GroupVersionKind, GroupVersionResource, ObjectKey
from kubewright.api.meta import ObjectMeta
from kubewright.api.model import Model, field
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.client import Client, Config
from kubewright.client.transport import Response
from kubewright.errors import ConflictError, DecodeError, NotFoundError
from kubewright.kinds.apps.v1 import Deployment
from kubewright.kinds.authentication.v1 import TokenRequest, TokenRequestSpec
from kubewright.kinds.core.v1 import (
    Binding,
    ConfigMap,
    Container,
    Namespace,
    ObjectReference,
    Pod,
    PodSpec,
    ServiceAccount,
)
from tests.unit.client.scripted import ScriptedTransport, answer, failure

CONFIG = Config(server="https://example.com", namespace="home")

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "namespace": "shop", "resourceVersion": "7", "uid": "u"},
    "spec": {
        "containers": [
            {"name": "a", "image": "nginx:1", "newInContainer": 1},
            {"name": "b", "image": "busybox", "newInContainer": 2},
        ],
        "newInSpec": {"deep": True},
    },
    "newAtTop": "kept",
}


class ShopSpec(Model):
    size: int


class ShopStatus(Model):
    phase: str = "NEW"


@resource_module.resource(group="example.com", version="v1")
class Shop(Resource):
    spec: ShopSpec
    status: ShopStatus = field(default_factory=ShopStatus)


def client(*script: Any, **options: Any) -> tuple[Client, ScriptedTransport]:
    transport = ScriptedTransport(*script)
    return Client(CONFIG, transport=transport, **options), transport


async def test_get_returns_an_object_of_the_class() -> None:
    """The class given first is the type of what comes back."""
    c, transport = client(answer(POD))

    pod = await c.get(Pod, "web", namespace="shop")

    assert type(pod) is Pod
    assert pod.spec.containers[0].image == "nginx:1"
    assert transport.requests[0].target == "/api/v1/namespaces/shop/pods/web"


@pytest.mark.parametrize("name", ["shop/web", ObjectKey("shop", "web")])
async def test_a_name_may_carry_its_namespace(name: str | ObjectKey) -> None:
    """Keys come from queues and logs in that form."""
    c, transport = client(answer(POD))

    await c.get(Pod, name)

    assert transport.requests[0].target == "/api/v1/namespaces/shop/pods/web"


async def test_two_namespaces_that_differ_are_refused() -> None:
    """One of them is a mistake, and guessing which would read the wrong object."""
    c, _ = client()

    with pytest.raises(ValueError, match="'shop/web' is not in namespace 'other'"):
        await c.get(Pod, "shop/web", namespace="other")


async def test_without_a_namespace_the_clients_own_is_meant() -> None:
    """As with kubectl: the context says where one works."""
    c, transport = client(answer(POD))

    await c.get(Pod, "web")

    assert transport.requests[0].target == "/api/v1/namespaces/home/pods/web"


async def test_a_kind_without_namespaces_is_never_asked_for_in_one() -> None:
    """The path would not exist."""
    c, transport = client(answer({"metadata": {"name": "shop"}}))

    await c.get(Namespace, "shop")

    assert transport.requests[0].target == "/api/v1/namespaces/shop"


async def test_get_raises_and_find_does_not() -> None:
    """Absence is an answer for some callers and a failure for others."""
    c, _ = client(failure(404, "NotFound"), failure(404, "NotFound"))

    with pytest.raises(NotFoundError, match="cannot get pods 'web' in namespace 'home'"):
        await c.get(Pod, "web")
    assert await c.find(Pod, "web") is None


@pytest.mark.parametrize("name", ["", "../nodes/x", "a/b/c", "a%2fb", ".."])
async def test_a_name_that_would_leave_its_path_is_refused(name: str) -> None:
    """An empty name would read, or delete, the whole collection."""
    c, transport = client()

    with pytest.raises(ValueError, match=r"name|key"):
        await c.delete(Pod, name)

    assert transport.requests == []


async def test_create_posts_to_the_collection_and_leaves_out_what_is_empty() -> None:
    """An empty status would be ignored, and an empty name hides generateName."""
    c, transport = client(answer(POD), field_owner="me")
    pod = Pod(
        metadata=ObjectMeta(generate_name="web-"), spec=PodSpec(containers=[Container(name="a")])
    )

    created = await c.create(pod)

    assert created.metadata.name == "web"
    assert transport.requests[0].method == "POST"
    assert transport.requests[0].target == "/api/v1/namespaces/home/pods?fieldManager=me"
    assert transport.bodies[0] == {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"generateName": "web-"},
        "spec": {"containers": [{"name": "a"}]},
    }


async def test_a_default_with_a_meaning_reaches_the_server() -> None:
    """phase: NEW is a statement, not an omission."""
    c, transport = client(answer({"spec": {"size": 1}}))

    await c.create(Shop(metadata=ObjectMeta(name="a"), spec=ShopSpec(size=1)))

    assert transport.bodies[0]["status"] == {"phase": "NEW"}


async def test_update_keeps_every_field_that_the_class_does_not_know() -> None:
    """A client older than the server must not erase what newer clients wrote."""
    c, transport = client(answer(POD), answer(POD))
    pod = await c.get(Pod, "web")

    pod.spec.containers[1].image = "busybox:2"
    pod.metadata.labels["app"] = "web"
    await c.update(pod)

    expected = json.loads(json.dumps(POD))
    expected["spec"]["containers"][1]["image"] = "busybox:2"
    expected["metadata"]["labels"] = {"app": "web"}
    assert transport.bodies[0] == expected
    assert transport.requests[1].method == "PUT"


async def test_update_of_an_object_from_a_list_says_what_it_is() -> None:
    """Servers leave apiVersion and kind out of list items, but want them back."""
    items = [{name: POD[name] for name in ("metadata", "spec")}]
    c, transport = client(answer({"metadata": {}, "items": items}), answer(POD))
    pods = await c.list(Pod)

    await c.update(pods[0])

    assert (transport.bodies[0]["apiVersion"], transport.bodies[0]["kind"]) == ("v1", "Pod")


async def test_patch_of_an_object_sends_only_what_changed() -> None:
    """Two writers of different fields do not get in each other's way."""
    c, transport = client(answer(POD), answer(POD))
    pod = await c.get(Pod, "web")

    pod.metadata.labels["app"] = "web"
    await c.patch(pod)

    assert transport.bodies == [{"metadata": {"labels": {"app": "web"}, "uid": "u"}}]
    assert transport.requests[1].content_type == "application/merge-patch+json"


async def test_a_patched_list_keeps_unknown_fields_of_its_items() -> None:
    """A merge patch replaces lists whole, so the whole must be right."""
    c, transport = client(answer(POD), answer(POD))
    pod = await c.get(Pod, "web")

    pod.spec.containers[0].image = "nginx:2"
    await c.patch(pod)

    containers = transport.bodies[0]["spec"]["containers"]
    assert containers[0] == {"name": "a", "image": "nginx:2", "newInContainer": 1}
    assert containers[1]["newInContainer"] == 2


async def test_patch_of_an_unchanged_object_sends_nothing() -> None:
    """Zero writes at rest."""
    c, transport = client(answer(POD))
    pod = await c.get(Pod, "web")

    assert await c.patch(pod) is pod
    assert len(transport.requests) == 1


async def test_an_optimistic_patch_carries_the_version() -> None:
    """The server then refuses it if somebody was faster."""
    c, transport = client(answer(POD), failure(409, "Conflict"), answer(POD))
    pod = await c.get(Pod, "web")
    pod.metadata.labels["app"] = "web"

    with pytest.raises(ConflictError):
        await c.patch(pod, optimistic=True)

    assert transport.bodies[0]["metadata"]["resourceVersion"] == "7"


async def test_patch_of_an_object_that_was_never_read_is_refused() -> None:
    """There is nothing to compare it with, and sending all of it is not a patch."""
    c, _ = client()

    with pytest.raises(ValueError, match="it was not read from a server"):
        await c.patch(ConfigMap(metadata=ObjectMeta(name="a")))


@pytest.mark.parametrize(
    ("patch_type", "patch", "content_type"),
    [
        ("merge", {"data": {"a": "b"}}, "application/merge-patch+json"),
        ("strategic", {"data": {"a": "b"}}, "application/strategic-merge-patch+json"),
        (
            "json",
            [{"op": "add", "path": "/data/a", "value": "b"}],
            "application/json-patch+json",
        ),
    ],
)
async def test_a_patch_by_name_is_sent_as_it_is(
    patch_type: Any, patch: Any, content_type: str
) -> None:
    """Each of the three patch types has its own content type."""
    c, transport = client(answer({}))

    await c.patch(ConfigMap, "web", patch, patch_type=patch_type)

    assert transport.bodies == [patch]
    assert transport.requests[0].content_type == content_type


async def test_a_patch_by_name_needs_a_name_and_a_patch() -> None:
    """A forgotten argument must not become a patch of null."""
    c, _ = client()

    with pytest.raises(ValueError, match="give its name and the patch"):
        await c.patch(ConfigMap, "web", None)


async def test_apply_names_the_owner_and_sends_what_is_wanted() -> None:
    """Server-side apply is told whose fields these are."""
    c, transport = client(answer({"kind": "ConfigMap"}))
    wanted = ConfigMap(metadata=ObjectMeta(name="a", namespace="shop"), data={"k": "v"})

    await c.apply(wanted, field_owner="me", force=True)

    request = transport.requests[0]
    assert request.method == "PATCH"
    assert request.target == ("/api/v1/namespaces/shop/configmaps/a?fieldManager=me&force=true")
    assert request.content_type == "application/apply-patch+yaml"
    assert transport.bodies == [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "a", "namespace": "shop"},
            "data": {"k": "v"},
        }
    ]


@pytest.mark.parametrize("managed", [[], [{"manager": "x"}]])
async def test_apply_refuses_an_object_that_was_read(managed: list[dict[str, str]]) -> None:
    """Applying it would claim every field of it; a cache drops managedFields, so they tell not."""
    c, _ = client(answer({**POD, "metadata": {"name": "web", "managedFields": managed}}))
    pod = await c.get(Pod, "web")

    with pytest.raises(ValueError, match="it was read from a server"):
        await c.apply(pod, field_owner="me")


async def test_apply_without_an_owner_says_what_to_give() -> None:
    """The server's own refusal does not say where to put it."""
    c, _ = client()

    with pytest.raises(ValueError, match="field_owner='my-operator'"):
        await c.apply(ConfigMap(metadata=ObjectMeta(name="a")))


async def test_status_has_verbs_of_its_own() -> None:
    """The main resource ignores status, and the status subresource ignores the rest."""
    shop = {
        "apiVersion": "example.com/v1",
        "kind": "Shop",
        "metadata": {"name": "a", "namespace": "shop", "resourceVersion": "1"},
        "spec": {"size": 1},
    }
    c, transport = client(answer(shop), answer(shop), answer(shop), answer(shop))
    read = await c.get(Shop, "a")

    read.status.phase = "OPEN"
    read.spec.size = 9
    await c.status.update(read)
    await c.status.patch(read)
    await c.status.apply(
        Shop(metadata=ObjectMeta(name="a", namespace="shop"), spec=ShopSpec(size=3)),
        field_owner="me",
    )

    assert {r.target.split("?")[0] for r in transport.requests[1:]} == {
        "/apis/example.com/v1/namespaces/shop/shops/a/status"
    }
    update, patch, applied = transport.bodies
    assert update["status"] == {"phase": "OPEN"}
    assert patch == {"status": {"phase": "OPEN"}}
    assert applied == {
        "apiVersion": "example.com/v1",
        "kind": "Shop",
        "metadata": {"name": "a", "namespace": "shop"},
        "status": {"phase": "NEW"},
    }


async def test_a_status_patch_without_a_change_in_status_sends_nothing() -> None:
    """A change of the spec is not the status's business."""
    shop = {"metadata": {"name": "a"}, "spec": {"size": 1}, "status": {"phase": "NEW"}}
    c, transport = client(answer(shop))
    read = await c.get(Shop, "a")

    read.spec.size = 2
    await c.status.patch(read)

    assert len(transport.requests) == 1


async def test_dry_run_and_field_validation_go_with_every_write() -> None:
    """Set once on the client, they hold for all of it."""
    c, transport = client(
        answer({}), answer({}), dry_run=True, field_validation="Strict", field_owner="me"
    )

    await c.create(ConfigMap(metadata=ObjectMeta(name="a")))
    await c.delete(ConfigMap, "a")

    assert transport.requests[0].target.endswith(
        "?dryRun=All&fieldManager=me&fieldValidation=Strict"
    )
    assert transport.bodies[1]["dryRun"] == ["All"]


async def test_delete_tells_the_server_how() -> None:
    """Preconditions protect an object of the same name that is not the same."""
    c, transport = client(answer({}))

    await c.delete(
        Pod, "web", propagation="Foreground", grace_period=0, uid="u", resource_version="7"
    )

    assert transport.bodies == [
        {
            "kind": "DeleteOptions",
            "apiVersion": "v1",
            "propagationPolicy": "Foreground",
            "gracePeriodSeconds": 0,
            "preconditions": {"uid": "u", "resourceVersion": "7"},
        }
    ]


async def test_delete_of_something_absent_may_be_fine() -> None:
    """Cleaning up twice is not a failure."""
    c, _ = client(failure(404, "NotFound"), failure(404, "NotFound"))

    await c.delete(Pod, "web", missing_ok=True)
    with pytest.raises(NotFoundError):
        await c.delete(Pod, "web")


async def test_delete_all_needs_one_namespace() -> None:
    """Without one, the client's own is meant: never all namespaces at once."""
    c, transport = client(answer({}))

    await c.delete_all(Pod, labels="app in (web)")

    assert transport.requests[0].method == "DELETE"
    assert transport.requests[0].target == (
        "/api/v1/namespaces/home/pods?labelSelector=app%20in%20%28web%29"
    )


async def test_an_object_that_does_not_fit_its_class_names_the_field() -> None:
    """The writer of the class must find the field without a debugger."""
    c, _ = client(answer({"metadata": {"name": "a"}, "spec": {"size": "big"}}))

    with pytest.raises(DecodeError, match=r"cannot decode a Shop at spec\.size: expected `int`"):
        await c.get(Shop, "a")


async def test_a_kind_without_a_class_is_found_by_discovery() -> None:
    """Any kind that the server has can be read, by its GVK or by the name kubectl knows."""
    groups = {"kind": "APIGroupList", "groups": []}
    core = {"kind": "APIVersions", "versions": ["v1"]}
    pods = {
        "kind": "APIResourceList",
        "groupVersion": "v1",
        "resources": [
            {
                "name": "pods",
                "singularName": "pod",
                "namespaced": True,
                "kind": "Pod",
                "verbs": ["get"],
                "shortNames": ["po"],
            }
        ],
    }
    answers = {"/api": answer(core), "/apis": answer(groups), "/api/v1": answer(pods)}
    transport = ScriptedTransport(*[lambda r: answers.get(r.target, answer(POD))] * 6)
    c = Client(CONFIG, transport=transport)

    by_name = await c.get("po", "web")
    by_kind = await c.get(GroupVersionKind("", "v1", "Pod"), "web")

    assert isinstance(by_name, Unstructured)
    assert by_name == by_kind == POD
    assert transport.requests[-1].target == "/api/v1/namespaces/home/pods/web"


async def test_an_unstructured_object_is_patched_by_what_changed() -> None:
    """The dynamic client knows what it read, too."""
    c, transport = client(answer(POD), answer(POD))
    pod = await c.get(resource_module.mapping_of(Pod), "web")

    pod["metadata"]["labels"] = {"app": "web"}
    c._mapper = _FixedMapper()
    await c.patch(pod)

    assert transport.bodies == [{"metadata": {"labels": {"app": "web"}, "uid": "u"}}]


class _FixedMapper:
    async def mapping(self, gvk: GroupVersionKind) -> Any:
        return resource_module.mapping_of(Pod)

    async def resource(self, resource: GroupVersionResource) -> Any:
        return resource_module.mapping_of(Pod)

    async def resolve(self, name: str) -> Any:
        return resource_module.mapping_of(Pod)


async def test_scale_is_read_and_set_whatever_the_kind() -> None:
    """A HorizontalPodAutoscaler does not need to know Deployments."""
    scale = {
        "apiVersion": "autoscaling/v1",
        "kind": "Scale",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"replicas": 2},
        "status": {"replicas": 1},
    }
    c, transport = client(answer(scale), answer(scale), answer(scale))

    found = await c.scale.get(Deployment, "web", namespace="shop")
    await c.scale.set(Deployment, "web", 3, namespace="shop")
    found.spec.replicas = 5
    await c.scale.update(Deployment, found)

    assert {request.target for request in transport.requests} == {
        "/apis/apps/v1/namespaces/shop/deployments/web/scale"
    }
    assert transport.bodies[0] == {"spec": {"replicas": 3}}
    assert transport.bodies[1]["spec"] == {"replicas": 5}


PAGE_NOT_FOUND = Response(404, (("content-type", "text/plain"),), b"404 page not found")
NO_RESOURCE = failure(404, "NotFound", "the server could not find the requested resource")


@pytest.mark.parametrize("answered", [PAGE_NOT_FOUND, NO_RESOURCE])
async def test_a_kind_that_is_not_installed_is_not_taken_for_a_missing_object(
    answered: Response,
) -> None:
    """An operator would otherwise believe that its objects are all gone."""
    c, _ = client(answered, answered, answered)

    with pytest.raises(NotFoundError, match="install its CustomResourceDefinition first"):
        await c.find(Shop, "a")
    with pytest.raises(NotFoundError):
        await c.delete(Shop, "a", missing_ok=True)
    with pytest.raises(NotFoundError):
        await c.list(Shop)


async def test_an_apply_of_the_spec_leaves_the_status_alone() -> None:
    """Its defaults would be claimed by who meant the spec."""
    c, transport = client(answer({"spec": {"size": 1}}), field_owner="me")

    await c.apply(Shop(metadata=ObjectMeta(name="a"), spec=ShopSpec(size=1)))

    assert "status" not in transport.bodies[0]


async def test_a_patch_with_a_list_in_it_carries_the_version() -> None:
    """A merge patch holds lists whole; it must not undo what others did to one."""
    c, transport = client(answer(POD), failure(409, "Conflict"), answer(POD), answer(POD))
    pod = await c.get(Pod, "web")
    pod.spec.containers[0].image = "nginx:2"

    with pytest.raises(ConflictError):
        await c.patch(pod)
    await c.patch(pod, optimistic=False)

    assert transport.bodies[0]["metadata"] == {"resourceVersion": "7", "uid": "u"}
    assert transport.bodies[1]["metadata"] == {"uid": "u"}


async def test_a_conflict_of_owners_says_how_to_go_on() -> None:
    """And is called what the person did: an apply."""
    cause = {"reason": "FieldManagerConflict", "message": 'conflict with "hpa"', "field": ".a"}
    body = {"reason": "Conflict", "message": "Apply failed", "details": {"causes": [cause]}}
    c, _ = client(answer(body, 409), field_owner="me")

    with pytest.raises(ConflictError, match=r"cannot apply configmaps 'a'.*\n.*force=True"):
        await c.apply(ConfigMap(metadata=ObjectMeta(name="a")))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"kind": "ConfigMap"}, r"wrap it in kw\.Unstructured"),
        (ConfigMap, "ConfigMap is a class: give an object of it"),
        (ObjectMeta(name="a"), "ObjectMeta is not a kind"),
        (ConfigMap(metadata={"name": "a"}), r"write kw\.ObjectMeta\(name="),  # type: ignore[arg-type]  # the mistake
    ],
)
async def test_what_is_no_object_is_refused_in_words(given: Any, said: str) -> None:
    """An AttributeError from deep inside would not say what to write instead."""
    c, transport = client(field_owner="me")

    for write in (c.create, c.update, c.apply):
        with pytest.raises(TypeError, match=said):
            await write(given)

    assert transport.requests == []


async def test_a_name_must_be_one() -> None:
    """None comes from a lookup that found nothing."""
    c, _ = client()

    with pytest.raises(TypeError, match="a name is a text"):
        await c.get(Pod, None)  # type: ignore[call-overload]  # the mistake


async def test_a_patch_type_that_there_is_not_is_refused() -> None:
    """With those that there are."""
    c, _ = client()

    with pytest.raises(ValueError, match="'json', 'merge', 'strategic', 'apply'"):
        await c.patch(Pod, "a", {}, patch_type="yaml")  # type: ignore[call-overload]  # the mistake


async def test_the_answer_is_of_the_kind_that_was_posted() -> None:
    """A TokenRequest comes back with the token in it."""
    made = {"kind": "TokenRequest", "metadata": {}, "spec": {}, "status": {"token": "t"}}
    transport = ScriptedTransport(answer(made, 201))
    c = Client(CONFIG, transport=transport)

    token = await c.subresource("token").post(
        ServiceAccount, "robot", TokenRequest(spec=TokenRequestSpec(expiration_seconds=600))
    )

    assert token.status.token == "t"
    assert transport.requests[0].target == ("/api/v1/namespaces/home/serviceaccounts/robot/token")
    assert transport.bodies[0]["spec"] == {"expirationSeconds": 600}


async def test_an_answer_that_says_only_success_returns_what_was_posted() -> None:
    """A Binding is answered by a Status."""
    transport = ScriptedTransport(answer({"kind": "Status", "status": "Success"}, 201))
    c = Client(CONFIG, transport=transport)
    binding = Binding(target=ObjectReference(kind="Node", name="n1"))

    assert await c.subresource("binding").post(Pod, "web", binding) is binding


async def test_the_object_must_be_named() -> None:
    """Without a name the path would be the collection's."""
    c = Client(CONFIG, transport=ScriptedTransport())

    with pytest.raises(ValueError, match="The name is empty"):
        await c.subresource("token").post(ServiceAccount, "", TokenRequest())
