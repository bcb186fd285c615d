"""Names of kinds, resources and objects: GVK, GVR, the mapping between them, and object keys."""

from typing import Self

import msgspec


class GroupVersion(msgspec.Struct, frozen=True, order=True, gc=False):
    """An API group in one version, such as ``apps/v1``; the core group has no name.

    Example:
        >>> GroupVersion.parse("apps/v1")
        GroupVersion(group='apps', version='v1')
        >>> str(GroupVersion.parse("v1"))
        'v1'
    """

    group: str
    version: str

    @classmethod
    def parse(cls, api_version: str) -> Self:
        """Read an ``apiVersion``.

        Raises:
            ValueError: It is not of the form ``version`` or ``group/version``.
        """
        group, slash, version = api_version.rpartition("/")
        if not version or "/" in group or bool(slash) != bool(group):
            raise ValueError(f"not an apiVersion: {api_version!r}; write 'v1' or 'group/version'")
        return cls(group, version)

    def __str__(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def path(self) -> str:
        """The folder of its resources on a server: ``/api/v1`` or ``/apis/apps/v1``."""
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"


class GroupKind(msgspec.Struct, frozen=True, order=True, gc=False):
    """A kind whatever its version, such as ``Deployment.apps``."""

    group: str
    kind: str

    def __str__(self) -> str:
        return f"{self.kind}.{self.group}" if self.group else self.kind


class GroupVersionKind(msgspec.Struct, frozen=True, order=True, gc=False):
    """A kind in one version, as an object's ``apiVersion`` and ``kind`` say it.

    Example:
        >>> GroupVersionKind.of("apps/v1", "Deployment").group
        'apps'
    """

    group: str
    version: str
    kind: str

    @classmethod
    def of(cls, api_version: str, kind: str) -> Self:
        """Return the kind named by an ``apiVersion`` and a ``kind``."""
        parsed = GroupVersion.parse(api_version)
        return cls(parsed.group, parsed.version, kind)

    @property
    def group_version(self) -> GroupVersion:
        """The group and version without the kind."""
        return GroupVersion(self.group, self.version)

    @property
    def group_kind(self) -> GroupKind:
        """The group and kind without the version."""
        return GroupKind(self.group, self.kind)

    @property
    def api_version(self) -> str:
        """The group and version as ``apiVersion`` has them."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def __str__(self) -> str:
        return f"{self.api_version} {self.kind}"


class GroupVersionResource(msgspec.Struct, frozen=True, order=True, gc=False):
    """A collection on a server, as request paths name it: ``apps/v1 deployments``."""

    group: str
    version: str
    resource: str

    @property
    def group_version(self) -> GroupVersion:
        """The group and version without the resource."""
        return GroupVersion(self.group, self.version)

    def __str__(self) -> str:
        return f"{self.group_version} {self.resource}"


class RESTMapping(msgspec.Struct, frozen=True, gc=False):
    """Where a kind lives on a server: its kind, its plural, and whether it is in namespaces.

    Example:
        >>> pods = RESTMapping("", "v1", "Pod", "pods", namespaced=True)
        >>> pods.path("shop", "web-0", "log")
        '/api/v1/namespaces/shop/pods/web-0/log'
    """

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool = True

    @property
    def gvk(self) -> GroupVersionKind:
        """The kind in this version."""
        return GroupVersionKind(self.group, self.version, self.kind)

    @property
    def gvr(self) -> GroupVersionResource:
        """The resource in this version."""
        return GroupVersionResource(self.group, self.version, self.plural)

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """Return the request path of a collection, an object or a subresource.

        The parts are used as they are: see `kubewright.api.requests`, which checks them.
        """
        prefix = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        if namespace:
            prefix += f"/namespaces/{namespace}"
        path = f"{prefix}/{self.plural}"
        if name:
            path += f"/{name}"
        return f"{path}/{subresource}" if subresource else path


class ObjectKey(msgspec.Struct, frozen=True, order=True, gc=False):
    """The name of an object within its kind; cluster-scoped objects have no namespace.

    Example:
        >>> str(ObjectKey("shop", "web"))
        'shop/web'
        >>> ObjectKey.parse("node-1")
        ObjectKey(namespace='', name='node-1')
    """

    namespace: str
    name: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``name`` or ``namespace/name``.

        Raises:
            ValueError: It has no name, or more than one slash.
        """
        namespace, slash, name = text.rpartition("/")
        if not name or "/" in namespace or bool(slash) != bool(namespace):
            raise ValueError(f"not an object key: {text!r}; write 'name' or 'namespace/name'")
        return cls(namespace, name)

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name
