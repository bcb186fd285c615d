"""Policies that change what is written."""

from typing import Any

import pytest

from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import (
    FOOS,
    MAPS,
    MERGE,
    Told,
    ask,
    define,
    foo,
    make,
    named,
)

Obj = dict[str, Any]
GROUP = "/apis/admissionregistration.k8s.io/v1"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


def applied(expression: str) -> Obj:
    return {
        "patchType": "ApplyConfiguration",
        "applyConfiguration": {"expression": expression},
    }


def patched(expression: str) -> Obj:
    return {"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}


async def add(server: APIServer, *mutations: Obj, name: str = "p", **spec: Any) -> None:
    """Add a policy for ConfigMaps, Foos and Deployments, and its binding."""
    binding = spec.pop("binding", {})
    rule = {
        "operations": ["CREATE", "UPDATE"],
        "apiGroups": ["*"],
        "apiVersions": ["*"],
        "resources": ["configmaps", "foos", "deployments"],
    }
    policy = {
        "failurePolicy": "Fail",
        "reinvocationPolicy": "Never",
        "matchConstraints": {"resourceRules": [rule]},
        "mutations": list(mutations),
        **spec,
    }
    await make(server, f"{GROUP}/mutatingadmissionpolicies", {**named(name), "spec": policy})
    bound = {**named(name), "spec": {"policyName": name, **binding}}
    await make(server, f"{GROUP}/mutatingadmissionpolicybindings", bound)


async def write(server: APIServer, **parts: Any) -> Told:
    return await ask(server, "POST", MAPS, {**named("m"), **parts})


LABEL = "Object{metadata: Object.metadata{labels: {'a': object.metadata.name + '-x'}}}"


async def test_an_apply_configuration_is_merged(server: APIServer) -> None:
    """By the rules of server-side apply: what it does not name stays."""
    await add(server, applied("Object{data: {'b': '2'}}"), applied(LABEL.replace("'a'", "'c'")))

    made = (await write(server, data={"a": "1"})).obj

    assert made["data"] == {"a": "1", "b": "2"}
    assert made["metadata"]["labels"] == {"c": "m-x"}


async def test_elements_of_lists_are_merged_by_their_key(server: APIServer) -> None:
    """A sidecar beside the containers, and one more variable in the one that is there."""
    container = "Object.spec.template.spec.containers"
    variable = f"env: [{container}.env{{name: 'A', value: '1'}}]"
    items = f"[{container}{{name: 'c', {variable}}}, {container}{{name: 'side', image: 's'}}]"
    spec = f"Object.spec.template.spec{{containers: {items}}}"
    await add(
        server,
        applied(f"Object{{spec: Object.spec{{template: Object.spec.template{{spec: {spec}}}}}}}"),
    )
    labels = {"app": "x"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [CONTAINER]}}
    body = {**named("d"), "spec": {"selector": {"matchLabels": labels}, "template": template}}

    made = await make(server, DEPLOYMENTS, body)

    found = made["spec"]["template"]["spec"]["containers"]
    assert [(one["name"], one["image"]) for one in found] == [("c", "i"), ("side", "s")]
    assert found[0]["env"] == [{"name": "A", "value": "1"}]
    assert found[1]["terminationMessagePolicy"] == "File"  # defaults come after it


CONTAINER = {"name": "c", "image": "i"}


async def test_a_json_patch_is_applied(server: APIServer) -> None:
    """Keys are escaped by a function; a test that fails leaves the object alone."""
    await add(
        server,
        patched(
            "[JSONPatch{op: 'test', path: '/data/a', value: '1'},"
            " JSONPatch{op: 'add', path: '/metadata/labels', value: {'x': 'y'}},"
            " JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('k/l'),"
            " value: string(size(object.data))}]"
        ),
    )

    meant = (await write(server, data={"a": "1"})).obj
    other = await ask(server, "POST", MAPS, {**named("o"), "data": {"a": "2"}})

    assert meant["metadata"]["labels"] == {"x": "y", "k/l": "1"}
    assert "labels" not in other.obj["metadata"]


async def test_conditions_variables_and_parameters_count(server: APIServer) -> None:
    """As they do for policies that validate."""
    await make(server, MAPS, {**named("params"), "data": {"value": "from params"}})
    await add(
        server,
        applied("Object{data: {'v': variables.wanted}}"),
        paramKind={"apiVersion": "v1", "kind": "ConfigMap"},
        variables=[{"name": "wanted", "expression": "params.data.value"}],
        matchConditions=[{"name": "c", "expression": "object.metadata.name != 'other'"}],
        binding={"paramRef": {"name": "params", "parameterNotFoundAction": "Deny"}},
    )

    meant = (await write(server)).obj
    other = (await ask(server, "POST", MAPS, named("other"))).obj

    assert meant["data"] == {"v": "from params"}
    assert "data" not in other


async def test_custom_objects_and_updates_are_mutated(server: APIServer) -> None:
    """With the schema of their definition."""
    await define(server)
    await add(server, applied("Object{spec: Object.spec{n: size(object.spec.items)}}"))
    await make(server, FOOS, foo("a", {"items": [1]}))

    change = {"spec": {"items": [1, 2]}}
    changed = await ask(server, "PATCH", f"{FOOS}/a", change, media=MERGE)

    assert changed.obj["spec"] == {"items": [1, 2], "n": 2}


async def test_a_policy_may_see_what_comes_after_it(server: APIServer) -> None:
    """Once more, if it wants to; the order is that of the names."""
    count = "Object{data: {'%s': string(has(object.data) ? size(object.data) : 0)}}"
    await add(server, applied(count % "a"), name="a", reinvocationPolicy="IfNeeded")
    await add(server, applied(count % "b"), name="b")

    made = (await write(server)).obj

    assert made["data"] == {"a": "2", "b": "1"}


@pytest.mark.parametrize(
    ("mutation", "said"),
    [
        (applied("Object{data: {'a': object.nix}}"), "resulted in error: no such key: nix"),
        (
            applied("Object{metadata: Object.wrong{name: 'x'}}"),
            (
                'type mismatch: unexpected type name "Object.wrong", expected "Object.metadata",'
                " which matches field name path from root Object type"
            ),
        ),
        (applied("Object{nix: 1}"), ".nix: field not declared in schema"),
        (
            patched("[JSONPatch{op: 'remove', path: '/nix'}]"),
            "JSON Patch: ",
        ),
    ],
)
async def test_what_fails_is_refused_or_passes(server: APIServer, mutation: Obj, said: str) -> None:
    """As its failure policy says."""
    await add(server, mutation)

    refused = await write(server, data={"a": "1"})
    await ask(server, "DELETE", f"{GROUP}/mutatingadmissionpolicies/p")
    await ask(server, "DELETE", f"{GROUP}/mutatingadmissionpolicybindings/p")
    await add(server, mutation, failurePolicy="Ignore")
    passed = await write(server, data={"a": "1"})

    assert (refused.status, passed.status) == (422, 201)
    assert "policy 'p' with binding 'p' denied request: " in refused.message
    assert said in refused.message


async def test_what_has_no_keys_is_not_replaced_by_accident(server: APIServer) -> None:
    """Lists without keys would lose all that the policy does not name."""
    await add(
        server,
        applied(
            "Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {'a': 'b'}}}}"
        ),
    )
    labels = {"app": "x"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [CONTAINER]}}
    body = {**named("d"), "spec": {"selector": {"matchLabels": labels}, "template": template}}

    refused = await ask(server, "POST", DEPLOYMENTS, body)

    assert "may not mutate atomic arrays, maps or structs: .spec.selector" in refused.message
