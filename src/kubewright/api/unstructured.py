"""`Unstructured`: an object of a kind that has no class, as a dict with the same handles."""

from typing import Any, Self

from kubewright import _json
from kubewright.api.kind import GroupVersionKind, ObjectKey
from kubewright.api.live import LiveDict, LiveMeta
from kubewright.api.meta import ObjectMeta


class Unstructured(dict[str, Any]):
    """An object of any kind, as the JSON it is.

    Example:
        >>> shop = Unstructured(apiVersion="example.com/v1", kind="Shop", metadata={"name": "a"})
        >>> shop.gvk.group, shop.name
        ('example.com', 'a')
        >>> shop.metadata.labels["tier"] = "front"
        >>> shop.status["phase"] = "Open"
        >>> shop["metadata"]["labels"], shop["status"]
        ({'tier': 'front'}, {'phase': 'Open'})
    """

    raw: bytes | None = None
    """The bytes that it was read from, if it was read from a server."""

    @classmethod
    def read(cls, raw: bytes) -> Self:
        """Decode *raw* into an object that remembers it.

        Raises:
            DecodeError: It is not a JSON object.
        """
        found = cls(_json.decode(raw, dict))
        found.raw = raw
        return found

    @property
    def api_version(self) -> str:
        """The ``apiVersion``, or an empty string."""
        return str(self.get("apiVersion") or "")

    @property
    def kind(self) -> str:
        """The ``kind``, or an empty string."""
        return str(self.get("kind") or "")

    @property
    def gvk(self) -> GroupVersionKind:
        """The group, version and kind.

        Raises:
            ValueError: ``apiVersion`` is missing or malformed.
        """
        return GroupVersionKind.of(self.api_version, self.kind)

    @property
    def metadata(self) -> ObjectMeta:
        """The metadata with its types, as it is now; what is changed in it is changed here, too.

        Raises:
            DecodeError: The metadata is not what the server would accept.
        """
        return LiveMeta.of(self)

    @metadata.setter
    def metadata(self, metadata: ObjectMeta) -> None:
        self["metadata"] = _json.to_builtins(metadata)

    @property
    def spec(self) -> dict[str, Any]:
        """The ``spec``; if there is none, an empty dict that is put here with its first entry."""
        return self._part("spec")

    @property
    def status(self) -> dict[str, Any]:
        """The ``status``; if there is none, an empty dict that is put here with its first entry."""
        return self._part("status")

    @property
    def name(self) -> str:
        """The name, or an empty string."""
        return self._meta("name")

    @property
    def namespace(self) -> str:
        """The namespace, or an empty string."""
        return self._meta("namespace")

    @property
    def resource_version(self) -> str:
        """The version that was read, or an empty string."""
        return self._meta("resourceVersion")

    @property
    def key(self) -> ObjectKey:
        """The namespace and name."""
        return ObjectKey(self.namespace, self.name)

    def _meta(self, field: str) -> str:
        return str((self.get("metadata") or {}).get(field) or "")

    def _part(self, field: str) -> dict[str, Any]:
        found: dict[str, Any] | None = self.get(field)
        if found is not None:
            return found

        def put(new: Any) -> None:
            self[field] = new

        return LiveDict({}, put)
