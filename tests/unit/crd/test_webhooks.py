"""Webhook configurations from declarations."""

from typing import Any

import pytest

from kubewright.api.resource import Resource, resource
from kubewright.crd import (
    ClientConfig,
    Webhook,
    conversion_webhook,
    webhook_configurations,
    webhook_for,
    webhook_path,
)
from kubewright.kinds.core.v1 import Pod


@resource(group="shop.example.com", version="v1")
class Shop(Resource):
    pass


def test_a_kind_has_a_webhook_with_kubebuilders_path() -> None:
    """Manifests and servers written with kubebuilder agree with ours."""
    [configuration] = webhook_configurations([webhook_for(Shop, mutating=True)])

    assert configuration == {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": "mutating-webhook-configuration"},
        "webhooks": [
            {
                "admissionReviewVersions": ["v1"],
                "clientConfig": {
                    "service": {
                        "name": "webhook-service",
                        "namespace": "system",
                        "path": "/mutate-shop-example-com-v1-shop",
                    }
                },
                "failurePolicy": "Fail",
                "name": "mutate.v1.shops.shop.example.com",
                "rules": [
                    {
                        "apiGroups": ["shop.example.com"],
                        "apiVersions": ["v1"],
                        "operations": ["CREATE", "UPDATE"],
                        "resources": ["shops"],
                    }
                ],
                "sideEffects": "None",
            }
        ],
    }


def test_the_core_group_leaves_a_gap_in_the_path() -> None:
    """Known from kubebuilder, and relied upon."""
    assert webhook_path(Pod, mutating=False) == "/validate--v1-pod"
    assert webhook_for(Pod, mutating=False).name == "validate.v1.pods.core"


def test_every_option_is_said() -> None:
    """All that controller-gen's marker takes, its patch included."""
    hook = webhook_for(
        Shop,
        mutating=True,
        name="a.example.com",
        client=ClientConfig(path="/a", service_name="s", service_namespace="n", service_port=8443,
                            ca_bundle="Y2E="),
        groups=("core", "apps"),
        versions=("*",),
        resources=("pods", "pods/status"),
        operations=("delete", "connect"),
        failure_policy="Ignore",
        side_effects="NoneOnDryRun",
        match_policy="Exact",
        timeout_seconds=30,
        reinvocation_policy="IfNeeded",
        admission_review_versions=("v1", "v1beta1"),
        namespace_selector={"matchLabels": {"a": "b"}},
        object_selector={"matchLabels": {"c": "d"}},
        match_conditions=[{"name": "n", "expression": "true"}],
        scope="Namespaced",
    )  # fmt: skip

    assert hook.document() == {
        "admissionReviewVersions": ["v1", "v1beta1"],
        "clientConfig": {
            "caBundle": "Y2E=",
            "service": {"name": "s", "namespace": "n", "path": "/a", "port": 8443},
        },
        "failurePolicy": "Ignore",
        "matchConditions": [{"name": "n", "expression": "true"}],
        "matchPolicy": "Exact",
        "name": "a.example.com",
        "namespaceSelector": {"matchLabels": {"a": "b"}},
        "objectSelector": {"matchLabels": {"c": "d"}},
        "reinvocationPolicy": "IfNeeded",
        "rules": [
            {
                "apiGroups": ["", "apps"],
                "apiVersions": ["*"],
                "operations": ["DELETE", "CONNECT"],
                "resources": ["pods", "pods/status"],
                "scope": "Namespaced",
            }
        ],
        "sideEffects": "NoneOnDryRun",
        "timeoutSeconds": 30,
    }


def test_hooks_are_split_by_kind_and_sorted_by_name() -> None:
    """So the order of declarations does not matter."""
    hooks = [
        webhook_for(Shop, mutating=False, name="b.b.b"),
        webhook_for(Shop, mutating=True),
        webhook_for(Shop, mutating=False, name="a.b.b"),
    ]

    mutating, validating = webhook_configurations(hooks, validating_name="mine")

    assert len(mutating["webhooks"]) == 1
    assert validating["metadata"]["name"] == "mine"
    assert [one["name"] for one in validating["webhooks"]] == ["a.b.b", "b.b.b"]
    assert webhook_configurations([]) == []


def test_one_name_for_two_hooks_is_refused() -> None:
    """The server would keep the last of them."""
    hook = webhook_for(Shop, mutating=True)

    with pytest.raises(ValueError, match=r"two webhooks have the name 'mutate\.v1\.shops"):
        webhook_configurations([hook, hook])


def test_a_url_stands_for_a_webhook_outside_the_cluster() -> None:
    """Then there is no service."""
    client = ClientConfig(url="https://example.com/hook")

    assert client.document() == {"url": "https://example.com/hook"}
    assert conversion_webhook(client)["webhook"]["clientConfig"] == client.document()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "short"}, "needs a domain name of at least three parts"),
        ({"name": "a_b.c.d"}, "needs a domain name of at least three parts"),
        ({"name": ".".join("a" * 127 for _ in range(3))}, "of at most 253 characters"),
        ({"name": 5}, "needs a domain name of at least three parts"),
        ({"name": "Check.shops.example.com"}, "may have no upper case letters in its name"),
        ({"timeout_seconds": 0}, "has a timeout of 0 s: the server allows 1 to 30"),
        ({"timeout_seconds": 31}, "has a timeout of 31 s: the server allows 1 to 30"),
        ({"timeout_seconds": "5"}, "has a timeout of '5' s: the server allows 1 to 30, as an int"),
        ({"timeout_seconds": 2.5}, "has a timeout of 2.5 s: "),
        ({"timeout_seconds": True}, "has a timeout of True s: "),
        ({"side_effects": "Some"}, "has the side_effects 'Some': it must be None or NoneOnDryRun"),
        ({"failure_policy": "fail"}, "has the failure_policy 'fail': it must be Fail or Ignore"),
        ({"match_policy": "Any"}, "it must be Exact or Equivalent"),
        ({"scope": "All"}, "it must be Cluster or Namespaced or *"),
        ({"operations": ("patch",)}, "cannot be called for 'patch': the operations are create, "),
        ({"operations": ()}, "needs a list of operations, not ()"),
        ({"operations": ("*", "create")}, "has the operations '*' and 'create': '*' is all"),
        ({"operations": 5}, "needs a list of operations, not 5"),
        ({"groups": "apps"}, "needs a list of groups, not 'apps'"),
        ({"groups": {"apps": True}}, "needs a list of groups, not {'apps': True}"),
        ({"groups": [None]}, "needs a list of groups, not [None]"),
        ({"groups": ["Foo Bar"]}, "has 'Foo Bar' in groups: write 'apps', 'core' or '*'"),
        ({"groups": ["apps", "*"]}, "has the groups '*' and 'apps': '*' is all"),
        ({"versions": ["v1.2"]}, "has 'v1.2' in versions: write 'v1' or '*'"),
        ({"versions": ["V1"]}, "has 'V1' in versions"),
        ({"versions": [""]}, "has '' in versions"),
        ({"versions": ["v" * 64]}, "in versions: write 'v1' or '*'"),
        ({"versions": ["*", "v1"]}, "has the versions '*' and 'v1': '*' is all"),
        ({"resources": ["Pods"]}, "has 'Pods' in resources: write 'pods', 'pods/status', "),
        ({"resources": ["a/b/c"]}, "has 'a/b/c' in resources"),
        ({"resources": ["pods/"]}, "has 'pods/' in resources"),
        ({"resources": ["pods/Status"]}, "has 'pods/Status' in resources"),
        ({"resources": ["*", "pods"]}, "has the resources '*' and 'pods': '*' is all of them"),
        ({"resources": ["*/*", "pods"]}, "has the resources '*/*' and 'pods': "),
        ({"resources": ["pods/*", "pods/status"]}, "has the resources 'pods/*' and 'pods/status'"),
        ({"resources": ["*/scale", "pods/scale"]}, "has the resources '*/scale' and 'pods/scale'"),
        ({"admission_review_versions": ()}, "needs a list of admission_review_versions"),
        ({"reinvocation_policy": "Never"}, "leave reinvocation_policy out"),
    ],
)
def test_an_option_that_the_server_refuses_is_refused(
    options: dict[str, Any], message: str
) -> None:
    """At the line that says it, not when it is applied."""
    with pytest.raises(ValueError, match="the webhook") as caught:
        webhook_for(Shop, mutating=False, **options)

    assert message in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"groups": ["", "apps"], "versions": ["v1", "v1beta1"], "resources": ["pods", "pods/*"]},
        {"groups": ["*"], "versions": ["*"], "resources": ["*", "*/scale", "pods/*"]},
        {"groups": ["core"], "resources": ["*/*"]},
        {"groups": ["rbac.authorization.k8s.io"], "resources": ["nodes/proxy", "pods/exec"]},
    ],
)
def test_rules_that_the_server_takes_are_taken(options: dict[str, Any]) -> None:
    """A check that is stricter than the server would be in the way."""
    webhook_for(Shop, mutating=False, **options)


@pytest.mark.parametrize("option", ["namespace_selector", "object_selector"])
@pytest.mark.parametrize(
    ("selector", "message"),
    [
        ({"a": "b"}, "Object contains unknown field `a`"),
        ("a=b", "Expected `object`, got `str`"),
        ({"matchLabels": ["a"]}, "Expected `object`, got `array` - at `$.matchLabels`"),
        ({"matchLabels": {"a": 1}}, "Expected `str`, got `int`"),
        ({"matchLabels": {"a b": "c"}}, "'a b' is not a valid key"),
        ({"matchLabels": {"a": "b c"}}, "'b c' is not a valid label value"),
        ({"matchExpressions": {}}, "Expected `array`, got `object`"),
        ({"matchExpressions": [{"key": "a"}]}, "missing required field `operator`"),
        ({"matchExpressions": [{"key": "a", "op": "In"}]}, "unknown field `op`"),
        ({"matchExpressions": [{"key": "a", "operator": "in"}]}, "write one of In, NotIn, "),
        ({"matchExpressions": [{"key": "a", "operator": "In"}]}, "takes at least one value"),
        (
            {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]},
            "takes no value",
        ),
    ],
)
def test_what_is_no_label_selector_is_refused(option: str, selector: Any, message: str) -> None:
    """A selector that was dropped, or never fits, is a webhook that is never asked."""
    with pytest.raises(ValueError, match=f"has the {option} ") as caught:
        webhook_for(Shop, mutating=False, **{option: selector})

    assert f"{selector!r}, which is no LabelSelector" in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "selector",
    [
        {},
        {"matchLabels": {"example.com/a": ""}},
        {
            "matchExpressions": [
                {"key": "a", "operator": "NotIn", "values": ["b"]},
                {"key": "kubernetes.io/metadata.name", "operator": "DoesNotExist"},
            ]
        },
    ],
)
def test_a_label_selector_is_taken_as_it_is(selector: Any) -> None:
    """What is written there is what stands in the manifest."""
    hook = webhook_for(Shop, mutating=False, object_selector=selector)

    assert hook.document()["objectSelector"] == selector


def condition(name: str = "n", **more: Any) -> dict[str, Any]:
    """Return a condition that the server takes."""
    return {"name": name, "expression": "true", **more}


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        (condition(), "needs a list of match_conditions"),
        ("true", "needs a list of match_conditions, not 'true'"),
        (None, "needs a list of match_conditions, not None"),
        (["true"], "has the match condition 'true': write {'name': ..., 'expression': ...}"),
        ([{"expression": "true"}], "has the match condition {'expression': 'true'}"),
        ([{"name": "n"}], "has the match condition {'name': 'n'}"),
        ([condition(message="no")], "'message': 'no'}: write {'name': "),
        ([condition("")], "with texts that are not empty"),
        ([condition(expression=" ")], "with texts that are not empty"),
        ([condition(expression=True)], "with texts that are not empty"),
        ([condition("not a name")], "has a match condition with a bad name: 'not a name' is not"),
        ([condition(), condition()], "has two match conditions with the name 'n'"),
        ([condition(f"n{i}") for i in range(65)], "has 65 match_conditions: the server allows 64"),
    ],
)
def test_match_conditions_that_the_server_refuses_are_refused(
    conditions: Any, message: str
) -> None:
    """All but the CEL in them, which only a server compiles."""
    with pytest.raises(ValueError, match="the webhook") as caught:
        webhook_for(Shop, mutating=False, match_conditions=conditions)

    assert message in str(caught.value)


def test_as_many_match_conditions_as_the_server_takes_are_taken() -> None:
    """Their names may have a prefix."""
    conditions = [condition(f"example.com/n{i}") for i in range(64)]

    hook = webhook_for(Shop, mutating=False, match_conditions=conditions)

    assert hook.document()["matchConditions"] == conditions


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "a webhook has a path or a url, and one only"),
        ({"path": "/a", "url": "https://a"}, "a webhook has a path or a url, and one only"),
        ({"url": "http://a"}, "API servers call webhooks by https"),
        ({"path": "a"}, "begins with a slash"),
    ],
)
def test_a_place_that_no_server_reaches_is_refused(options: dict[str, Any], message: str) -> None:
    """Only TLS, and one address."""
    with pytest.raises(ValueError, match=message):
        ClientConfig(**options)


def test_a_webhook_can_be_declared_without_a_kind() -> None:
    """Hooks for many resources at once have no kind of their own."""
    hook = Webhook(
        name="all.example.com.local",
        mutating=False,
        client=ClientConfig(path="/all"),
        groups=("*",),
        versions=("*",),
        resources=("*/*",),
        operations=("*",),
    )

    assert hook.document()["rules"][0]["operations"] == ["*"]
