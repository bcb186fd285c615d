"""Tests of `kubewright.apiserver.wire.bodies`: the formats in which objects arrive."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from kubewright.apiserver.server import APIServer
from kubewright.apiserver.wire.request import Request, Response
from tests.unit.apiserver.wire.protobuf.encoder import entry, envelope, field

PROTOBUF = "application/vnd.kubernetes.protobuf"
CORE = "/api/v1/namespaces/default"
NAMED = field(1, field(1, "a"))


@pytest.fixture
async def server() -> AsyncIterator[APIServer]:
    async with APIServer(controllers=False) as running:
        yield running


async def send(
    server: APIServer, method: str, path: str, body: bytes, *, media: str = PROTOBUF
) -> tuple[int, Any]:
    headers = {"content-type": media, "accept": f"{PROTOBUF}, application/json"}
    path, _, query = path.partition("?")
    request = Request(method, path, query, headers=headers, body=body, trusted=True)
    answer = await server.handle(request)
    assert isinstance(answer, Response)
    assert answer.content_type == "application/json"
    return answer.status, json.loads(answer.body)


async def create(server: APIServer, path: str, obj: dict[str, Any]) -> Any:
    media = "application/json"
    status, made = await send(server, "POST", path, json.dumps(obj).encode(), media=media)
    assert status == 201, made
    return made


async def test_an_object_in_protobuf_is_stored_like_one_in_json(server: APIServer) -> None:
    """Clients written in Go send what they create as protobuf."""
    body = envelope("v1", "ConfigMap", NAMED, entry(2, "k", "v"), entry(3, "b", b"\xff"))

    status, made = await send(server, "POST", f"{CORE}/configmaps", body)

    json_twin = {"metadata": {"name": "b"}, "data": {"k": "v"}, "binaryData": {"b": "/w=="}}
    twin = await create(server, f"{CORE}/configmaps", json_twin)
    assert status == 201
    assert {**made, "metadata": {}} == {**twin, "metadata": {}}


async def test_options_of_a_deletion_may_be_protobuf(server: APIServer) -> None:
    """A dry run that is not understood would delete for real."""
    await create(server, f"{CORE}/configmaps", {"metadata": {"name": "a"}})
    options = envelope("v1", "DeleteOptions", field(5, "All"))

    assert (await send(server, "DELETE", f"{CORE}/configmaps/a", options))[0] == 200

    assert (await send(server, "GET", f"{CORE}/configmaps/a", b""))[0] == 200


async def test_a_status_may_be_protobuf(server: APIServer) -> None:
    """Controllers written in Go report in this way."""
    spec = {"containers": [{"name": "c", "image": "i"}]}
    await create(server, f"{CORE}/pods", {"metadata": {"name": "a"}, "spec": spec})
    body = envelope("v1", "Pod", NAMED, field(3, field(1, "Running")))

    status, made = await send(server, "PUT", f"{CORE}/pods/a/status", body)

    assert (status, made["status"]["phase"]) == (200, "Running")


async def test_a_scale_may_be_protobuf(server: APIServer) -> None:
    """Autoscalers set replicas without knowing the kind."""
    labels = {"a": "b"}
    template = {
        "metadata": {"labels": labels},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    }
    spec = {"selector": {"matchLabels": labels}, "template": template}
    path = "/apis/apps/v1/namespaces/default/deployments"
    await create(server, path, {"metadata": {"name": "a"}, "spec": spec})
    meta = field(1, field(1, "a") + field(3, "default"))
    body = envelope("autoscaling/v1", "Scale", meta, field(2, field(1, 5)))

    status, made = await send(server, "PUT", f"{path}/a/scale", body)

    assert (status, made["spec"]) == (200, {"replicas": 5})


async def test_reviews_and_tokens_may_be_asked_for_in_protobuf(server: APIServer) -> None:
    """``kubectl auth can-i`` and ``kubectl create token`` do."""
    question = field(2, field(1, field(2, "get") + field(5, "pods")))
    review = envelope("authorization.k8s.io/v1", "SelfSubjectAccessReview", question)
    await create(server, f"{CORE}/serviceaccounts", {"metadata": {"name": "a"}})
    wanted = envelope("authentication.k8s.io/v1", "TokenRequest", field(2, field(4, 3600)))

    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    _, answer = await send(server, "POST", path, review)
    _, token = await send(server, "POST", f"{CORE}/serviceaccounts/a/token", wanted)

    assert answer["status"]["allowed"] is True
    assert token["spec"]["expirationSeconds"] == 3600
    assert token["status"]["token"]


async def test_an_eviction_may_be_protobuf(server: APIServer) -> None:
    """``kubectl drain`` asks for each pod."""
    spec = {"containers": [{"name": "c", "image": "i"}]}
    await create(server, f"{CORE}/pods", {"metadata": {"name": "a"}, "spec": spec})
    body = envelope("policy/v1", "Eviction", NAMED, field(2, field(1, 0)))

    status, _ = await send(server, "POST", f"{CORE}/pods/a/eviction", body)

    assert status == 201
    assert (await send(server, "GET", f"{CORE}/pods/a", b""))[0] == 404


async def test_a_format_that_nobody_reads_is_refused(server: APIServer) -> None:
    """The refusal lists what would do, as the real server does."""
    status, refusal = await send(server, "POST", f"{CORE}/configmaps", b"", media="text/plain")

    assert status == 415
    assert refusal["message"] == (
        "the body of the request was in an unknown format - accepted media types include:"
        " application/json, application/yaml, application/vnd.kubernetes.protobuf"
    )


async def test_fields_are_not_taken_for_repeated_in_protobuf(server: APIServer) -> None:
    """Text that looks like JSON inside of a message is only text."""
    body = envelope("v1", "ConfigMap", NAMED, entry(2, "k", '{"a":1,"a":1,"a":1}'))

    status, _ = await send(server, "POST", f"{CORE}/configmaps?fieldValidation=Strict", body)

    assert status == 201
