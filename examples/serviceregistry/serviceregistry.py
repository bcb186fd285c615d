"""Make Services reachable through Traefik: their endpoints go into the etcd that Traefik reads."""

from collections.abc import Sequence

import kubewright as kw
from etcd import EtcdError
from exposure import AnnotationError, is_annotated, route_for, service_of, slices_of
from kubewright.controller import Declaration, declare
from kubewright.kinds.core.v1 import Endpoints, Service
from kubewright.kinds.discovery.v1 import EndpointSlice
from traefik import Routes

NAME = "serviceregistry"
WORKERS = 8
CHECK_EVERY = 60
"""Seconds after which all routes are compared with etcd, including those of deleted Services."""


class Registry:
    """Keeps a route for each Service that asks for one.

    Args:
        cluster: Where the Services are.
        routes: Where the routes go.
        source: The kind that has the endpoints: EndpointSlice, or Endpoints in old clusters.
    """

    def __init__(
        self, cluster: kw.Cluster, routes: Routes, source: type[EndpointSlice | Endpoints]
    ) -> None:
        self.cluster = cluster
        self.routes = routes
        self.source = source
        self.events = cluster.recorder(NAME)
        self.routed: set[kw.ObjectKey] = set()  # those we know of; others are left alone
        cluster.cache.informer(source, sharded=False, indexes={"service": service_of})

    def controller(self) -> kw.Controller:
        """Return the controller that calls `reconcile` for each changed Service."""
        return kw.Controller(
            NAME,
            self.reconcile,
            cluster=self.cluster,
            for_=Service,
            watches=[kw.Watches(self.source, map=service_of)],
            sources=[kw.Interval(CHECK_EVERY, self.find_routed, name="check", at_start=True)],
            retry={EtcdError: kw.Retry(base=0.5, cap=10)},
            workers=WORKERS,
        )

    async def find_routed(self) -> set[kw.ObjectKey]:
        """Return the Services that have a route; this finds those that are gone."""
        namespaces = self.cluster.cache.namespaces
        found = await self.routes.list_recorded()
        self.routed |= {key for key in found if not namespaces or key.namespace in namespaces}
        return set(self.routed)

    async def reconcile(self, request: kw.Request, run: kw.Run) -> None:
        """Bring the route of one Service up to date, even if the Service is gone."""
        key = request.key
        service = await self.cluster.client.find(Service, key)
        if service is None or not is_annotated(service):
            await self.remove(key, run)
            return
        try:
            route = route_for(service, self.slices(key))
        except AnnotationError as error:
            # The route stays as it was: a typing error must not take a service offline.
            self.events.event(
                service, reason="InvalidAnnotation", message=str(error), type="Warning"
            )
            return
        if route is None:
            await self.remove(key, run)
            return
        run.changed = await self.routes.write(key, route)
        self.routed.add(key)

    async def remove(self, key: kw.ObjectKey, run: kw.Run) -> None:
        """Remove a route, if there is one."""
        if key in self.routed:
            run.changed = await self.routes.remove(key)
            self.routed.discard(key)

    def slices(self, key: kw.ObjectKey) -> list[EndpointSlice]:
        """Return the endpoints of a Service, whichever kind has them."""
        found = self.cluster.cache.list(
            self.source, namespace=key.namespace, index="service", value=key.name
        )
        return [piece for one in found for piece in slices_of(one)]


class Start:
    """Finds out which kind has the endpoints in a cluster, and adds a controller for it."""

    def __init__(self, manager: kw.Manager, cluster: kw.Cluster) -> None:
        self.manager = manager
        self.cluster = cluster
        self.routes = Routes.from_environment(NAME)

    async def run(self) -> None:
        """Find the kind, add the controller, and end."""
        new = await self.cluster.available(EndpointSlice)
        registry = Registry(self.cluster, self.routes, EndpointSlice if new else Endpoints)
        self.manager.add(registry.controller())


class ServiceRegistry(kw.Application):
    """The application that ``kubewright run serviceregistry.py`` runs."""

    @property
    def declarations(self) -> tuple[Declaration, ...]:
        """What is watched in a current cluster; roles are generated from it."""
        watches = [kw.Watches(EndpointSlice, map=service_of)]
        return (declare(NAME, Service, watches=watches),)

    def populate(
        self, manager: kw.Manager, clusters: Sequence[kw.Cluster], *, workers: int
    ) -> None:
        """Run a registry for each cluster."""
        for cluster in clusters:
            manager.add(Start(manager, cluster))


application = ServiceRegistry(NAME)
