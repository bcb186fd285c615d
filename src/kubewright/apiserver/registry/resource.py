"""What is served at a path: one `Resource` for each group, version and plural name."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from kubewright.apiserver.meta.names import GroupKind, GroupResource, api_version
from kubewright.apiserver.registry.strategy import Obj, Strategy
from kubewright.apiserver.schema.tree import Schema


@dataclass(slots=True, eq=False)
class Resource:
    """A kind in one version, as clients see it.

    Attributes:
        hub: The version in which the server stores it and works with it; ``to_hub`` and
            ``from_hub`` convert, and are ``None`` where this version is the hub.
        schema: Returns the shape in this version, made at the first call.
        make_strategy: Returns the behaviour; `strategy` asks it once, since the code of a kind is
            loaded when the kind is first used.
        subresources: The discovery entry of each, by name: ``status``, ``scale``, ``log``.
        custom: Whether a CRD defines it.
        columns: A CRD's printer columns in this version.
        scale_paths: A CRD's scale subresource: specReplicasPath and so on.
        read: For custom resources: stored objects of any version, as this version shows them
            (converted, pruned, defaulted).
        write: For custom resources: an object of this version as it is stored.
        since: For custom resources: the revision at which the CRD got its present schema; what was
            stored later needs no `read`.
        shared: The resource of another group with which it shares its objects, as events do.
        rename_field: Returns what the stored version calls a field that a selector names.
        asks_webhook: For custom resources: whether a webhook converts between versions.
        opening: How the bytes of each stored object of this version begin.
        warning: Sent with every answer in this version, such as a deprecation.
    """

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool
    hub: str
    schema: Callable[[], Schema]
    make_strategy: Callable[[], Strategy]
    singular: str = ""
    list_kind: str = ""
    verbs: tuple[str, ...] = ()
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subresources: dict[str, dict[str, Any]] = field(default_factory=dict)
    custom: bool = False
    columns: tuple[dict[str, Any], ...] = ()
    scale_paths: dict[str, str] = field(default_factory=dict)
    to_hub: Callable[[Obj], Obj] | None = None
    from_hub: Callable[[Obj], Obj] | None = None
    read: Callable[[list[Obj]], Awaitable[list[Obj]]] | None = None
    write: Callable[[Obj], Awaitable[Obj]] | None = None
    since: int = 0
    asks_webhook: bool = False
    warning: str = ""
    shared: GroupResource | None = None
    rename_field: Callable[[str], str] | None = None
    opening: bytes = field(init=False)
    _strategy: Strategy | None = field(default=None, init=False)
    group_resource: GroupResource = field(init=False)
    group_kind: GroupKind = field(init=False)
    api_version: str = field(init=False)

    @property
    def storage(self) -> GroupResource:
        """The name under which its objects are stored."""
        return self.shared or self.group_resource

    @property
    def strategy(self) -> Strategy:
        """The behaviour of the kind."""
        if self._strategy is None:
            self._strategy = self.make_strategy()
        return self._strategy

    def kind_of(self, subresource: str) -> tuple[str, str, str]:
        """Return group, version and kind of what is sent to a subresource; its own if it is empty.

        A pod is evicted with an Eviction of ``policy/v1``, and its status is written with a Pod.
        """
        found = self.subresources.get(subresource, {}).get("responseKind") if subresource else None
        if not found or not found.get("kind"):
            return self.group, self.version, self.kind
        if not found.get("version"):  # it is of the resource's own
            return self.group, self.version, found["kind"]
        return found.get("group", ""), found["version"], found["kind"]

    def __post_init__(self) -> None:
        self.group_resource = GroupResource(self.group, self.plural)
        self.group_kind = GroupKind(self.group, self.kind)
        self.api_version = api_version(self.group, self.version)
        self.opening = b'{"apiVersion":"%b","kind":"%b",' % (
            self.api_version.encode(),
            self.kind.encode(),
        )
        self.list_kind = self.list_kind or f"{self.kind}List"
