"""`Dependents`: watches the kinds of what runs make, as soon as there is an object of one."""

from typing import TYPE_CHECKING

from kubewright import _json
from kubewright.ansible.children import Child
from kubewright.ansible.digests import DIGEST, digest_of, with_digest_only
from kubewright.ansible.proxy.owner import PRIMARY, PRIMARY_TYPE
from kubewright.ansible.watches import Watch
from kubewright.api.definition import plural_of
from kubewright.api.kind import ObjectKey
from kubewright.api.kind_reference import Kind
from kubewright.api.unstructured import Unstructured
from kubewright.cache.written import is_newer
from kubewright.controller.controller import Controller
from kubewright.controller.watches import Watches
from kubewright.errors import NoMatchError, NotFoundError

if TYPE_CHECKING:
    from kubewright.cache.informer import Informer
    from kubewright.cluster import Cluster

__all__ = ["Dependents"]


class Dependents:
    """Watches what runs have made, in a cache that keeps nothing of it but a digest.

    Args:
        watch: What is watched.
        cluster: Where the objects are.

    Attributes:
        is_namespaced: Whether the owners are in namespaces.
    """

    def __init__(self, watch: Watch, cluster: "Cluster") -> None:
        self._watch = watch
        self._cluster = cluster
        self._controller: Controller | None = None
        self._informers: dict[Kind, Informer[Unstructured]] = {}
        self.is_namespaced: bool = True

    def tell(self, controller: Controller) -> None:
        """Queue the owners of what changes in *controller* from now on."""
        self._controller = controller

    def follow(self, kind: Kind, *, is_namespaced: bool) -> bool:
        """Watch the objects of *kind*; return whether they may be watched."""
        watch = self._watch
        wanted = watch.watch_dependent_resources and kind not in watch.blacklist
        if not wanted or not (is_namespaced or watch.watch_cluster_scoped_resources):
            return False
        if kind not in self._informers and self._controller is not None:
            source = Watches(kind, self._owners_of, transform=with_digest_only)
            self._informers[kind] = source.informer(self._cluster)
            self._controller.watch(source)
        return True

    def plural(self, kind: Kind) -> str:
        """Return what *kind* is called in paths."""
        informer = self._informers.get(kind)
        return plural_of(kind.kind) if informer is None else informer.selection.mapping.plural

    def current(self, kind: Kind, key: ObjectKey) -> Child | None:
        """Return an object as the cache has it; ``None`` if it has none."""
        informer = self._informers.get(kind)
        entry = informer.store.find_entry(key) if informer is not None else None
        if entry is None:
            return None
        return Child(entry.resource_version, str(_json.loads(entry.raw).get(DIGEST, "")))

    async def has_changed(self, kind: Kind, key: ObjectKey, child: Child) -> bool:
        """Say whether an object is other than *child*, which a run has left behind."""
        now = self.current(kind, key) or await self._live(kind, key)
        if now is None:
            return True
        # A cache that is behind shows the state before the run; what comes is another event.
        return now.digest != child.digest and is_newer(now.version, child.version) is not False

    async def _live(self, kind: Kind, key: ObjectKey) -> Child | None:
        """Ask the server: the cache may not have heard of it yet, or not watch its namespace."""
        try:
            found = await self._cluster.live.find(kind, key)
        except (NoMatchError, NotFoundError):
            return None
        return Child(found.resource_version, digest_of(found)) if found is not None else None

    def _owners_of(self, obj: Unstructured) -> list[ObjectKey]:
        kind = self._watch.kind
        found = [
            ObjectKey(obj.namespace if self.is_namespaced else "", one.name)
            for one in obj.metadata.owner_references
            if one.kind == kind.kind and one.api_version.rpartition("/")[0] == kind.group
        ]
        annotations = obj.metadata.annotations
        if annotations.get(PRIMARY_TYPE) == f"{kind.kind}.{kind.group}":
            namespace, _, name = annotations.get(PRIMARY, "").partition("/")
            found.append(ObjectKey(namespace, name))
        return found
