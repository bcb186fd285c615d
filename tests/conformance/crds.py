"""CustomResourceDefinitions for the conformance tests, each in a group of its own."""

import json
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tests.conformance.wire import Reply, Wire

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
PATIENCE: float = 20
ANYTHING: dict[str, Any] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def object_of(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object with *properties*."""
    return {"type": "object", "properties": properties}


def version(
    name: str = "v1", *, schema: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """Return a version of a CRD whose ``spec`` has *schema*."""
    whole = object_of(spec=schema or ANYTHING)
    return {
        "name": name,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": whole},
        **more,
    }


def crd(*versions: dict[str, Any], scope: str = "Namespaced", **more: Any) -> dict[str, Any]:
    """Return a CRD for the kind Widget in a new group."""
    group = f"g{secrets.token_hex(4)}.example.com"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"widgets.{group}"},
        "spec": {
            "group": group,
            "scope": scope,
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
            "versions": list(versions) or [version()],
            **more,
        },
    }


def conditions(definition: dict[str, Any]) -> dict[str, str]:
    """Return the conditions of a CRD by type."""
    found = definition.get("status", {}).get("conditions")
    return {one["type"]: one["status"] for one in found or ()}


@dataclass(frozen=True)
class Installed:
    """A CRD that is served."""

    api: Wire
    name: str
    group: str
    plural: str
    kind: str
    version: str
    namespace: str | None

    def path(self, name: str = "", *, version: str = "") -> str:
        """Return the path of the collection, or of the object *name* with its subresource."""
        within = f"/namespaces/{self.namespace}" if self.namespace else ""
        base = f"/apis/{self.group}/{version or self.version}{within}/{self.plural}"
        return f"{base}/{name}" if name else base

    def body(self, name: str, *, version: str = "", **content: Any) -> dict[str, Any]:
        """Return an object of the kind; *content* is what stands beside the metadata."""
        metadata = {"name": name, **content.pop("metadata", {})}
        return {
            "apiVersion": f"{self.group}/{version or self.version}",
            "kind": self.kind,
            "metadata": metadata,
            **content,
        }

    def create(self, name: str = "a", *, version: str = "", **content: Any) -> Reply:
        """Create an object."""
        body = self.body(name, version=version, **content)
        return self.api.post(self.path(version=version), body)

    def definition(self) -> dict[str, Any]:
        """Return the CRD as it is now."""
        found: dict[str, Any] = self.api.get(f"{CRDS}/{self.name}").ok()
        return found


_SHARED: dict[str, Installed] = {}


class Installer:
    """Installs CRDs and waits until they are served."""

    def __init__(self, api: Wire, namespace: str) -> None:
        self._api = api
        self._namespace = namespace
        self._names: list[str] = []

    def __call__(self, *versions: dict[str, Any], **spec: Any) -> Installed:
        """Install a CRD with *versions*; *spec* overrides what is in its spec."""
        return self.install(crd(*versions, **spec))

    def shared(self, *versions: dict[str, Any], **spec: Any) -> Installed:
        """Install a CRD once for all tests that want the same and do not change it.

        A real server makes the first writer of a new kind wait for two seconds.
        """
        key = json.dumps([self._api.server.url, versions, spec], sort_keys=True)
        if key not in _SHARED:
            _SHARED[key] = self.install(crd(*versions, **spec))
            self._names.remove(_SHARED[key].name)
        found = _SHARED[key]
        return replace(found, api=self._api, namespace=found.namespace and self._namespace)

    def install(self, definition: dict[str, Any]) -> Installed:
        """Install *definition* and wait until each served version answers."""
        made = self.create(definition).ok(201)
        spec = made["spec"]
        served = [one["name"] for one in spec["versions"] if one["served"]]
        installed = Installed(
            api=self._api,
            name=made["metadata"]["name"],
            group=spec["group"],
            plural=spec["names"]["plural"],
            kind=spec["names"]["kind"],
            version=served[0],
            namespace=self._namespace if spec["scope"] == "Namespaced" else None,
        )
        for name in served:
            wait_for_status(self._api, installed.path(version=name), 200)
        return installed

    def create(self, definition: dict[str, Any]) -> Reply:
        """Create a CRD without waiting; it is deleted with the rest."""
        reply = self._api.post(CRDS, definition)
        if "object is being deleted" in reply.text:  # another test had one of this name
            wait_for_status(self._api, f"{CRDS}/{definition['metadata']['name']}", 404)
            reply = self._api.post(CRDS, definition)
        if reply.status == 201:
            self._names.append(definition["metadata"]["name"])
        return reply

    def clean(self) -> None:
        """Delete what was installed."""
        while self._names:
            self._api.delete(f"{CRDS}/{self._names.pop()}")


def wait_for_status(api: Wire, path: str, status: int) -> Reply:
    """Ask until *path* answers with *status*: a CRD is served a moment after it is accepted."""
    deadline = time.monotonic() + PATIENCE
    while (reply := api.get(path)).status != status:
        assert time.monotonic() < deadline, reply.text
        time.sleep(0.05)
    return reply


def wait_until(api: Wire, path: str, holds: Callable[[Reply], bool]) -> Reply:
    """Ask until the answer is as *holds* wants it: a changed CRD holds a moment later."""
    deadline = time.monotonic() + PATIENCE
    while not holds(reply := api.get(path)):
        assert time.monotonic() < deadline, reply.text
        time.sleep(0.05)
    return reply


def wait_for_condition(api: Wire, name: str, kind: str, status: str = "True") -> dict[str, Any]:
    """Ask until the CRD *name* has the condition."""
    deadline = time.monotonic() + PATIENCE
    while True:
        found: dict[str, Any] = api.get(f"{CRDS}/{name}").ok()
        if conditions(found).get(kind) == status:
            return found
        assert time.monotonic() < deadline, found["status"]
        time.sleep(0.05)


THINGS = "things.conformance.example.com"


def thing_crd() -> dict[str, Any]:
    """Return a CRD that is to custom resources what ConfigMap is to built-in kinds."""
    group = THINGS.partition(".")[2]
    data = {"type": "object", "additionalProperties": {"type": "string"}}
    schema = object_of(data=data)
    names = {"plural": "things", "singular": "thing", "kind": "Thing", "shortNames": ["th"]}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": THINGS},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": names,
            "versions": [version() | {"schema": {"openAPIV3Schema": schema}}],
        },
    }


@dataclass(frozen=True)
class Things:
    """A collection in the test's namespace, of ConfigMaps or of custom resources like them.

    What the server does for every kind is one piece of code; these show that it is.
    """

    path: str
    group: str
    resource: str
    kind: str

    @property
    def qualified(self) -> str:
        """The resource as messages name it, such as ``things.conformance.example.com``."""
        return f"{self.resource}.{self.group}" if self.group else self.resource

    @property
    def api_version(self) -> str:
        """The group and version."""
        return f"{self.group}/v1" if self.group else "v1"

    def details(self, name: str, *, kind: str = "") -> dict[str, str]:
        """Return the details of a Status about *name*."""
        group = {"group": self.group} if self.group else {}
        return {"name": name, **group, "kind": kind or self.resource}

    def body(self, name: str, *, labels: dict[str, str] | None = None, **data: str) -> Any:
        """Return one with *data*."""
        metadata: dict[str, Any] = {"name": name}
        if labels:
            metadata["labels"] = labels
        return {
            "apiVersion": self.api_version,
            "kind": self.kind,
            "metadata": metadata,
            "data": data,
        }


def things_in(api: Wire, namespace: str, *, custom: bool) -> Things:
    """Return the collection, and see to it that the kind is served."""
    if not custom:
        return Things(f"/api/v1/namespaces/{namespace}/configmaps", "", "configmaps", "ConfigMap")
    group = THINGS.partition(".")[2]
    path = f"/apis/{group}/v1/namespaces/{namespace}/things"
    if api.get(path).status != 200:
        made = api.post(CRDS, thing_crd())
        assert made.status in (201, 409), made.text
        wait_for_status(api, path, 200)
    return Things(path, group, "things", "Thing")
