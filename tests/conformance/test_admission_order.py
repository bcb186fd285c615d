"""The order of admission: who sees an object when, and which refusal a user hears."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.crds import Things
from tests.conformance.hooks import Hook, json_patch, respond, serving
from tests.conformance.test_admission_webhooks import Registrar
from tests.conformance.wire import Wire, with_query

LIMIT = "kubernetes.io/limit-ranger"


def pod(name: str = "a", **parts: Any) -> dict[str, Any]:
    """Return a pod that needs no service account's token."""
    container = {"name": "c", "image": "i", **parts.pop("container", {})}
    spec = {"containers": [container], "automountServiceAccountToken": False, **parts}
    return {"metadata": {"name": name, "labels": {"order": "yes"}}, "spec": spec}


def limit(api: Wire, namespace: str, pods: str, **item: Any) -> None:
    """Make a LimitRange, and wait until the server holds pods to it."""
    path = f"/api/v1/namespaces/{namespace}/limitranges"
    spec = {"limits": [{"type": "Container", **item}]}
    api.post(path, {"metadata": {"name": "r"}, "spec": spec}).ok(201)
    deadline = time.monotonic() + 20
    while LIMIT not in api.post(with_query(pods, dryRun="All"), pod("probe")).text:
        assert time.monotonic() < deadline, "the limit range is never applied"
        time.sleep(0.05)


@pytest.fixture
def hook(tmp_path: Path) -> Iterator[Hook]:
    """A webhook that allows everything until told otherwise."""
    with serving(tmp_path) as hook:
        yield hook


@pytest.fixture
def register(api: Wire, things: Things, hook: Hook, namespace: str) -> Iterator[Registrar]:
    """Registers webhooks; each is for the namespace of the test only."""
    registrar = Registrar(api, things, hook, namespace)
    yield registrar
    registrar.clean()


def test_the_namespace_is_checked_before_anything_else(api: Wire, namespace: str) -> None:
    """A pod with a wrong priority in a namespace that is not there hears of the namespace."""
    path = f"/api/v1/namespaces/{namespace}-none/pods"

    status = api.post(path, pod(priorityClassName="none")).refused(404, "NotFound")

    assert status["message"] == f'namespaces "{namespace}-none" not found'


def test_an_object_is_valid_before_it_is_held_to_limits(
    api: Wire, namespace: str, pods: str
) -> None:
    """Whoever sends nonsense hears what is wrong with it, not that it is too large."""
    limit(api, namespace, pods, default={"cpu": "1"}, max={"cpu": "1"})
    large = {"resources": {"limits": {"cpu": "5"}}}

    invalid = api.post(pods, pod(container=large, restartPolicy="Sometimes"))
    valid = api.post(pods, pod(container=large))

    invalid.refused(422, "Invalid")
    assert "maximum cpu usage per Container is 1" in valid.refused(403, "Forbidden")["message"]


def test_defaults_of_a_namespace_count_for_the_quality_of_service(
    api: Wire, namespace: str, pods: str
) -> None:
    """A pod that asks for nothing is not the first to be evicted if its namespace asks for it."""
    limit(api, namespace, pods, defaultRequest={"cpu": "100m"})

    made = api.post(pods, pod()).ok(201)

    assert made["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "100m"}
    assert made["status"]["qosClass"] == "Burstable"


def test_what_a_webhook_adds_is_completed_by_the_plugins_before_it(
    api: Wire, namespace: str, pods: str, hook: Hook, register: Registrar
) -> None:
    """A sidecar that a webhook injects gets the defaults of the namespace, too."""
    limit(api, namespace, pods, defaultRequest={"cpu": "100m"})
    sidecar = {"name": "sidecar", "image": "i"}
    patch = json_patch({"op": "add", "path": "/spec/containers/-", "value": sidecar})
    hook.answer = lambda review: (
        respond(review, allowed=True, **patch)
        if review["request"]["resource"]["resource"] == "pods"
        else respond(review, allowed=True)
    )
    rule = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "resources": ["pods"],
        "operations": ["CREATE"],
    }
    selector = {"matchLabels": {"order": "yes"}}
    register("mutating", rules=[rule], objectSelector=selector)

    made = api.post(pods, pod()).ok(201)

    requests = [one["resources"]["requests"] for one in made["spec"]["containers"]]
    assert requests == [{"cpu": "100m"}] * 2


def test_a_mutating_webhook_sees_an_object_without_what_the_store_adds(
    api: Wire, things: Things, hook: Hook, register: Registrar
) -> None:
    """The uid and the time come when the object is stored; a validating webhook sees them."""
    register("mutating")
    register("validating")

    api.post(things.path, things.body("a")).ok(201)

    seen = [request["object"]["metadata"] for request in hook.requests("a")]
    assert [bool(one.get("uid")) for one in seen] == [False, True]
    assert [bool(one.get("creationTimestamp")) for one in seen] == [False, True]
