"""Make any HTTP server reachable through Traefik: a route in the etcd that Traefik reads."""

from datetime import datetime
from typing import Annotated

import kubewright as kw
from etcd import EtcdError
from traefik import Route, Routes, default_rule

URL = r"^https?://([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?/?$"


class TraefikServiceSpec(kw.Model):
    """Which requests, and where they go to."""

    entrypoint: Annotated[str, kw.Pattern("^[A-Za-z0-9][A-Za-z0-9_-]*$"), kw.MaxLength(63)]
    """The entry point of Traefik that requests come in at, such as web."""
    url: Annotated[str, kw.Pattern(URL), kw.MaxLength(2048)]
    """Where they go to, such as http://10.0.0.1:8080; without a path."""
    rule: Annotated[str, kw.MinLength(1), kw.MaxLength(4096)] | None = None
    """Which requests, as Traefik writes rules; those for /<namespace>/<name> unless given."""


class TraefikServiceStatus(kw.Model):
    """Whether Traefik has been told."""

    active: bool = False
    """Whether etcd has the route, as the spec says it."""
    last_update_time: datetime | None = None
    """When the route was last written."""
    message: str = ""
    """Why the last update failed; empty if it did not."""
    observed_generation: int | None = None
    """The generation of the spec that was written last."""


@kw.resource(
    group="traefik.magedu.com",
    version="v1",
    short_names=["ts"],
    columns=[
        kw.Column("Entrypoint", ".spec.entrypoint"),
        kw.Column("URL", ".spec.url"),
        kw.Column("Active", ".status.active", type="boolean"),
        kw.Column("Message", ".status.message", priority=1),
        kw.Column("Age", ".metadata.creationTimestamp", type="date"),
    ],
)
class TraefikService(kw.Resource):
    """A route through Traefik to one HTTP server."""

    spec: TraefikServiceSpec
    status: TraefikServiceStatus = kw.field(default_factory=TraefikServiceStatus)


operator = kw.Operator("traefikservice")
routes = Routes.from_environment(operator.name)


@operator.reconciler(
    TraefikService,
    # Each route is compared with etcd from time to time, so that a lost one comes back.
    sources=[kw.Interval(300, routes.list_recorded, at_start=True)],
    retry={EtcdError: kw.Retry(base=0.5, cap=10)},
    workers=4,
)
async def reconcile(service: TraefikService, ctx: kw.Context) -> None:
    """Write the route."""
    spec, status = service.spec, service.status
    route = Route(
        rule=spec.rule or default_rule(service.key),
        servers={"0": spec.url},
        entrypoint=spec.entrypoint,
    )
    try:
        changed = await routes.write(service.key, route)
    except EtcdError as error:
        status.active, status.message = False, str(error)
        raise
    if changed or status.observed_generation != service.metadata.generation:
        status.last_update_time = ctx.now()
        ctx.event("Routed", f"{route.rule} at {spec.entrypoint} goes to {spec.url}")
    status.active, status.message = True, ""


@operator.cleanup(TraefikService)
async def clean_up(service: TraefikService, ctx: kw.Context) -> None:
    """Remove the route, before the object is gone."""
    try:
        await routes.remove(service.key)
    except EtcdError as error:
        service.status.message = str(error)
        raise
