"""OpenAPI: what kubectl explain and validation read.

None of this is marked ``crd``: the server of custom resources alone publishes no schemas of them.
"""

import time
from typing import Any

import pytest

from tests.conformance.crds import Installer, object_of, version, wait_until
from tests.conformance.wire import Wire


def test_version_two_describes_the_built_in_kinds(api: Wire) -> None:
    """Definitions with their kinds, merge keys and types."""
    found = api.get("/openapi/v2").ok()

    assert found["swagger"] == "2.0"
    deployment = found["definitions"]["io.k8s.api.apps.v1.Deployment"]
    assert deployment["x-kubernetes-group-version-kind"] == [
        {"group": "apps", "kind": "Deployment", "version": "v1"}
    ]
    containers = found["definitions"]["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"]
    assert containers["x-kubernetes-patch-merge-key"] == "name"
    assert "/api/v1/namespaces/{namespace}/pods" in found["paths"]


def document(api: Wire, path: str, kind: str) -> dict[str, Any]:
    """Return the schema of *kind* in the third version's document for *path*."""
    deadline = time.monotonic() + 20
    while True:
        index = api.get("/openapi/v3").ok()["paths"]
        if path in index:
            found = api.get(index[path]["serverRelativeURL"]).ok()
            for schema in found["components"]["schemas"].values():
                kinds = schema.get("x-kubernetes-group-version-kind", [])
                if any(one["kind"] == kind for one in kinds):
                    described: dict[str, Any] = schema
                    return described
        assert time.monotonic() < deadline, sorted(index)
        time.sleep(0.1)


@pytest.mark.since("1.27", reason="OpenAPI version three")
class TestVersionThree:
    """One document for each group and version."""

    def test_built_in_kinds_are_described(self, api: Wire) -> None:
        """References to the parts, as in version two."""
        found = document(api, "apis/apps/v1", "Deployment")

        assert found["type"] == "object"
        assert "spec" in found["properties"]

    def test_custom_resources_are_described(self, api: Wire, install: Installer) -> None:
        """With the descriptions of their CRD: kubectl explain shows them."""
        spec = object_of(size={"type": "integer", "description": "How large it is."})
        whole = {**object_of(spec=spec), "description": "A widget."}
        widgets = install(version() | {"schema": {"openAPIV3Schema": whole}})

        found = document(api, f"apis/{widgets.group}/v1", "Widget")

        assert found["description"] == "A widget."
        size = found["properties"]["spec"]["properties"]["size"]
        assert size == {"type": "integer", "description": "How large it is."}
        assert {"apiVersion", "kind", "metadata"} <= set(found["properties"])

    def test_the_address_of_a_document_is_its_hash(self, api: Wire) -> None:
        """So it can be kept for ever."""
        index = api.get("/openapi/v3").ok()["paths"]

        reply = api.get(index["api/v1"]["serverRelativeURL"])

        assert "hash=" in index["api/v1"]["serverRelativeURL"]
        assert "immutable" in reply.headers["Cache-Control"]
        assert reply.headers["ETag"]


def test_custom_resources_are_in_version_two(api: Wire, install: Installer) -> None:
    """Older clients explain and validate by it."""
    widgets = install(version(schema=object_of(size={"type": "integer"})))
    name = ".".join([*reversed(widgets.group.split(".")), "v1", "Widget"])

    deadline = time.monotonic() + 30
    while name not in (definitions := api.get("/openapi/v2").ok()["definitions"]):
        assert time.monotonic() < deadline, name
        time.sleep(0.3)

    assert definitions[name]["properties"]["spec"]["properties"]["size"] == {"type": "integer"}
    assert definitions[name]["x-kubernetes-group-version-kind"] == [
        {"group": widgets.group, "kind": "Widget", "version": "v1"}
    ]


def test_what_preserves_all_fields_is_a_bare_object_in_version_two(
    api: Wire, install: Installer
) -> None:
    """Kubectl takes a schema that names a field for one that forbids all others."""
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    shape = {**anything, "properties": {"spec": {"type": "object"}}}
    widgets = install({**version(), "schema": {"openAPIV3Schema": shape}})
    name = ".".join([*reversed(widgets.group.split(".")), "v1", "Widget"])

    found = wait_until(api, "/openapi/v2", lambda reply: name in reply.ok()["definitions"])

    described = found.ok()["definitions"][name]
    assert {key: described[key] for key in described if not key.startswith("x-")} == {
        "type": "object"
    }
