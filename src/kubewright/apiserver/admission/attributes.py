"""The write that admission decides about."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Protocol

from msgspec import Struct

from kubewright.apiserver.admission.reinvocation import Reinvocation, Turn
from kubewright.apiserver.authentication.user import UserInfo
from kubewright.apiserver.meta import status
from kubewright.apiserver.meta.names import GroupResource, api_version
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.registry.strategy import Obj

Operation = Literal["CREATE", "UPDATE", "DELETE", "CONNECT"]


class GroupVersionKind(NamedTuple):
    """A kind in one version: ``apps/v1, Kind=Deployment``."""

    group: str
    version: str
    kind: str

    def __str__(self) -> str:
        return f"{self.group}/{self.version}, Kind={self.kind}"

    @property
    def api_version(self) -> str:
        """The value of ``apiVersion`` in an object."""
        return api_version(self.group, self.version)


class GroupVersionResource(NamedTuple):
    """A resource as a path names it: a plural name in one version."""

    group: str
    version: str
    resource: str

    @property
    def group_resource(self) -> GroupResource:
        """The resource without its version."""
        return GroupResource(self.group, self.resource)


NAMESPACES: GroupVersionResource = GroupVersionResource("", "v1", "namespaces")


class Attributes(Struct):
    """A write that is about to happen.

    Attributes:
        operation: What is done; a patch is an update.
        kind: Of `object`, in the version in which the client wrote it.
        resource: The resource in the path of the request.
        namespace: A namespace counts as being inside itself.
        object: As it would be stored; mutation changes it. ``None`` for a deletion.
        old_object: As it is stored; ``None`` for a create.
        options: CreateOptions, UpdateOptions or DeleteOptions, with kind and apiVersion.
        user: Who asks.
        warn: Adds a Warning header to the answer.
        annotations: What the audit log will say about it.
        reinvocation: Whether plugins must be called again; ``None`` until one wants to know.
    """

    operation: Operation
    kind: GroupVersionKind
    resource: GroupVersionResource
    user: UserInfo
    object: Obj | None = None
    old_object: Obj | None = None
    name: str = ""
    namespace: str = ""
    subresource: str = ""
    options: Obj | None = None
    dry_run: bool = False
    warn: Callable[[str], None] = lambda _: None
    annotations: dict[str, str] = {}
    reinvocation: Reinvocation | None = None

    def __post_init__(self) -> None:
        if not self.name and self.object is not None:
            self.name = (self.object.get("metadata") or {}).get("name") or ""
        if not self.namespace and self.resource == NAMESPACES:
            self.namespace = self.name

    def begin_turn(self, plugin: str) -> Turn:
        """Return the turn of a plugin that wants to see what others change after it."""
        if self.reinvocation is None:
            self.reinvocation = Reinvocation()
        return self.reinvocation.begin(plugin, self.object)

    def forbidden(self, why: str) -> StatusError:
        """Return the refusal of this write."""
        metadata = (self.object or {}).get("metadata") or {}
        name = self.name or metadata.get("generateName") or "Unknown"
        return status.forbidden(self.resource.group_resource, name, why)


class Objects(Protocol):
    """What admission must be able to do with objects; the server provides it."""

    def equivalents(
        self, resource: GroupVersionResource, subresource: str
    ) -> list[tuple[GroupVersionResource, GroupVersionKind]]:
        """Return the other versions in which the same objects are served."""
        ...

    async def convert(self, obj: Obj, kind: GroupVersionKind) -> Obj:
        """Return *obj* in the version of *kind*.

        Raises:
            StatusError: It cannot be converted.
        """
        ...

    def patch(self, obj: Obj, operations: list[Any]) -> Obj:
        """Return *obj* after a JSON patch; *obj* itself is left as it is.

        Raises:
            ValueError: The patch does not fit; the text is Kubernetes'.
        """
        ...

    def merge(self, obj: Obj, config: Obj, kind: GroupVersionKind) -> Obj:
        """Return *obj* with what *config* sets, by the rules of server-side apply.

        Raises:
            ValueError: *config* does not fit its schema, or replaces something as a whole.
        """
        ...

    def normalize(self, obj: Obj, kind: GroupVersionKind) -> Obj:
        """Return *obj* as a client could have sent it: cut to its schema, and defaulted.

        Raises:
            StatusError: It is no longer an object of its kind.
        """
        ...
