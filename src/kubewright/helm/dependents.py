"""`Dependents`: watches the kinds that releases consist of, as soon as there is one."""

from typing import TYPE_CHECKING

from kubewright.api.kind import ObjectKey
from kubewright.api.kind_reference import Kind
from kubewright.api.unstructured import Unstructured
from kubewright.controller.controller import Controller
from kubewright.controller.watches import Watches
from kubewright.errors import NoMatchError, NotFoundError

if TYPE_CHECKING:
    from kubewright.cache.informer import Informer
    from kubewright.cluster import Cluster

__all__ = ["Dependents"]

SELECTED: str = "app.kubernetes.io/managed-by=Helm"
_NAME, _NAMESPACE = "meta.helm.sh/release-name", "meta.helm.sh/release-namespace"


class Dependents:
    """Finds the objects of releases, in a cache that knows only what belongs to Helm.

    Args:
        cluster: Where they are.
        watching: Whether they are watched; otherwise each look asks the server.

    Attributes:
        is_namespaced: Whether the custom objects are in namespaces.
    """

    def __init__(self, cluster: "Cluster", *, watching: bool) -> None:
        self._cluster = cluster
        self._watching = watching
        self._controller: Controller | None = None
        self._informers: dict[Kind, Informer[Unstructured]] = {}
        self.is_namespaced: bool = True

    def tell(self, controller: Controller) -> None:
        """Queue releases in *controller* from now on."""
        self._controller = controller

    async def follow(self, kind: Kind) -> None:
        """Watch the objects of *kind* that belong to releases."""
        if not self._watching or kind in self._informers or self._controller is None:
            return
        watch = Watches(kind, self._releases_of, labels=SELECTED)
        self._informers[kind] = watch.informer(self._cluster)
        self._controller.watch(watch)

    async def find(self, body: Unstructured) -> Unstructured | None:
        """Return the object that *body* describes, as it is now."""
        kind = Kind(body.api_version, body.kind)
        await self.follow(kind)
        informer = self._informers.get(kind)
        if informer is not None and informer.synced:
            return informer.store.find(body.key)
        try:
            return await self._cluster.live.find(kind, body.key)
        except (NoMatchError, NotFoundError):
            return None

    def version(self, kind: Kind, key: ObjectKey) -> str:
        """Return the resourceVersion of an object that is watched; empty if it is not known."""
        informer = self._informers.get(kind)
        if informer is None or not informer.synced:
            return ""
        entry = informer.store.find_entry(key)
        return "" if entry is None else entry.resource_version

    def _releases_of(self, obj: Unstructured) -> list[ObjectKey]:
        annotations = obj.metadata.annotations
        name = annotations.get(_NAME)
        if not name:
            return []
        namespace = annotations.get(_NAMESPACE, "") if self.is_namespaced else ""
        return [ObjectKey(namespace, name)]
