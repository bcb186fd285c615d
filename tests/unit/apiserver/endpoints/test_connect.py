"""Connections to pods, services and nodes: what admission is asked, and what becomes of it."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from kubewright._aio.virtual import VirtualClock
from kubewright.apiserver.backend import Call
from kubewright.apiserver.server import APIServer
from kubewright.apiserver.wire.request import Answer, Response
from tests.unit.apiserver.admission.webhook_server import allow, register, webhook_server
from tests.unit.apiserver.asking import CORE, PODS, Obj, Told, ask, make, named, pod

REGISTRATION = "/apis/admissionregistration.k8s.io/v1"
EXEC = "PodExecOptions"


class Recorder:
    """A node that notes what it is asked for, and starts nothing."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    async def answer(self, call: Call, pod: Obj) -> Answer:
        """Say that all went well."""
        self.calls.append(call)
        return Response(200, b"{}")


@pytest.fixture
def node() -> Recorder:
    """The node of the pod ``a``, and of the service ``web``."""
    return Recorder()


@pytest.fixture
async def server(clock: VirtualClock, node: Recorder) -> AsyncIterator[APIServer]:
    """A server with that node, that pod and that service."""
    async with APIServer(node=node, clock=clock) as server:
        await make(server, PODS, {**pod("a"), "spec": {**pod("a")["spec"], "nodeName": "n"}})
        await make(server, f"{CORE}/services", {**named("web"), "spec": {"ports": [{"port": 80}]}})
        await make(server, "/api/v1/nodes", "n")
        yield server


def constraints(*resources: str, operations: Any = ("CONNECT",)) -> Obj:
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "resources": [*resources]}
    return {"resourceRules": [{**rule, "operations": [*operations]}]}


async def bind_policy(server: APIServer, kind: str, spec: Obj, **binding: Any) -> None:
    await make(server, f"{REGISTRATION}/{kind}admissionpolicies", {**named("p"), "spec": spec})
    bound = {**named("b"), "spec": {"policyName": "p", **binding}}
    await make(server, f"{REGISTRATION}/{kind}admissionpolicybindings", bound)


async def refuse_unless(server: APIServer, expression: str, *resources: str) -> None:
    """Have a policy that lets only those connections pass for which *expression* holds."""
    spec = {
        "matchConstraints": constraints(*resources),
        "validations": [{"expression": expression, "message": "no", "reason": "Forbidden"}],
    }
    await bind_policy(server, "validating", spec, validationActions=["Deny"])


async def mutate(server: APIServer, operations: str, *resources: str) -> None:
    mutation = {"patchType": "JSONPatch", "jsonPatch": {"expression": operations}}
    spec = {
        "matchConstraints": constraints(*resources),
        "mutations": [mutation],
        "reinvocationPolicy": "Never",
        "failurePolicy": "Fail",
    }
    await bind_policy(server, "mutating", spec)


CONNECTIONS = [
    (f"{PODS}/a/exec?command=sh", "pods/exec"),
    (f"{PODS}/a/attach?stdin=true", "pods/attach"),
    (f"{PODS}/a/portforward?ports=80", "pods/portforward"),
    (f"{PODS}/a:80/proxy/index.html", "pods/proxy"),
    (f"{CORE}/services/web:80/proxy/", "services/proxy"),
    ("/api/v1/nodes/n/proxy/healthz", "nodes/proxy"),
]


@pytest.mark.parametrize(("path", "resource"), CONNECTIONS)
async def test_what_admission_refuses_never_begins(
    server: APIServer, node: Recorder, path: str, resource: str
) -> None:
    """Nothing has been started, and nobody dialled, when the refusal is told."""
    await refuse_unless(server, "false", resource)

    answer = await ask(server, "POST", path)

    assert (answer.status, answer.obj["reason"]) == (403, "Forbidden"), answer.body
    assert "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no" in answer.message
    assert not node.calls


@pytest.mark.parametrize(("path", "resource"), CONNECTIONS)
async def test_what_admission_allows_goes_on(
    server: APIServer, node: Recorder, path: str, resource: str
) -> None:
    """The node gets the request as the client sent it."""
    asked = "request.operation == 'CONNECT' && oldObject == null"
    await refuse_unless(server, asked, resource)

    answer = await ask(server, "POST", path)

    assert answer.status == 200, answer.body
    [call] = node.calls
    assert f"{call.request.path}?{call.request.query}".rstrip("?") == path


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        (
            f"{PODS}/a/exec?command=sh&command=-c&stdin=true&tty=0&stdout=1&container=c",
            {"kind": EXEC, "stdin": True, "stdout": True, "container": "c"}
            | {"command": ["sh", "-c"]},
        ),
        (f"{PODS}/a/exec", {"kind": EXEC, "command": None}),
        (f"{PODS}/a/attach?tty=true", {"kind": "PodAttachOptions", "tty": True}),
        (f"{PODS}/a/portforward", {"kind": "PodPortForwardOptions"}),
        (
            f"{PODS}/a/portforward?ports=80,81&ports=82",
            {"kind": "PodPortForwardOptions", "ports": [80, 81, 82]},
        ),
        (f"{PODS}/a/proxy", {"kind": "PodProxyOptions"}),
        (f"{PODS}/a/proxy/x/y/", {"kind": "PodProxyOptions", "path": "/x/y/"}),
        (f"{CORE}/services/web/proxy/", {"kind": "ServiceProxyOptions", "path": "/"}),
        ("/api/v1/nodes/n/proxy/%41", {"kind": "NodeProxyOptions", "path": "/A"}),
    ],
)
async def test_options_are_shown_as_an_object(
    server: APIServer, node: Recorder, path: str, wanted: Obj
) -> None:
    """In the words of core/v1, without what is not set; a command is always there."""
    async with webhook_server() as hooks:
        await register(server, hooks.serve("v", allow), "CONNECT")

        assert (await ask(server, "GET", path)).status == 200

    [review] = hooks.requests
    asked = review["request"]
    assert asked["object"] == {"apiVersion": "v1", **wanted}
    assert asked["kind"] == {"group": "", "version": "v1", "kind": wanted["kind"]}
    assert f"{asked['resource']['resource']}/{asked['name']}/{asked['subResource']}" in path
    assert (asked["operation"], asked["oldObject"], asked["options"]) == ("CONNECT", None, None)


async def test_what_mutation_changes_is_what_is_done(server: APIServer, node: Recorder) -> None:
    """A policy that wraps every command must not be a decoration."""
    value = "['audited'] + object.command"
    patch = f"[JSONPatch{{op: 'replace', path: '/command', value: {value}}}]"
    await mutate(server, patch, "pods/exec")

    await ask(server, "POST", f"{PODS}/a/exec?command=sh&stdout=true")

    [call] = node.calls
    assert call.request.query == "stdout=true&command=audited&command=sh"
    assert call.query == {"stdout": "true", "command": "audited"}


async def test_a_proxy_goes_where_mutation_says(server: APIServer, node: Recorder) -> None:
    """The query is the client's all the same."""
    await mutate(server, "[JSONPatch{op: 'add', path: '/path', value: '/b c'}]", "pods/proxy")

    await ask(server, "GET", f"{PODS}/a:80/proxy/a?x=1")

    [call] = node.calls
    assert (call.request.path, call.request.query) == (f"{PODS}/a:80/proxy/b%20c", "x=1")


async def test_mutation_cannot_make_nonsense_of_options(server: APIServer, node: Recorder) -> None:
    """It is told, and nothing is started."""
    await mutate(server, "[JSONPatch{op: 'add', path: '/command', value: 'sh'}]", "pods/exec")

    answer = await ask(server, "POST", f"{PODS}/a/exec")

    assert answer.status == 500
    assert "admission made command of a PodExecOptions" in answer.message
    assert not node.calls


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("dryRun=All", "dryRun is not supported"),
        ("ports=x", 'strconv.ParseUint: parsing "x": invalid syntax'),
        ("ports=70000", 'strconv.ParseUint: parsing "70000": value out of range'),
        (f"ports={'9' * 5000}", "value out of range"),
    ],
)
async def test_options_that_make_no_sense_are_refused(
    server: APIServer, node: Recorder, query: str, why: str
) -> None:
    """Before admission is asked."""
    answer = await ask(server, "POST", f"{PODS}/a/portforward?{query}")

    assert answer.status == 400
    assert why in answer.message
    assert not node.calls


async def test_logs_are_read_and_not_connected_to(server: APIServer, node: Recorder) -> None:
    """Admission is asked about writes and connections only."""
    await refuse_unless(server, "false", "pods/log")

    assert (await ask(server, "GET", f"{PODS}/a/log")).status == 200


async def test_admission_is_asked_before_the_pod_is_looked_up(server: APIServer) -> None:
    """As Kubernetes does, so that a refusal does not tell whether the pod exists."""
    await refuse_unless(server, "false", "pods/exec")

    answer: Told = await ask(server, "POST", f"{PODS}/nobody/exec?command=sh")

    assert answer.status == 403
