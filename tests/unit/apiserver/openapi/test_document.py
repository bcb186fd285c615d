"""OpenAPI documents: well-formed, and complete."""

from collections.abc import Iterator
from typing import Any

import pytest

from kubewright.apiserver.openapi.document import schema_name, version2, version3
from kubewright.apiserver.registry.registry import Registry
from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import define, definition

METHODS = {"get", "put", "post", "patch", "delete"}
SCHEMA = {
    "type": "object",
    "properties": {"spec": {"type": "object", "properties": {"x": {"type": "integer"}}}},
}


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for item in node:
            yield from references(item)


def broken(document: Any, prefix: str, known: Any) -> set[str]:
    """Return the references that lead nowhere."""
    return {one for one in references(document) if one.removeprefix(prefix) not in known}


def operations(document: Any) -> list[Any]:
    found = [path[name] for path in document["paths"].values() for name in METHODS & set(path)]
    assert found
    return found


def test_the_older_document_holds_together() -> None:
    """Every reference leads somewhere, and every operation says what it is about."""
    document = version2(Registry())

    assert document["swagger"] == "2.0"
    assert broken(document, "#/definitions/", document["definitions"]) == set()
    for operation in operations(document):
        assert operation["x-kubernetes-group-version-kind"]["kind"]
        assert "200" in operation["responses"]
    assert "/api/v1/namespaces/{namespace}/pods/{name}" in document["paths"]


@pytest.mark.parametrize(("group", "version"), [("", "v1"), ("apps", "v1"), ("autoscaling", "v2")])
def test_the_newer_documents_hold_together_alone(group: str, version: str) -> None:
    """Clients read each document without the others."""
    document = version3(Registry().groups[group][version].values())

    schemas = document["components"]["schemas"]
    assert document["openapi"].startswith("3.0")
    assert broken(document, "#/components/schemas/", schemas) == set()
    assert all(operation["operationId"] for operation in operations(document))
    beside = [node for node in schemas.values() if "$ref" in node and len(node) > 1]
    assert beside == []


async def test_definitions_are_described_by_their_schema(server: APIServer) -> None:
    """Kubectl explain and client generators read it; it holds together as well."""
    await define(server, SCHEMA)
    foo = server.registry.find("example.com", "v1", "foos")
    assert foo is not None
    name = "com.example.v1.Foo"

    old, new = version2(server.registry), version3([foo])

    assert schema_name(foo) == name
    found = new["components"]["schemas"][name]
    assert found["properties"]["spec"]["properties"]["x"]["type"] == "integer"
    assert found["x-kubernetes-group-version-kind"] == [
        {"group": "example.com", "version": "v1", "kind": "Foo"}
    ]
    assert name in old["definitions"]
    assert broken(new, "#/components/schemas/", new["components"]["schemas"]) == set()
    assert broken(old, "#/definitions/", old["definitions"]) == set()
    path = "/apis/example.com/v1/namespaces/{namespace}/foos/{name}/status"
    assert {"get", "put", "patch"} <= set(new["paths"][path])
    assert definition()["spec"]["scope"] == "Namespaced"
