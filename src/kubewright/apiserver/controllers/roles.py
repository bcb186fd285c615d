"""Keeps the ClusterRoles that gather rules of others up to date, at once."""

from kubewright.apiserver.authorization.role_aggregation import stale_roles
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.storage import Event, Store

CLUSTER_ROLES = GroupResource("rbac.authorization.k8s.io", "clusterroles")


class RoleAggregator:
    """Gathers all rules again whenever a ClusterRole changes; they are few, and change rarely."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._gathering = False

    def start(self) -> None:
        """Gather now, and after every change."""
        self._gather()
        self._store.listen(self._handle_event)

    def _handle_event(self, resource: GroupResource, event: Event) -> None:
        if resource == CLUSTER_ROLES and not self._gathering:
            self._gather()

    def _gather(self) -> None:
        self._gathering = True  # our own writes must not start another round
        try:
            for role in stale_roles(self._store.list(CLUSTER_ROLES)):
                self._store.put(CLUSTER_ROLES, role)
        finally:
            self._gathering = False
