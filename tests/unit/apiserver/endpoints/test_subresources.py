"""Bindings, evictions, tokens, and what needs a node."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from kubewright.apiserver.backend import Call
from kubewright.apiserver.server import APIServer
from kubewright.apiserver.wire.request import Response
from tests.unit.apiserver.admission.webhook_server import (
    WebhookServer,
    allow,
    patch,
    register,
    webhook_server,
)
from tests.unit.apiserver.asking import CORE, MERGE, PODS, Obj, ask, make, named, pod, settled

BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
SELECTOR = {"matchLabels": {"app": "x"}}


async def running(server: APIServer, name: str, *, ready: str = "True", **meta: Any) -> None:
    await make(server, PODS, pod(name, labels={"app": "x"}, **meta))
    status = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": ready}]}}
    assert (await ask(server, "PATCH", f"{PODS}/{name}/status", status, media=MERGE)).status == 200


@pytest.mark.parametrize("path", [f"{PODS}/a/binding", f"{CORE}/bindings"])
async def test_a_binding_puts_a_pod_on_a_node_once(server: APIServer, path: str) -> None:
    """A second scheduler comes too late."""
    await make(server, PODS, pod("a"))
    binding = {**named("a"), "target": {"kind": "Node", "name": "n"}}

    dry = await ask(server, "POST", f"{path}?dryRun=All", binding)
    first = await ask(server, "POST", path, binding)
    second = await ask(server, "POST", path, binding)

    assert (dry.status, first.status, second.status) == (201, 201, 409)
    bound = (await ask(server, "GET", f"{PODS}/a")).obj
    assert bound["spec"]["nodeName"] == "n"
    assert bound["status"]["conditions"][0]["type"] == "PodScheduled"


@pytest.mark.parametrize("subresource", ["binding", "eviction"])
async def test_a_body_that_makes_no_sense_is_no_fault_of_ours(
    server: APIServer, subresource: str
) -> None:
    """Whatever it is, it is told what is wrong with it."""
    await make(server, PODS, pod("a"))
    bodies: list[Any] = [[], "x", {"metadata": None}, {"metadata": []}, {"target": "x"}]
    bodies += [{"kind": "Pod"}, {"deleteOptions": "x"}, {"deleteOptions": {"dryRun": "x"}}]

    for body in bodies:
        answer = await ask(server, "POST", f"{PODS}/a/{subresource}?dryRun=All", body)

        assert b"Internal error occurred" not in answer.body, body


async def test_an_eviction_spends_the_budget_and_no_more(server: APIServer) -> None:
    """A budget without room refuses, and says why."""
    for name in "ab":
        await running(server, name)
    await make(server, BUDGETS, {**named("b"), "spec": {"minAvailable": 1, "selector": SELECTOR}})
    state = {"disruptionsAllowed": 1, "currentHealthy": 2, "desiredHealthy": 1}
    status = {"status": {**state, "observedGeneration": 1, "expectedPods": 2}}
    await ask(server, "PATCH", f"{BUDGETS}/b/status", status, media=MERGE)

    dry = await ask(server, "POST", f"{PODS}/a/eviction?dryRun=All", named("a"))
    first = await ask(server, "POST", f"{PODS}/a/eviction", named("a"))
    second = await ask(server, "POST", f"{PODS}/b/eviction", named("b"))

    assert (dry.status, first.status, second.status) == (201, 201, 429)
    assert second.obj["details"]["causes"][0]["reason"] == "DisruptionBudget"
    assert (await ask(server, "GET", PODS)).names == ["b"]
    assert list((await ask(server, "GET", f"{BUDGETS}/b")).obj["status"]["disruptedPods"]) == ["a"]


async def test_a_budget_that_is_not_counted_yet_refuses(server: APIServer) -> None:
    """Its controller has not seen the present spec."""
    await running(server, "a")
    await make(server, BUDGETS, {**named("b"), "spec": {"minAvailable": 0, "selector": SELECTOR}})

    answer = await ask(server, "POST", f"{PODS}/a/eviction", named("a"))

    assert answer.status == 429
    assert ("Retry-After", "10") in answer.headers


async def test_names_and_preconditions_of_an_eviction_must_fit(server: APIServer) -> None:
    """Another pod of the same name is not meant."""
    await running(server, "a")
    options = {"deleteOptions": {"preconditions": {"uid": "other"}}}

    wrong = await ask(server, "POST", f"{PODS}/a/eviction", named("b"))
    stale = await ask(server, "POST", f"{PODS}/a/eviction", {**named("a"), **options})

    assert (wrong.status, stale.status) == (400, 409)
    assert (await ask(server, "POST", f"{PODS}/none/eviction", {})).status == 404


async def test_an_evicted_pod_says_so(server: APIServer) -> None:
    """A Job's podFailurePolicy asks whether the pod was disrupted or failed by itself."""
    await running(server, "a", finalizers=["x.io/y"])
    version = (await ask(server, "GET", f"{PODS}/a")).version
    options = {"deleteOptions": {"preconditions": {"resourceVersion": version}}}

    answer = await ask(server, "POST", f"{PODS}/a/eviction", {**named("a"), **options})

    evicted = (await ask(server, "GET", f"{PODS}/a")).obj
    [told] = [one for one in evicted["status"]["conditions"] if one["type"] == "DisruptionTarget"]
    assert answer.status == 201
    assert "deletionTimestamp" in evicted["metadata"]
    assert (told["status"], told["reason"]) == ("True", "EvictionByEvictionAPI")
    assert told["message"] == "Eviction API: evicting"


@pytest.mark.parametrize(
    ("policy", "healthy", "status"),
    [("AlwaysAllow", 0, 201), ("IfHealthyBudget", 1, 201), ("IfHealthyBudget", 0, 429)],
)
async def test_a_pod_that_is_not_ready_may_go_without_the_budget(
    server: APIServer, policy: str, healthy: int, status: int
) -> None:
    """It does not count as healthy, so its end disrupts nobody."""
    await running(server, "a", ready="False")
    spec = {"minAvailable": 1, "selector": SELECTOR, "unhealthyPodEvictionPolicy": policy}
    await make(server, BUDGETS, {**named("b"), "spec": spec})
    state = {"disruptionsAllowed": 0, "currentHealthy": healthy, "desiredHealthy": 1}
    told = {"status": {**state, "observedGeneration": 1, "expectedPods": 2}}
    await ask(server, "PATCH", f"{BUDGETS}/b/status", told, media=MERGE)

    answer = await ask(server, "POST", f"{PODS}/a/eviction", named("a"))

    assert answer.status == status


async def test_a_service_account_gets_tokens(server: APIServer) -> None:
    """They are not stored, and need an account."""
    path = f"{CORE}/serviceaccounts"
    await make(server, path, "bot")

    answer = await ask(server, "POST", f"{path}/bot/token", {"spec": {"expirationSeconds": 600}})
    none = await ask(server, "POST", f"{path}/none/token", {"spec": {}})
    odd = await ask(server, "POST", f"{path}/bot/token", {"spec": {"audiences": "x"}})

    assert (answer.status, answer.obj["kind"]) == (201, "TokenRequest")
    assert answer.obj["status"]["token"].count(".") == 2
    assert (none.status, odd.status) == (404, 400)


class EchoNode:
    """Answers with what it was asked for."""

    async def answer(self, call: Call, pod: Obj) -> Response:
        return Response(200, f"{call.subresource} of {pod['metadata']['name']}".encode())


@pytest.fixture
async def echoing() -> AsyncIterator[APIServer]:
    """A server with a node."""
    async with APIServer(node=EchoNode()) as running:
        yield running


ON_A_NODE = {**pod("a"), "spec": {**pod("a")["spec"], "nodeName": "n"}}


async def test_what_happens_in_containers_is_asked_of_the_node(
    server: APIServer, echoing: APIServer
) -> None:
    """Without a node, or for a pod that is on none, there is nothing to ask."""
    await make(server, PODS, ON_A_NODE)
    alone = await ask(server, "GET", f"{PODS}/a/log")
    server = echoing
    await make(server, PODS, pod("loose"))
    await make(server, PODS, ON_A_NODE)

    loose = await ask(server, "GET", f"{PODS}/loose/log")
    answers = [
        (await ask(server, method, f"{PODS}/a/{name}")).body
        for method, name in (("GET", "log"), ("POST", "exec"), ("GET", "proxy/x"))
    ]

    assert (loose.status, alone.status) == (400, 503)
    assert answers == [b"log of a", b"exec of a", b"proxy of a"]
    assert (await ask(server, "GET", f"{PODS}/none/log")).status == 404


async def test_a_proxy_may_be_asked_for_a_port_of_an_object(echoing: APIServer) -> None:
    """The port, and the scheme before it, are not a part of the name."""
    server = echoing
    await make(server, PODS, ON_A_NODE)

    answers = [
        (await ask(server, "GET", f"{PODS}/{name}/proxy/x")).body
        for name in ("a:80", "http:a:80", "a:")
    ]

    assert answers == [b"proxy of a"] * 3
    assert (await ask(server, "GET", f"{PODS}/b:80/proxy")).status == 404
    assert (await ask(server, "GET", f"{PODS}/a:80/log")).status == 404


def refuse(request: Obj) -> Obj:
    return {"allowed": False, "status": {"code": 403, "message": "no"}}


def seen(hooks: WebhookServer) -> list[Any]:
    """Return operation, kind, resource, subresource and name of all that webhooks were asked."""
    return [
        (
            one["operation"],
            *one["kind"].values(),
            one["resource"]["resource"],
            one.get("subResource"),
            one.get("name"),
        )
        for one in (review["request"] for review in hooks.requests)
    ]


BINDING = {"target": {"kind": "Node", "name": "n"}}
CREATIONS = [
    (
        f"{CORE}/serviceaccounts/default/token",
        {"spec": {"audiences": ["x"]}},
        ("authentication.k8s.io", "v1", "TokenRequest", "serviceaccounts", "token", "default"),
    ),
    (
        f"{PODS}/a/binding",
        {**named("a"), **BINDING},
        ("", "v1", "Binding", "pods", "binding", "a"),
    ),
    (f"{CORE}/bindings", {**named("a"), **BINDING}, ("", "v1", "Binding", "bindings", None, "a")),
    (f"{PODS}/a/eviction", named("a"), ("policy", "v1", "Eviction", "pods", "eviction", "a")),
]


@pytest.mark.parametrize(("path", "body", "asked"), CREATIONS)
async def test_admission_is_asked_about_what_is_created_below_an_object(
    server: APIServer, path: str, body: Obj, asked: tuple[Any, ...]
) -> None:
    """As what it is, and once: that a pod is changed or deleted by it is not another write."""
    await settled()
    await make(server, PODS, pod("a"))
    async with webhook_server() as hooks:
        for kind in ("mutating", "validating"):
            await register(server, hooks.serve(kind, allow), "*", kind=kind)

        answer = await ask(server, "POST", path, body)

    assert answer.status == 201, answer.body
    assert [path.partition("?")[0] for path in hooks.paths] == ["/mutating", "/validating"]
    assert seen(hooks) == [("CREATE", *asked)] * 2
    shown = [review["request"]["object"]["metadata"]["namespace"] for review in hooks.requests]
    assert shown == ["default", "default"]


@pytest.mark.parametrize("kind", ["mutating", "validating"])
@pytest.mark.parametrize(("path", "body", "asked"), CREATIONS)
async def test_what_admission_refuses_below_an_object_does_not_happen(
    server: APIServer, path: str, body: Obj, asked: tuple[Any, ...], kind: str
) -> None:
    """No token, no node, and the pod stays."""
    await settled()
    await make(server, PODS, pod("a"))
    async with webhook_server() as hooks:
        await register(server, hooks.serve("v", refuse), "CREATE", kind=kind)

        answer = await ask(server, "POST", path, body)

    assert answer.status == 403, asked
    assert "denied the request: no" in answer.message
    [left] = (await ask(server, "GET", PODS)).obj["items"]
    assert "nodeName" not in left["spec"]
    assert "deletionTimestamp" not in left["metadata"]


async def test_a_mutation_of_a_token_request_is_the_request(server: APIServer) -> None:
    """Before it is completed, and what is no field of it is dropped."""
    await settled()
    changes = patch(
        {"op": "add", "path": "/spec/audiences", "value": ["other"]},
        {"op": "add", "path": "/spec/nonsense", "value": 1},
    )
    async with webhook_server() as hooks:
        await register(server, hooks.serve("m", changes), "CREATE", kind="mutating")

        answer = await ask(server, "POST", f"{CORE}/serviceaccounts/default/token", {"spec": {}})

    assert hooks.requests[0]["request"]["object"]["spec"] == {
        "audiences": None,
        "boundObjectRef": None,
        "expirationSeconds": 3600,
    }
    assert answer.obj["spec"]["audiences"] == ["other"]
    assert "nonsense" not in answer.obj["spec"]


async def test_a_mutation_of_a_binding_puts_the_pod_elsewhere(server: APIServer) -> None:
    """The pod gets the node that admission has left in the binding."""
    await make(server, PODS, pod("a"))
    other = patch({"op": "replace", "path": "/target/name", "value": "m"})
    async with webhook_server() as hooks:
        await register(server, hooks.serve("m", other), "CREATE", kind="mutating")

        await ask(server, "POST", f"{PODS}/a/binding", {**named("a"), **BINDING})

    assert (await ask(server, "GET", f"{PODS}/a")).obj["spec"]["nodeName"] == "m"
