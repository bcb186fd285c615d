"""Bindings, evictions, tokens, and what needs a node."""

from typing import Any

import pytest

from kubewright.apiserver.backend import Call
from kubewright.apiserver.request import Response
from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import CORE, MERGE, PODS, Obj, ask, make, named, pod

BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
SELECTOR = {"matchLabels": {"app": "x"}}


async def running(server: APIServer, name: str) -> None:
    await make(server, PODS, pod(name, labels={"app": "x"}))
    status = {"status": {"phase": "Running"}}
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


async def test_what_happens_in_containers_is_asked_of_the_node(server: APIServer) -> None:
    """Without a node, or for a pod that is on none, there is nothing to ask."""
    await make(server, PODS, pod("loose"))
    await make(server, PODS, {**pod("a"), "spec": {**pod("a")["spec"], "nodeName": "n"}})

    loose = await ask(server, "GET", f"{PODS}/loose/log")
    alone = await ask(server, "GET", f"{PODS}/a/log")
    server.node = EchoNode()
    answers = [
        (await ask(server, method, f"{PODS}/a/{name}")).body
        for method, name in (("GET", "log"), ("POST", "exec"), ("GET", "proxy/x"))
    ]

    assert (loose.status, alone.status) == (400, 503)
    assert answers == [b"log of a", b"exec of a", b"proxy of a"]
    assert (await ask(server, "GET", f"{PODS}/none/log")).status == 404


async def test_a_proxy_may_be_asked_for_a_port_of_an_object(server: APIServer) -> None:
    """The port, and the scheme before it, are no part of the name."""
    await make(server, PODS, {**pod("a"), "spec": {**pod("a")["spec"], "nodeName": "n"}})
    server.node = EchoNode()

    answers = [
        (await ask(server, "GET", f"{PODS}/{name}/proxy/x")).body
        for name in ("a:80", "http:a:80", "a:")
    ]

    assert answers == [b"proxy of a"] * 3
    assert (await ask(server, "GET", f"{PODS}/b:80/proxy")).status == 404
    assert (await ask(server, "GET", f"{PODS}/a:80/log")).status == 404
