"""`Owner`: whose the objects are that a run makes, and how they show it."""

from collections.abc import Mapping
from typing import Any

import msgspec

from kubewright.api.unstructured import Unstructured

__all__ = ["PRIMARY", "PRIMARY_TYPE", "Owner"]

PRIMARY: str = "operator-sdk/primary-resource"
"""The annotation with the namespace and name of an owner that cannot be referred to."""
PRIMARY_TYPE: str = "operator-sdk/primary-resource-type"
"""The annotation with its kind and group."""


class Owner(msgspec.Struct, frozen=True):
    """The object that a run is for.

    Attributes:
        api_version: Its group and version.
        kind: Its kind.
        name: Its name.
        namespace: Its namespace; empty if it has none.
        uid: Its uid.
    """

    api_version: str
    kind: str
    name: str
    namespace: str
    uid: str

    @classmethod
    def of(cls, obj: Unstructured) -> "Owner":
        """Return *obj* as an owner."""
        return cls(obj.api_version, obj.kind, obj.name, obj.namespace, obj.metadata.uid)

    @property
    def group(self) -> str:
        """Its group."""
        return self.api_version.rpartition("/")[0]

    @property
    def annotations(self) -> dict[str, str]:
        """How an object shows it that it may not refer to."""
        return {
            PRIMARY: f"{self.namespace}/{self.name}",
            PRIMARY_TYPE: f"{self.kind}.{self.group}",
        }

    def may_be_referred_to(self, namespace: str) -> bool:
        """Say whether objects in *namespace* may refer to it."""
        return not self.namespace or namespace == self.namespace

    def is_named(self, *, group: str, kind: str, namespace: str, name: str) -> bool:
        """Say whether it is the object with these names."""
        ours = (self.group, self.kind, self.namespace, self.name)
        return ours == (group, kind, namespace, name)

    def add_to(self, document: dict[str, Any], namespace: str) -> bool:
        """Make *document*, which is in *namespace*, its own; return whether that changed it."""
        if self.owns(document):
            return False
        metadata = document["metadata"] = document.get("metadata") or {}
        if self.may_be_referred_to(namespace):
            references = metadata.get("ownerReferences") or []
            metadata["ownerReferences"] = [*references, self._reference]
        else:
            metadata["annotations"] = {**(metadata.get("annotations") or {}), **self.annotations}
        return True

    def owns(self, document: Mapping[str, Any]) -> bool:
        """Say whether *document* shows that it belongs to it."""
        metadata = document.get("metadata") or {}
        references = metadata.get("ownerReferences") or ()
        if any(one.get("uid") == self.uid for one in references):
            return True
        annotations = metadata.get("annotations") or {}
        return bool(self.namespace) and self.annotations.items() <= annotations.items()

    @property
    def _reference(self) -> dict[str, str]:
        return {
            "apiVersion": self.api_version,
            "kind": self.kind,
            "name": self.name,
            "uid": self.uid,
        }
