"""Label and field selectors of lists."""

from typing import Any

import pytest

from tests.conformance.bodies import names, pod, service
from tests.conformance.crds import Things
from tests.conformance.wire import Wire


@pytest.fixture(scope="module")
def labels() -> dict[str, dict[str, str]]:
    """What each object carries."""
    return {
        "a": {"app": "web", "tier": "front", "n": "1"},
        "b": {"app": "web", "tier": "back", "n": "20"},
        "c": {"app": "db", "example.com/tier": "back"},
        "d": {},
    }


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("", "abcd"),
        ("app=web", "ab"),
        ("app==web", "ab"),
        (" app = web , tier = front ", "a"),
        ("app!=web", "cd"),
        ("app in (web,db)", "abc"),
        ("app in ( db )", "c"),
        ("app notin (web)", "cd"),
        ("tier", "ab"),
        ("!tier", "cd"),
        ("! tier", "cd"),
        ("app,!tier", "c"),
        ("n>5", "b"),
        ("n<5", "a"),
        ("example.com/tier=back", "c"),
        ("tier=", ""),
        ("tier in (front,)", "a"),
    ],
)
def test_a_label_selector_selects(
    api: Wire,
    things: Things,
    labels: dict[str, dict[str, str]],
    *,
    selector: str,
    expected: str,
) -> None:
    """The grammar that kubectl's -l takes; != and notin also take what lacks the label."""
    for name, own in labels.items():
        api.post(things.path, things.body(name, labels=own)).ok(201)

    found = api.get(things.path, labelSelector=selector).ok()

    assert "".join(names(found)) == expected


@pytest.mark.parametrize(
    "selector", ["app in (", "=web", "app=(web)", "app in web", "n>x", "-a=b", "a=b c"]
)
def test_a_label_selector_that_is_none_is_refused(api: Wire, things: Things, selector: str) -> None:
    """With the reason of the parser, not with everything."""
    status = api.get(things.path, labelSelector=selector).refused(400, "BadRequest")

    assert status["message"]


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("metadata.name=a", "a"),
        ("metadata.name==a", "a"),
        ("metadata.name!=a", "b"),
        ("metadata.name=a,metadata.name=b", ""),
        ("metadata.namespace=elsewhere", ""),
        ("metadata.namespace!=elsewhere", "ab"),
    ],
)
def test_name_and_namespace_are_fields_of_every_kind(
    api: Wire, things: Things, selector: str, expected: str
) -> None:
    """All other fields are declared by the kind."""
    for name in ("a", "b"):
        api.post(things.path, things.body(name)).ok(201)

    found = api.get(things.path, fieldSelector=selector).ok()

    assert "".join(names(found)) == expected


def test_an_unknown_field_is_refused(api: Wire, things: Things) -> None:
    """To ignore it would list too much, and someone deletes by it."""
    status = api.get(things.path, fieldSelector="data.k=v").refused(400, "BadRequest")

    known = '"data.k" is not a known field selector: only "metadata.name", "metadata.namespace"'
    assert (known if not things.group else "field label not supported: data.k") in status["message"]


@pytest.mark.parametrize("selector", ["metadata.name", "metadata.name>a", "=a"])
def test_a_field_selector_that_is_none_is_refused(api: Wire, things: Things, selector: str) -> None:
    """Only = and != there are."""
    api.get(things.path, fieldSelector=selector).refused(400, "BadRequest")


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("spec.nodeName=n1", "a"),
        ("spec.nodeName=", "b"),
        ("spec.nodeName!=n1", "b"),
        ("status.phase=Pending", "ab"),
        ("status.phase!=Pending", ""),
        ("spec.restartPolicy=Never", "b"),
        ("spec.restartPolicy=Always,spec.nodeName=n1", "a"),
    ],
)
def test_pods_have_fields_of_their_own(api: Wire, pods: str, selector: str, expected: str) -> None:
    """A kubelet lists the pods of its node by one of them."""
    api.post(pods, pod("a", nodeName="n1")).ok(201)
    api.post(pods, pod("b", restartPolicy="Never")).ok(201)

    assert "".join(names(api.get(pods, fieldSelector=selector).ok())) == expected


@pytest.mark.parametrize(
    ("plural", "body", "hit", "miss"),
    [
        ("secrets", {"type": "example.com/a"}, "type=example.com/a", "type=Opaque"),
        (
            "events",
            {"involvedObject": {"kind": "Pod", "name": "p"}, "reason": "R", "type": "Normal"},
            "involvedObject.name=p,reason=R",
            "reason=S",
        ),
        (
            "replicationcontrollers",
            {"spec": {"replicas": 0}},
            "status.replicas=0",
            "status.replicas=1",
        ),
    ],
)
def test_other_kinds_have_fields_too(  # a row of the table, and two fixtures
    api: Wire, namespace: str, *, plural: str, body: dict[str, Any], hit: str, miss: str
) -> None:
    """``kubectl get events --field-selector`` lives from this."""
    path = f"/api/v1/namespaces/{namespace}/{plural}"
    full = {"metadata": {"name": "a", "namespace": namespace}, **body}
    if plural == "events":
        full["involvedObject"]["namespace"] = namespace
    if plural == "replicationcontrollers":
        template = {"metadata": {"labels": {"a": "b"}}, "spec": pod("x")["spec"]}
        full["spec"] = {"replicas": 0, "selector": {"a": "b"}, "template": template}
    api.post(path, full).ok(201)

    assert names(api.get(path, fieldSelector=hit).ok()) == ["a"]
    assert names(api.get(path, fieldSelector=miss).ok()) == []


def test_both_kinds_of_selectors_must_hold(api: Wire, namespace: str) -> None:
    """Labels and fields together."""
    path = f"/api/v1/namespaces/{namespace}/services"
    for name in ("a", "b"):
        body = service(name)
        body["metadata"]["labels"] = {"app": "x"}
        api.post(path, body).ok(201)

    found = api.get(path, labelSelector="app=x", fieldSelector="metadata.name=b").ok()

    assert names(found) == ["b"]
