"""Custom resources: the embedded server beside Kubernetes' own code for them."""

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test

from tests.conformance.crds import CRDS, wait_for_status
from tests.differential.machine import AGES, DRY, MANAGERS, OBJECTS, VERSIONS, Machine
from tests.differential.pair import Pair
from tests.differential.patches import json_patches, merge_patches
from tests.differential.sink import GROUP, RULED, RULES, SINK, SPEC, STATUS, STRICT
from tests.differential.values import METADATA, mostly, values

SCHEMAS = {"v1": SPEC, "v2": STRICT}
SPECS = {name: values(schema) for name, schema in SCHEMAS.items()}
VERSION = st.sampled_from(["v1", "v1", "v2"])
POINTERS = [
    "/spec/granular",
    "/spec/granular/a",
    "/spec/map/a",
    "/spec/ports/0",
    "/spec/ports/-",
    "/spec/ports/0/port",
    "/spec/set/0",
    "/spec/set/-",
    "/spec/open/a",
    "/spec/nest/x",
    "/spec/nest",
    "/spec/nullable",
    "/spec/defaulted",
    "/spec/embedded/metadata/name",
    "/spec/free",
    "/spec",
    "/metadata/labels",
    "/metadata/labels/l",
    "/metadata/finalizers/0",
    "/status/replicas",
    "/metadata/name",
    "/kind",
    "/spec/atoms/1",
    "/spec/missing/x",
    "",
    "/spec/word",
]


def install(pair: Pair, definition: dict[str, Any]) -> None:
    """Install a CRD on both servers."""
    name = definition["metadata"]["name"]
    for side in pair.sides:
        if side.wire.get(f"{CRDS}/{name}").status == 404:
            side.wire.post(CRDS, definition).ok(201)
        for one in definition["spec"]["versions"]:
            plural = definition["spec"]["names"]["plural"]
            wait_for_status(side.wire, f"/apis/{GROUP}/{one['name']}/{plural}", 200)


def readable(spec: Any) -> Any:
    """Return *spec* without an object in it that cannot be read (see known.py)."""
    if not isinstance(spec, dict) or "embedded" not in spec or _is_readable(spec["embedded"]):
        return spec
    return {key: value for key, value in spec.items() if key != "embedded"}


def _is_readable(inner: Any) -> bool:
    if not isinstance(inner, dict):
        return False
    metadata = inner.get("metadata", {})
    return (
        isinstance(metadata, dict)
        and metadata.keys() <= {"name", "labels", "unknown"}
        and metadata.get("labels", {}) in ({}, {"a": "b"})
        and all(isinstance(inner.get(key, ""), str) for key in ("apiVersion", "kind"))
    )


class Sinks(Machine):
    """Objects with something of everything."""

    COLLECTIONS = {
        version: f"/apis/{GROUP}/{version}/namespaces/{{namespace}}/sinks" for version in SCHEMAS
    }
    OWN = list(SCHEMAS)

    def last(self, collection: str) -> dict[str, Any]:
        metadata = {"name": f"zz-{collection}", "labels": {"l": "1"}}
        return {"apiVersion": f"{GROUP}/{collection}", "kind": "Sink", "metadata": metadata}

    def body(self, name: str, version: str, metadata: dict[str, Any], spec: Any) -> dict[str, Any]:
        """Return an object."""
        return {
            "apiVersion": f"{GROUP}/{version}",
            "kind": "Sink",
            "metadata": {"name": name, **metadata},
            "spec": spec,
        }

    @rule(data=st.data(), name=OBJECTS, version=VERSION, metadata=METADATA, dry=DRY, owner=MANAGERS)
    def create(
        self,
        data: st.DataObject,
        name: str,
        version: str,
        metadata: dict[str, Any],
        dry: Any,
        owner: str,
    ) -> None:
        """Create an object."""
        body = self.body(name, version, metadata, data.draw(SPECS[version]))
        query = {"dryRun": dry} if dry else {}
        self.pair.write("POST", self.path(version), body, fieldManager=owner, **query)

    @rule(
        data=st.data(),
        name=OBJECTS,
        version=VERSION,
        metadata=METADATA,
        owner=MANAGERS,
        force=st.sampled_from([None, None, "true"]),
    )
    def apply(
        self,
        data: st.DataObject,
        name: str,
        version: str,
        metadata: dict[str, Any],
        owner: str,
        force: Any,
    ) -> None:
        """Apply a configuration as one of several managers."""
        body = self.body(name, version, metadata, readable(data.draw(SPECS[version])))
        self.pair.write(
            "PATCH", self.path(version, name), body, patch="apply", fieldManager=owner, force=force
        )

    @rule(
        data=st.data(),
        name=OBJECTS,
        version=VERSION,
        metadata=METADATA,
        owner=MANAGERS,
        age=AGES,
        expected=VERSIONS,
    )
    def replace(
        self,
        data: st.DataObject,
        name: str,
        version: str,
        metadata: dict[str, Any],
        owner: str,
        age: int,
        expected: str,
    ) -> None:
        """Replace what was read now or earlier."""
        change = {**self.body(name, version, {}, data.draw(SPECS[version])), "metadata": metadata}
        path = self.path(version, name)
        body = self.changed(path, age=age, version=expected, change=change)
        self.pair.write("PUT", path, body, fieldManager=owner)

    @rule(name=OBJECTS, version=VERSION, patch=json_patches(POINTERS), owner=MANAGERS)
    def patch_json(self, name: str, version: str, patch: Any, owner: str) -> None:
        """Send a JSON patch."""
        self.pair.write("PATCH", self.path(version, name), patch, patch="json", fieldManager=owner)

    @rule(data=st.data(), name=OBJECTS, version=VERSION, metadata=METADATA, owner=MANAGERS)
    def patch_merge(
        self, data: st.DataObject, name: str, version: str, metadata: Any, owner: str
    ) -> None:
        """Send a merge patch."""
        patch = data.draw(merge_patches(SPECS[version]))
        body = {"metadata": metadata, "spec": patch}
        self.pair.write("PATCH", self.path(version, name), body, patch="merge", fieldManager=owner)

    @rule(
        name=OBJECTS,
        version=VERSION,
        status=values(STATUS),
        owner=MANAGERS,
        spec=SPECS["v1"],
        how=st.sampled_from(["merge", "apply", "put"]),
    )
    def status(self, name: str, version: str, status: Any, owner: str, spec: Any, how: str) -> None:
        """Write the status in one of three ways; whatever else is said is ignored."""
        path = f"{self.path(version, name)}/status"
        if how == "put":
            change = {**self.body(name, version, {}, spec), "status": status}
            body = self.changed(self.path(version, name), age=0, version="same", change=change)
            self.pair.write("PUT", path, body, fieldManager=owner)
        else:
            body = {**self.body(name, version, {}, spec), "status": status}
            self.pair.write("PATCH", path, body, patch=how, fieldManager=owner)

    @rule(
        name=OBJECTS,
        version=VERSION,
        replicas=mostly(st.integers(0, 5), st.sampled_from([-1, "x", None])),
        owner=MANAGERS,
        how=st.sampled_from(["get", "merge", "json"]),
    )
    def scale(self, name: str, version: str, replicas: Any, owner: str, how: str) -> None:
        """Read or write the number of replicas."""
        path = f"{self.path(version, name)}/scale"
        bodies: dict[str, Any] = {
            "merge": {"spec": {"replicas": replicas}},
            "json": [{"op": "replace", "path": "/spec/replicas", "value": replicas}],
        }
        if how == "get":
            self.pair.ask("GET", path)
        else:
            self.pair.ask("PATCH", path, bodies[how], patch=how, fieldManager=owner)


class Ruleds(Machine):
    """Objects with CEL rules."""

    COLLECTIONS = {"ruleds": f"/apis/{GROUP}/v1/namespaces/{{namespace}}/ruleds"}
    OWN = ["ruleds"]

    def last(self, collection: str) -> dict[str, Any]:
        metadata = {"name": f"zz-{collection}", "labels": {"l": "1"}}
        return {"apiVersion": f"{GROUP}/v1", "kind": "Ruled", "metadata": metadata}

    @rule(name=OBJECTS, spec=values(RULES, wrong=False))
    def create(self, name: str, spec: Any) -> None:
        """Create an object."""
        body = {**self.last(""), "metadata": {"name": name}, "spec": spec}
        self.pair.write("POST", self.path("ruleds"), body)

    @rule(name=OBJECTS, spec=values(RULES))
    def replace(self, name: str, spec: Any) -> None:
        """Replace its spec."""
        path = self.path("ruleds", name)
        self.pair.write(
            "PUT",
            path,
            self.changed(
                path, age=0, version="same", change={**self.last(""), "metadata": {}, "spec": spec}
            ),
        )

    @rule(name=OBJECTS, spec=merge_patches(values(RULES)))
    def patch(self, name: str, spec: Any) -> None:
        """Change some of its spec."""
        self.pair.write("PATCH", self.path("ruleds", name), {"spec": spec}, patch="merge")


@pytest.mark.timeout(3000)
def test_any_sequence_of_writes_has_the_same_answers(custom: Pair) -> None:
    """Pruning, defaults, validation, ownership, versions and ratcheting are those of Kubernetes."""
    install(custom, SINK)
    Sinks.pair = custom
    run_state_machine_as_test(Sinks, settings=settings(max_examples=settings().max_examples * 2))


@pytest.mark.timeout(3000)
def test_rules_accept_and_refuse_the_same(custom: Pair) -> None:
    """CEL rules, those about transitions included, with their messages."""
    install(custom, RULED)
    Ruleds.pair = custom
    run_state_machine_as_test(Ruleds)
