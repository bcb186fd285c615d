from typing import Any

import pytest

from kubewright.apiserver.admission.attributes import GroupVersionKind, GroupVersionResource
from kubewright.apiserver.admission.rules import Criteria, Match, is_exempt
from kubewright.apiserver.meta.status import StatusError
from tests.unit.apiserver.admission.writes import (
    CONFIG_MAP,
    CONFIG_MAPS,
    PlainObjects,
    config_map,
    namespace,
    store,
    write,
)

Obj = dict[str, Any]
NAMESPACE = {
    "kind": GroupVersionKind("", "v1", "Namespace"),
    "resource": GroupVersionResource("", "v1", "namespaces"),
}


def criteria(*, resources: str = "configmaps", operations: str = "*", **more: Any) -> Criteria:
    rule = {
        "operations": operations.split(),
        "apiGroups": [""],
        "apiVersions": more.pop("versions", ["v1"]),
        "resources": resources.split(),
        **({"scope": more.pop("scope")} if "scope" in more else {}),
    }
    return Criteria({"rules": [rule], **more})


def find(wanted: Criteria, **parts: Any) -> Match | None:
    return wanted.find(write(**parts), store(), PlainObjects())


@pytest.mark.parametrize(
    ("rule", "parts", "matched"),
    [
        ({}, {}, True),
        ({"operations": "UPDATE DELETE"}, {}, False),
        ({"operations": "UPDATE"}, {"operation": "UPDATE"}, True),
        ({"resources": "secrets"}, {}, False),
        ({"resources": "*"}, {}, True),
        ({"resources": "*"}, {"subresource": "status"}, False),
        ({"resources": "*/*"}, {"subresource": "status"}, True),
        ({"resources": "*/*"}, {}, True),
        ({"resources": "configmaps/status"}, {"subresource": "status"}, True),
        ({"resources": "*/status"}, {"subresource": "scale"}, False),
        ({"scope": "Namespaced"}, {}, True),
        ({"scope": "Cluster"}, {}, False),
        ({"scope": "Cluster"}, {"namespace": ""}, True),
        ({"resources": "namespaces", "scope": "Cluster"}, {**NAMESPACE, "name": "shop"}, True),
        ({"resources": "namespaces", "scope": "Namespaced"}, {**NAMESPACE, "name": "shop"}, False),
    ],
)
def test_a_rule_matches_what_it_names(rule: Obj, parts: Obj, *, matched: bool) -> None:
    """A namespace is inside itself, and still of the whole cluster."""
    assert (find(criteria(**rule), **parts) is not None) is matched


def test_another_version_matches_if_the_policy_is_equivalent() -> None:
    """The webhook sees the object in the version that its rule names."""
    wanted = Match(
        GroupVersionResource("", "v2", "configmaps"), GroupVersionKind("", "v2", "ConfigMap")
    )

    assert find(criteria(versions=["v2"])) == wanted
    assert find(criteria(versions=["v2"], matchPolicy="Exact")) is None
    assert find(criteria(versions=["v1", "v2"])) == Match(CONFIG_MAPS, CONFIG_MAP)


def test_the_object_selector_looks_at_both_objects() -> None:
    """Or one could escape a webhook by taking off a label."""
    wanted = criteria(objectSelector={"matchLabels": {"a": "b"}})

    assert find(wanted, object=config_map(a="b"))
    assert find(wanted, operation="UPDATE", old_object=config_map(a="b"))
    assert find(wanted) is None
    assert find(wanted, operation="DELETE", old_object=config_map(a="c")) is None


def test_the_namespace_selector_looks_at_the_namespace() -> None:
    """What is in no namespace is not exempt."""
    team_a = criteria(namespaceSelector={"matchLabels": {"team": "a"}})
    team_b = criteria(
        namespaceSelector={"matchExpressions": [{"key": "team", "operator": "In", "values": ["b"]}]}
    )

    assert find(team_a)
    assert find(team_b) is None
    assert find(team_b, namespace="")


def test_a_namespace_that_is_written_is_judged_by_its_new_labels() -> None:
    """The stored ones are about to be gone."""
    wanted = criteria(resources="namespaces", namespaceSelector={"matchLabels": {"team": "b"}})
    new = namespace("shop", team="b")

    assert find(wanted, **NAMESPACE, operation="UPDATE", name="shop", object=new)
    assert find(wanted, **NAMESPACE, operation="DELETE", name="shop") is None


def test_a_namespace_that_is_not_there_is_an_error_only_if_it_matters() -> None:
    """A webhook that is not about the request must not make it fail."""
    wanted: Obj = {"namespaceSelector": {"matchLabels": {"team": "a"}}}

    assert find(criteria(resources="secrets", **wanted), namespace="nix") is None
    with pytest.raises(StatusError, match='namespaces "nix" not found'):
        find(criteria(**wanted), namespace="nix")


def test_configurations_of_webhooks_are_exempt() -> None:
    """A webhook that refuses its own removal would be for ever."""
    group = "admissionregistration.k8s.io"

    assert is_exempt(write(kind=GroupVersionKind(group, "v1", "MutatingWebhookConfiguration")))
    assert not is_exempt(write())
