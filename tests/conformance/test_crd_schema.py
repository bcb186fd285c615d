"""Each rule that a class declares is one that the server enforces.

The kind is the one of ``tests/golden/crd``, which uses every type and every marker. CEL rules are
enforced since 1.25, selectable fields since 1.31; older servers drop both from the CRD unread.
"""

import json
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import pytest

from kubewright.testing import Server, probe
from tests.golden.crd.every import every_crd

pytestmark = pytest.mark.crd
OK = 200
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
CRD = f"{CRDS}/everies.golden.example.com"
API = "/apis/golden.example.com/v1"

TYPES: dict[str, Any] = {
    "text": "text",
    "flag": True,
    "whole": 2**53,
    "small": 1,
    "large": 1,
    "ratio": 0.5,
    "data": "aGVsbG8=",
    "moment": "2026-01-01T12:00:00Z",
    "precise": "2026-01-01T12:00:00.000000Z",
    "day": "2026-01-01",
    "id": "00000000-0000-4000-8000-000000000000",
    "word": "a",
    "number": 1,
    "colour": "Red",
    "level": 2,
    "name": "name",
    "port": 80,
    "box": {"inside": 1},
    "names": ["a", "a"],
    "ports": [1, 65535],
    "tags": ["a", "b"],
    "labels": {"a": "b"},
    "boxes": {"a": [{"inside": "b"}]},
    "anything": [1, {"a": "b"}],
    "raw": {"a": [1]},
    "share": "30%",
    "memory": "64Mi",
    "timeout": "1h30m",
    "selector": {"matchLabels": {"a": "b"}},
    "template": {"labels": {"a": "b"}, "name": "a"},
    "conditions": [
        {
            "type": "Ready",
            "status": "True",
            "reason": "AllUp",
            "message": "",
            "lastTransitionTime": "2026-01-01T12:00:00Z",
        }
    ],
    "embedded": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"x": 1}},
    "limited": "abc",
}
VALUES: dict[str, Any] = {
    "minimum": 3,
    "maximum": 3,
    "above": 0.6,
    "below": 2,
    "multipleOf": 10,
    "minLength": "ab",
    "maxLength": "ab",
    "pattern": "aaa",
    "enumValues": 1.5,
    "email": "a@example.com",
    "plain": 1,
    "kindOf": "abc",
    "minItems": ["a"],
    "maxItems": ["a"],
    "items": ["b"],
    "elements": ["ab"],
    "minProperties": {"a": "b"},
    "maxProperties": {"a": "b"},
    "nullable": None,
}
STRUCTURE: dict[str, Any] = {
    "keyed": [{"keyName": "a"}, {"keyName": "a", "protocol": "UDP"}],
    "asSet": [1, 2],
    "atomic": [1, 1],
    "atomicMap": {"a": "b"},
    "granularMap": {"a": "b"},
    "whole": {"a": 1},
    "open": {"known": "a", "unknown": [1]},
    "embedded": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "x": 1},
    "either": 1,
    "schemaless": ["a", 1],
    "verbatim": "1234567",
    "patched": "1234567",
}
GOOD: dict[str, Any] = {
    "types": TYPES,
    "values": VALUES,
    "structure": STRUCTURE,
    "presence": {"must": "a"},
    "ruled": {"low": 1, "high": 2, "left": "a"},
}

# section, field, a value that breaks its rule, the field that the server then names
BAD: list[tuple[str, str, Any, str]] = [
    ("types", "text", 1, "text"),
    ("types", "flag", "true", "flag"),
    ("types", "whole", 1.5, "whole"),
    ("types", "small", "1", "small"),
    ("types", "ratio", "a", "ratio"),
    ("types", "data", "!", "data"),
    ("types", "moment", "noon", "moment"),
    ("types", "precise", "noon", "precise"),
    ("types", "day", "today", "day"),
    ("types", "id", "me", "id"),
    ("types", "word", "c", "word"),
    ("types", "number", 3, "number"),
    ("types", "colour", "Green", "colour"),
    ("types", "level", 3, "level"),
    ("types", "port", 65536, "port"),
    ("types", "box", {}, "box.inside"),
    ("types", "names", "a", "names"),
    ("types", "ports", [0], "ports"),
    ("types", "tags", ["a", "a"], "tags[1]"),
    ("types", "labels", {"a": 1}, "labels"),
    ("types", "boxes", {"a": [{"inside": 1}]}, "boxes"),
    ("types", "share", 1.5, "share"),
    ("types", "memory", "much", "memory"),
    ("types", "selector", {"matchExpressions": [{"key": "a"}]}, "matchExpressions"),
    ("types", "conditions", [{"type": "a", "status": "Maybe"}], "conditions"),
    ("types", "embedded", {"kind": "Pod"}, "embedded.apiVersion"),
    ("types", "limited", "b", "limited"),
    ("values", "minimum", 2, "minimum"),
    ("values", "maximum", 4, "maximum"),
    ("values", "above", 0.5, "above"),
    ("values", "below", 3, "below"),
    ("values", "multipleOf", 7, "multipleOf"),
    ("values", "minLength", "a", "minLength"),
    ("values", "maxLength", "abc", "maxLength"),
    ("values", "pattern", "b", "pattern"),
    ("values", "enumValues", 2.5, "enumValues"),
    ("values", "email", "nobody", "email"),
    ("values", "kindOf", "abcd", "kindOf"),
    ("values", "minItems", [], "minItems"),
    ("values", "maxItems", ["a", "b"], "maxItems"),
    ("values", "items", ["bbb"], "items"),
    ("values", "items", ["a"], "items"),
    ("values", "elements", ["abc"], "elements"),
    ("values", "minProperties", {}, "minProperties"),
    ("values", "maxProperties", {"a": "b", "c": "d"}, "maxProperties"),
    ("structure", "keyed", [{"keyName": "a"}, {"keyName": "a", "protocol": "TCP"}], "keyed[1]"),
    ("structure", "keyed", [{"protocol": "TCP"}], "keyed"),
    ("structure", "asSet", [1, 1], "asSet[1]"),
    ("structure", "whole", {}, "whole"),
    ("structure", "embedded", {"apiVersion": "v1"}, "embedded.kind"),
    ("structure", "either", 1.5, "either"),
    ("structure", "verbatim", "12345678", "verbatim"),
    ("structure", "patched", "12345678", "patched"),
    ("presence", "must", None, "presence.must"),
]
# What 1.25 and later also refuse: CEL
BROKEN_RULES: list[tuple[dict[str, Any], str]] = [
    ({"low": 3, "high": 2, "left": "a"}, "low is above high"),
    ({"low": 0, "left": "a"}, "low is 0"),
    ({"low": 13, "high": 14, "left": "a"}, "self != 13"),
    ({"left": "a", "oneWay": "a", "anotherWay": "b"}, "at most one of the fields in"),
    ({}, "exactly one of the fields in"),
    ({"left": "a", "right": "b"}, "exactly one of the fields in"),
    ({"left": "a", "digits": [10]}, "self < 10"),
]


def _wait(
    server: Server, path: str, holds: Callable[[dict[str, Any]], bool] = bool
) -> dict[str, Any]:
    """Ask until there is an answer of which *holds* is true.

    A CRD is served a moment after it is accepted, and says a moment later that it is.
    """
    answer = probe.ask(server, "GET", path)
    for _ in range(200):
        if answer.status == OK and holds(found := dict(answer.json())):
            return found
        time.sleep(0.05)
        answer = probe.ask(server, "GET", path)
    raise AssertionError(f"{path} answers {answer.status}: {answer.body[:500]!r}")


def _is_established(definition: dict[str, Any]) -> bool:
    found = {one["type"]: one["status"] for one in definition["status"]["conditions"]}
    return found.get("Established") == "True"


@pytest.fixture(scope="module")
def installed(servers: Any) -> Iterator[dict[str, Any]]:
    """The CRD as the server stored it."""
    server: Server = servers.get(controllers=False)
    made = probe.ask(server, "POST", CRDS, body=every_crd())
    assert made.status == 201, made.body
    _wait(server, f"{API}/everies")
    yield _wait(server, CRD, _is_established)
    probe.ask(server, "DELETE", CRD)


def create(server: Server, namespace: str, spec: dict[str, Any]) -> probe.Answer:
    """Create an object with *spec*."""
    body = {
        "apiVersion": "golden.example.com/v1",
        "kind": "Every",
        "metadata": {"generateName": "every-"},
        "spec": spec,
    }
    return probe.ask(server, "POST", f"{API}/namespaces/{namespace}/everies", body=body)


def test_the_crd_is_accepted_as_structural_and_names_are_free(installed: dict[str, Any]) -> None:
    """A non-structural schema is accepted with a condition, and then nothing is pruned."""
    conditions = {one["type"]: one["status"] for one in installed["status"]["conditions"]}

    assert conditions["Established"] == conditions["NamesAccepted"] == "True"
    assert "NonStructuralSchema" not in conditions


def test_the_stored_schema_is_the_one_that_was_sent(
    installed: dict[str, Any], version: tuple[int, int]
) -> None:
    """What the server drops it does not enforce; only what it is too old for may be missing."""
    sent = every_crd()["spec"]["versions"]
    if version < (1, 25):
        sent = _without(sent, "x-kubernetes-validations")
    if version < (1, 31):
        sent = _without(sent, "selectableFields")
    stored = installed["spec"]["versions"]

    def schemas(versions: list[dict[str, Any]]) -> dict[str, Any]:
        return {one["name"]: one for one in versions}

    assert schemas(stored) == schemas(_without(sent, "uniqueItems"))


def _without(value: Any, key: str) -> Any:
    if isinstance(value, dict):
        return {name: _without(one, key) for name, one in value.items() if name != key}
    return [_without(one, key) for one in value] if isinstance(value, list) else value


@pytest.mark.usefixtures("installed")
def test_a_good_object_is_accepted_and_kept_whole(server: Server, namespace: str) -> None:
    """Every value of the good object must come back: nothing is pruned that a class names."""
    answer = create(server, namespace, GOOD)

    assert answer.status == 201, answer.body
    spec = answer.json()["spec"]
    assert spec["types"] == TYPES
    assert spec["values"] == VALUES
    keyed = [{"keyName": "a", "protocol": "TCP"}, {"keyName": "a", "protocol": "UDP"}]
    assert spec["structure"] == {**STRUCTURE, "keyed": keyed}


@pytest.mark.usefixtures("installed")
def test_defaults_are_filled_in_and_the_status_is_not_invented(
    server: Server, namespace: str
) -> None:
    """The server's defaults are those of the Python class, also inside of models."""
    stored = create(server, namespace, {"presence": {"must": "a"}}).json()

    assert "status" not in stored
    assert stored["spec"] == {
        "replicas": 1,
        "presence": {
            "must": "a",
            "filled": {"size": 3, "tags": ["a"]},
            "other": {"size": 4, "tags": ["a"]},
            "served": "by the server",
            "colour": "Red",
            "tags": ["a", "b"],
        },
    }


@pytest.mark.usefixtures("installed")
def test_unknown_fields_are_pruned_except_where_a_marker_keeps_them(
    server: Server, namespace: str
) -> None:
    """A field that no class names is gone, so the schema must name all that the classes do."""
    spec = {"strange": 1, "structure": {"open": {"strange": 1}}, "values": {"strange": 1}}

    stored = create(server, namespace, spec).json()["spec"]

    assert stored == {"replicas": 1, "structure": {"open": {"strange": 1}}, "values": {}}


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("section", "field", "value", "named"), BAD, ids=[f"{b[1]}={json.dumps(b[2])}" for b in BAD]
)
def test_a_value_that_breaks_a_rule_is_refused_by_name(
    server: Server, namespace: str, *, section: str, field: str, value: Any, named: str
) -> None:
    """One broken rule, one 422 that names the field."""
    spec = deepcopy(GOOD)
    if value is None:
        del spec[section][field]
    else:
        spec[section][field] = value

    answer = create(server, namespace, spec)

    assert answer.status == 422, answer.body
    causes = answer.json()["details"]["causes"]
    assert any(named in cause["field"] for cause in causes), causes


@pytest.mark.since("1.25", reason="CEL rules")
@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(("ruled", "said"), BROKEN_RULES)
def test_a_broken_cel_rule_is_refused_in_its_words(
    server: Server, namespace: str, ruled: dict[str, Any], said: str
) -> None:
    """The message of a rule is what the user reads."""
    answer = create(server, namespace, {"ruled": ruled})

    assert answer.status == 422, answer.body
    assert said in answer.json()["message"]


@pytest.mark.since("1.25", reason="CEL rules")
@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("field", "value"), [("fixed", "other"), ("once", "other"), ("once", None)]
)
def test_an_immutable_field_keeps_its_first_value(
    server: Server, namespace: str, field: str, value: str | None
) -> None:
    """It may neither change nor vanish."""
    ruled = {"left": "a", "fixed": "a", "once": "b"}
    stored = create(server, namespace, {"ruled": ruled}).json()
    stored["spec"]["ruled"].pop(field)
    if value is not None:
        stored["spec"]["ruled"][field] = value

    name = stored["metadata"]["name"]
    path = f"{API}/namespaces/{namespace}/everies/{name}"
    answer = probe.ask(server, "PUT", path, body=stored)

    assert answer.status == 422, answer.body
    assert "immutable" in answer.json()["message"]


@pytest.mark.usefixtures("installed")
def test_status_and_scale_are_subresources(server: Server, namespace: str) -> None:
    """A status field and a scale declaration are what kubectl scale and controllers need."""
    name = create(server, namespace, {"replicas": 2}).json()["metadata"]["name"]
    path = f"{API}/namespaces/{namespace}/everies/{name}"

    scale = probe.ask(server, "GET", f"{path}/scale").json()
    status = probe.ask(server, "GET", f"{path}/status")

    assert scale["spec"] == {"replicas": 2}
    assert status.status == 200


@pytest.mark.usefixtures("installed")
def test_discovery_shows_the_declared_names(server: Server) -> None:
    """Short names and categories reach kubectl."""
    found = probe.ask(server, "GET", API).json()["resources"]

    [main] = [one for one in found if one["name"] == "everies"]
    assert main["shortNames"] == ["ev"]
    assert main["categories"] == ["all", "golden"]
    assert main["namespaced"] is True


@pytest.mark.usefixtures("installed")
def test_versions_are_served_as_declared(server: Server) -> None:
    """The unserved version answers nothing; the deprecated one still does."""
    old = probe.ask(server, "GET", "/apis/golden.example.com/v1beta1/everies")
    oldest = probe.ask(server, "GET", "/apis/golden.example.com/v1alpha1/everies")

    assert (old.status, oldest.status) == (200, 404)


@pytest.mark.since("1.31", reason="selectable fields")
@pytest.mark.usefixtures("installed")
def test_a_selectable_field_selects(server: Server, namespace: str) -> None:
    """Only then do field selectors reach inside the spec."""
    create(server, namespace, {"colour": "Red"})
    create(server, namespace, {"colour": "Blue"})

    path = f"{API}/namespaces/{namespace}/everies?fieldSelector=spec.colour%3DRed"
    found = probe.ask(server, "GET", path).json()["items"]

    assert [one["spec"]["colour"] for one in found] == ["Red"]
