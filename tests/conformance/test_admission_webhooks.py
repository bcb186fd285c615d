"""Admission webhooks: whom the server asks, when, and what it does with the answer."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.crds import Things
from tests.conformance.hooks import Hook, allow, json_patch, respond, serving
from tests.conformance.wire import Wire, with_query

REGISTRATION = "/apis/admissionregistration.k8s.io/v1"


@pytest.fixture
def hook(tmp_path: Path) -> Iterator[Hook]:
    """A webhook that allows everything until told otherwise."""
    with serving(tmp_path) as hook:
        yield hook


class Registrar:
    """Registers webhooks for the things of one namespace, and waits until they are asked."""

    def __init__(self, api: Wire, things: Things, hook: Hook, namespace: str) -> None:
        self._api = api
        self._things = things
        self._hook = hook
        self._namespace = namespace
        self._made: list[str] = []

    def __call__(self, kind: str = "validating", **webhook: Any) -> None:
        """Register one; *webhook* overrides what is in it."""
        name = f"{kind}-{self._namespace}-{len(self._made)}"
        full = {
            "name": f"{kind}.example.com",
            "clientConfig": self._hook.client_config(f"/{kind}"),
            "rules": [self.rule("*")],
            "admissionReviewVersions": ["v1"],
            "sideEffects": "None",
            "timeoutSeconds": 5,
            **webhook,
        }
        path = f"{REGISTRATION}/{kind}webhookconfigurations"
        body = {"metadata": {"name": name}, "webhooks": [full]}
        self._api.post(path, body).ok(201)
        self._made.append(f"{path}/{name}")
        self._wait(kind)

    def rule(self, *operations: str, **more: Any) -> dict[str, Any]:
        """Return a rule for the things."""
        return {
            "apiGroups": [self._things.group],
            "apiVersions": ["v1"],
            "resources": [self._things.resource],
            "operations": list(operations),
            **more,
        }

    def _wait(self, kind: str) -> None:
        # A server learns of it a moment later. It learns in order: once it asks this one, which is
        # made after the other and asked about one object only, it asks the other as well.
        path = f"{REGISTRATION}/{kind}webhookconfigurations"
        probe = {
            "metadata": {"name": f"a-probe-{self._namespace}"},
            "webhooks": [
                {
                    "name": "probe.example.com",
                    "clientConfig": {"url": "https://127.0.0.1:9/"},
                    "rules": [self.rule("CREATE")],
                    "admissionReviewVersions": ["v1"],
                    "sideEffects": "None",
                    "failurePolicy": "Fail",
                    "timeoutSeconds": 1,
                    "objectSelector": {"matchLabels": {"probe": self._namespace}},
                }
            ],
        }
        self._api.post(path, probe).ok(201)
        body = self._things.body("probe", labels={"probe": self._namespace})
        address = with_query(self._things.path, dryRun="All")
        deadline = time.monotonic() + 20
        while "probe.example.com" not in self._api.post(address, body).text:
            assert time.monotonic() < deadline, "the webhook is never asked"
            time.sleep(0.05)
        self._api.delete(f"{path}/a-probe-{self._namespace}").ok()
        self._hook.asked.clear()

    def clean(self) -> None:
        """Take all of them away."""
        for path in self._made:
            self._api.delete(path)


@pytest.fixture
def register(api: Wire, things: Things, hook: Hook, namespace: str) -> Iterator[Registrar]:
    """Registers webhooks; each is for the namespace of the test only."""
    registrar = Registrar(api, things, hook, namespace)
    yield registrar
    registrar.clean()


def denies(review: dict[str, Any]) -> dict[str, Any]:
    """Say no, with a reason, to what is called ``bad``."""
    if review["request"].get("name") != "bad":
        return allow(review)
    status = {"message": "bad is bad", "code": 418, "reason": "Because"}
    return respond(review, allowed=False, status=status)


def test_a_denial_is_told_in_the_words_of_the_webhook(
    api: Wire, things: Things, hook: Hook, register: Registrar
) -> None:
    """The code and the reason are its own as well; nothing is stored."""
    hook.answer = denies
    register()

    status = api.post(things.path, things.body("bad")).refused(418, "Because")
    api.post(things.path, things.body("good")).ok(201)

    assert status["message"] == (
        'admission webhook "validating.example.com" denied the request: bad is bad'
    )
    api.get(f"{things.path}/bad").refused(404)


def test_a_denial_without_words_is_forbidden(
    api: Wire, things: Things, hook: Hook, register: Registrar
) -> None:
    """Or a bad request, as it always was: 400 without a reason of its own."""
    hook.answer = lambda review: respond(review, allowed=review["request"].get("name") != "bad")
    register()

    reply = api.post(things.path, things.body("bad"))

    assert reply.status in (400, 403), reply.text
    assert reply.json()["message"] == (
        'admission webhook "validating.example.com" denied the request without explanation'
    )


def test_the_request_says_everything(
    api: Wire, things: Things, hook: Hook, register: Registrar, namespace: str
) -> None:
    """Who does what to which object, before and after."""
    register()
    api.post(things.path, things.body("a", k="1")).ok(201)
    api.patch(f"{things.path}/a", {"data": {"k": "2"}}).ok()
    api.delete(f"{things.path}/a").ok()

    created, updated, deleted = hook.requests("a")

    assert [one["operation"] for one in (created, updated, deleted)] == [
        "CREATE",
        "UPDATE",
        "DELETE",
    ]
    kind = {"group": things.group, "version": "v1", "kind": things.kind}
    resource = {"group": things.group, "version": "v1", "resource": things.resource}
    assert created["kind"] == created["requestKind"] == kind
    assert created["resource"] == created["requestResource"] == resource
    assert (created["namespace"], created["dryRun"]) == (namespace, False)
    assert "system:masters" in created["userInfo"]["groups"]
    assert created["object"]["data"] == {"k": "1"}
    assert created.get("oldObject") is None
    assert created["options"]["kind"] == "CreateOptions"
    assert (updated["oldObject"]["data"], updated["object"]["data"]) == ({"k": "1"}, {"k": "2"})
    assert deleted.get("object") is None
    assert deleted["oldObject"]["data"] == {"k": "2"}


def test_a_mutating_webhook_patches(
    api: Wire, things: Things, hook: Hook, register: Registrar
) -> None:
    """Before validation and storage."""
    patch = json_patch({"op": "add", "path": "/data/added", "value": "yes"})
    hook.answer = lambda review: respond(review, allowed=True, **patch)
    register("mutating")

    made = api.post(things.path, things.body("a", k="1")).ok(201)

    assert made["data"] == {"k": "1", "added": "yes"}
    assert api.get(f"{things.path}/a").ok()["data"] == {"k": "1", "added": "yes"}


def test_mutating_comes_before_validating(
    api: Wire, things: Things, hook: Hook, register: Registrar
) -> None:
    """The validator sees what will be stored."""
    patch = json_patch({"op": "add", "path": "/data/added", "value": "yes"})

    def answer(review: dict[str, Any]) -> dict[str, Any]:
        mutates = "added" not in review["request"]["object"].get("data", {})
        return respond(review, allowed=True, **(patch if mutates else {}))

    register("mutating")
    register("validating")
    hook.answer = answer

    api.post(things.path, things.body("a", k="1")).ok(201)

    first, *_, last = hook.requests("a")
    assert first["object"]["data"] == {"k": "1"}
    assert last["object"]["data"] == {"k": "1", "added": "yes"}


def test_a_patch_that_breaks_the_object_is_refused(
    api: Wire, things: Things, hook: Hook, register: Registrar
) -> None:
    """Webhooks keep to the rules as well."""
    patch = json_patch({"op": "add", "path": "/metadata/labels", "value": {"a b": "c"}})
    hook.answer = lambda review: respond(review, allowed=True, **patch)
    register("mutating")

    assert "metadata.labels" in [
        field for _, field, _ in api.post(things.path, things.body("a")).causes()
    ]


@pytest.mark.parametrize(
    ("operations", "asked"),
    [(["CREATE"], ["CREATE"]), (["UPDATE", "DELETE"], ["UPDATE", "DELETE"])],
)
def test_rules_choose_operations(  # two of them are the table
    api: Wire,
    things: Things,
    hook: Hook,
    register: Registrar,
    *,
    operations: list[str],
    asked: list[str],
) -> None:
    """Others pass unseen."""
    register(rules=[register.rule(*operations)])

    api.post(things.path, things.body("a")).ok(201)
    api.patch(f"{things.path}/a", {"data": {"k": "2"}}).ok()
    api.delete(f"{things.path}/a").ok()

    assert [one["operation"] for one in hook.requests("a")] == asked


def test_selectors_choose_objects_and_namespaces(
    api: Wire, things: Things, hook: Hook, register: Registrar
) -> None:
    """By the labels of the object, before or after; and by those of its namespace."""
    register(objectSelector={"matchLabels": {"app": "x"}})

    api.post(things.path, things.body("a")).ok(201)
    api.post(things.path, things.body("b", labels={"app": "x"})).ok(201)
    api.patch(f"{things.path}/b", {"metadata": {"labels": {"app": None}}}).ok()

    assert hook.requests("a") == []
    assert [one["operation"] for one in hook.requests("b")] == ["CREATE", "UPDATE"]


def test_a_namespace_selector_leaves_others_alone(
    api: Wire, things: Things, hook: Hook, register: Registrar
) -> None:
    """No label, no question."""
    register(namespaceSelector={"matchLabels": {"none": "such"}})

    api.post(things.path, things.body("a")).ok(201)

    assert hook.asked == []


@pytest.mark.parametrize(("policy", "status"), [("Fail", 500), ("Ignore", 201)])
def test_the_failure_policy_decides_when_it_is_away(
    api: Wire, things: Things, register: Registrar, policy: str, status: int
) -> None:
    """Closed or open."""
    away = {"url": "https://127.0.0.1:9/away"}
    register(clientConfig=away, failurePolicy=policy, timeoutSeconds=1)

    reply = api.post(things.path, things.body("a"))

    assert reply.status == status, reply.text
    if status == 500:
        found = reply.refused(500, "InternalError")
        assert 'failed calling webhook "validating.example.com"' in found["message"]


@pytest.mark.parametrize("way", ["uid", "kind", "patch"])
def test_an_answer_that_is_none_counts_as_a_failure(
    api: Wire, things: Things, hook: Hook, register: Registrar, way: str
) -> None:
    """The wrong uid, another kind, a patch from a validator's mouth."""
    register("mutating")

    def wrong(review: dict[str, Any]) -> dict[str, Any]:
        answer = respond(review, allowed=True)
        if way == "uid":
            answer["response"]["uid"] = "other"
        elif way == "kind":
            answer["kind"] = "Other"
        else:
            answer["response"]["patch"] = "bm90IGpzb24="
        return answer

    hook.answer = wrong
    reply = api.post(things.path, things.body("a"))
    hook.answer = allow

    assert reply.status == 500, reply.text


def test_warnings_reach_the_user(
    api: Wire, things: Things, hook: Hook, register: Registrar
) -> None:
    """As Warning headers, in their order."""
    hook.answer = lambda review: respond(review, allowed=True, warnings=["one", 'say "two"'])
    register()

    reply = api.post(things.path, things.body("a"))

    assert reply.warnings() == ["one", 'say "two"']
    reply.ok(201)


def test_a_dry_run_is_told(api: Wire, things: Things, hook: Hook, register: Registrar) -> None:
    """A webhook without side effects is asked, and knows."""
    register()

    api.post(with_query(things.path, dryRun="All"), things.body("a")).ok(201)

    [request] = hook.requests("a")
    assert request["dryRun"] is True


def test_reinvocation_asks_again_after_another_patched(
    api: Wire, things: Things, hook: Hook, register: Registrar
) -> None:
    """A webhook that wants to see later changes is asked a second time."""

    def answer(review: dict[str, Any]) -> dict[str, Any]:
        data = review["request"]["object"].get("data", {})
        key = "first" if "second" in data or not data else "second"
        if key in data or not data.get("k"):
            return allow(review)
        operation = {"op": "add", "path": f"/data/{key}", "value": "yes"}
        return respond(review, allowed=True, **json_patch(operation))

    register("mutating", reinvocationPolicy="IfNeeded")
    register("mutating", reinvocationPolicy="IfNeeded")
    hook.answer = answer

    made = api.post(things.path, things.body("a", k="1")).ok(201)

    assert made["data"] == {"k": "1", "first": "yes", "second": "yes"}
    assert len(hook.requests("a")) > 2


@pytest.mark.since("1.28", reason="match conditions")
def test_match_conditions_choose_by_expression(
    api: Wire, things: Things, hook: Hook, register: Registrar
) -> None:
    """CEL over the request and its object; all must hold."""
    if things.group:
        pytest.skip("the server of webhook configurations may be older than that of the things")
    conditions = [
        {"name": "named", "expression": "object.metadata.name.startsWith('x')"},
        {"name": "created", "expression": "request.operation == 'CREATE'"},
    ]
    register(matchConditions=conditions)

    for name in ("a", "xa"):
        api.post(things.path, things.body(name)).ok(201)

    assert [one["name"] for one in (review["request"] for review in hook.asked)] == ["xa"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"sideEffects": "Some"}, "webhooks[0].sideEffects"),
        ({"timeoutSeconds": 31}, "webhooks[0].timeoutSeconds"),
        ({"admissionReviewVersions": []}, "webhooks[0].admissionReviewVersions"),
        ({"name": "short"}, "webhooks[0].name"),
        ({"clientConfig": {}}, "webhooks[0].clientConfig"),
        ({"clientConfig": {"url": "http://a.b"}}, "webhooks[0].clientConfig.url"),
        ({"failurePolicy": "Maybe"}, "webhooks[0].failurePolicy"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_wrong_configuration_is_refused(api: Wire, change: dict[str, Any], field: str) -> None:
    """By the field that is wrong."""
    webhook = {
        "name": "a.example.com",
        "clientConfig": {"url": "https://a.b"},
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        **change,
    }
    path = f"{REGISTRATION}/validatingwebhookconfigurations"

    causes = api.post(path, {"metadata": {"name": "wrong"}, "webhooks": [webhook]}).causes()

    assert field in [name for _, name, _ in causes], causes


CONNECTIONS = [
    (
        "pods/bad/exec?command=sh&command=-c&stdout=true&stderr=true&container=c",
        "PodExecOptions",
        {"stdout": True, "stderr": True, "container": "c", "command": ["sh", "-c"]},
    ),
    (
        "pods/bad/attach?stdin=true&stdout=true&stderr=true&tty=false",
        "PodAttachOptions",
        {"stdin": True, "stdout": True, "stderr": True},
    ),
    ("pods/bad/portforward?ports=80,81", "PodPortForwardOptions", {"ports": [80, 81]}),
    ("pods/bad/proxy/some/page/?x=1", "PodProxyOptions", {"path": "/some/page/"}),
    ("services/bad/proxy/", "ServiceProxyOptions", {"path": "/"}),
]


@pytest.mark.parametrize("kind", ["validating", "mutating"])
@pytest.mark.parametrize(("path", "options", "fields"), CONNECTIONS)
def test_connections_are_admitted_before_anything_is_looked_up(
    api: Wire,
    hook: Hook,
    register: Registrar,
    namespace: str,
    kind: str,
    path: str,
    options: str,
    fields: dict[str, Any],
) -> None:
    """What is asked for is shown as an object; there is no old one, and there are no options."""
    hook.answer = denies
    register(kind, rules=[core_rule("CONNECT", "*/*")])

    status = api.post(f"/api/v1/namespaces/{namespace}/{path}", None).refused(418, "Because")

    assert status["message"].endswith("denied the request: bad is bad")
    [asked] = hook.requests("bad")
    plural, _, subresource = path.partition("?")[0].split("/")[:3]
    assert asked["operation"] == "CONNECT"
    assert asked["kind"] == {"group": "", "version": "v1", "kind": options}
    assert asked["resource"] == {"group": "", "version": "v1", "resource": plural}
    assert (asked["subResource"], asked["namespace"]) == (subresource, namespace)
    assert asked["object"] == {"kind": options, "apiVersion": "v1", **fields}
    assert (asked["oldObject"], asked["options"], asked["dryRun"]) == (None, None, False)


def core_rule(operation: str, *resources: str) -> dict[str, Any]:
    """Return a rule for resources of the core group."""
    return {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "resources": [*resources],
        "operations": [operation],
    }


def test_reading_a_log_is_not_asked_about(
    api: Wire, hook: Hook, register: Registrar, namespace: str
) -> None:
    """It is a read, whoever has to be called for it."""
    register(rules=[core_rule("*", "pods/*")])

    api.get(f"/api/v1/namespaces/{namespace}/pods/bad/log").refused(404, "NotFound")

    assert not hook.asked


@pytest.mark.parametrize(
    ("path", "body", "kind"),
    [
        (
            "serviceaccounts/bad/token",
            {"spec": {"audiences": ["x"]}},
            ("authentication.k8s.io", "TokenRequest"),
        ),
        (
            "pods/bad/binding",
            {"metadata": {"name": "bad"}, "target": {"kind": "Node", "name": "n"}},
            ("", "Binding"),
        ),
        ("pods/bad/eviction", {"metadata": {"name": "bad"}}, ("policy", "Eviction")),
    ],
)
def test_what_is_created_below_an_object_is_admitted(
    api: Wire,
    hook: Hook,
    register: Registrar,
    namespace: str,
    path: str,
    body: dict[str, Any],
    kind: tuple[str, str],
) -> None:
    """As a create of its own kind, whether or not the object above is there."""
    hook.answer = denies
    register("mutating", rules=[core_rule("CREATE", "*/*")])

    api.post(f"/api/v1/namespaces/{namespace}/{path}", body).refused(418, "Because")

    [asked] = hook.requests("bad")
    plural, _, subresource = path.split("/")
    assert (asked["kind"]["group"], asked["kind"]["kind"]) == kind
    assert (asked["resource"]["resource"], asked["subResource"]) == (plural, subresource)
    assert (asked["operation"], asked["oldObject"]) == ("CREATE", None)
    assert asked["object"]["kind"] == kind[1]


def test_scale_is_admitted_as_a_scale(
    api: Wire, hook: Hook, register: Registrar, namespace: str
) -> None:
    """With the scale before; who counts replicas need not know what is scaled."""
    path = f"/apis/apps/v1/namespaces/{namespace}/replicasets"
    labels = {"app": "a"}
    template = {
        "metadata": {"labels": labels},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    }
    spec = {"replicas": 0, "selector": {"matchLabels": labels}, "template": template}
    api.post(path, {"metadata": {"name": "s"}, "spec": spec}).ok(201)
    rule = {**core_rule("UPDATE", "replicasets/scale"), "apiGroups": ["apps"]}
    register(rules=[rule])

    api.patch(f"{path}/s/scale", {"spec": {"replicas": 1}}).ok()

    [asked] = hook.requests("s")
    assert asked["kind"] == {"group": "autoscaling", "version": "v1", "kind": "Scale"}
    assert (asked["oldObject"]["spec"], asked["object"]["spec"]) == ({}, {"replicas": 1})
