"""Small web sites, each served by pods of its own."""

from html import escape
from typing import Annotated, Literal

import kubewright as kw
from kubewright.kinds.apps.v1 import Deployment, DeploymentSpec
from kubewright.kinds.core.v1 import (
    ConfigMap,
    ConfigMapVolumeSource,
    Container,
    EnvVar,
    EnvVarSource,
    ObjectFieldSelector,
    PodSpec,
    PodTemplateSpec,
    Service,
    ServicePort,
    ServiceSpec,
    Volume,
    VolumeMount,
)

PORT = 8080
SERVE = ["python3", "-m", "http.server", str(PORT), "--bind", "$(POD_IP)", "--directory", "/site"]


@kw.rules(
    kw.Rule(
        "self.public || self.replicas == 1",
        message="a site that is not public needs one replica only",
        field_path=".replicas",
    )
)
class SiteSpec(kw.Model):
    """What a site shows, and how."""

    title: Annotated[str, kw.MinLength(1), kw.MaxLength(60)]
    """The headline."""
    text: Annotated[str, kw.MaxLength(10_000)] = ""
    """What stands below it."""
    theme: Literal["light", "dark"] = "light"
    """How it looks."""
    replicas: Annotated[kw.Int32, kw.Minimum(1), kw.Maximum(5)] = 1
    """How many pods serve it."""
    public: bool = True
    """Whether it has an address."""


class SiteStatus(kw.Model):
    """What there is of a site."""

    url: str = ""
    """Where it is."""
    conditions: kw.Conditions = []
    """Ready, if as many pods serve it as should."""


@kw.resource(
    group="example.com",
    version="v1",
    columns=[
        kw.Column("Title", ".spec.title"),
        kw.Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
        kw.Column("URL", ".status.url"),
    ],
)
class Site(kw.Resource):
    """A small web site."""

    spec: SiteSpec
    status: SiteStatus = kw.field(default_factory=SiteStatus)


operator = kw.Operator("sites")


def page_for(site: Site) -> ConfigMap:
    """Return the page of the site."""
    color = {"light": "white", "dark": "grey"}[site.spec.theme]
    title, text = escape(site.spec.title), escape(site.spec.text)
    page = f"<body style='background: {color}'>\n<h1>{title}</h1>\n<p>{text}</p>\n"
    return ConfigMap(metadata=kw.ObjectMeta(name=site.metadata.name), data={"index.html": page})


def deployment_for(site: Site) -> Deployment:
    """Return what serves the page."""
    name, labels = site.metadata.name, {"site": site.metadata.name}
    address = EnvVarSource(field_ref=ObjectFieldSelector(field_path="status.podIP"))
    server = Container(
        name="server",
        image="python:3-alpine",
        command=SERVE,
        env=[EnvVar(name="POD_IP", value_from=address)],
        volume_mounts=[VolumeMount(name="site", mount_path="/site")],
    )
    site_volume = Volume(name="site", config_map=ConfigMapVolumeSource(name=name))
    return Deployment(
        metadata=kw.ObjectMeta(name=name),
        spec=DeploymentSpec(
            replicas=site.spec.replicas,
            selector=kw.LabelSelector(match_labels=labels),
            template=PodTemplateSpec(
                metadata=kw.ObjectMeta(labels=labels),
                spec=PodSpec(containers=[server], volumes=[site_volume]),
            ),
        ),
    )


def service_for(site: Site) -> Service:
    """Return the address of the site."""
    ports = [ServicePort(port=PORT, protocol="TCP")]
    return Service(
        metadata=kw.ObjectMeta(name=site.metadata.name),
        spec=ServiceSpec(selector={"site": site.metadata.name}, ports=ports),
    )


@operator.reconciler(Site, owns=[ConfigMap, Deployment, Service])
async def reconcile(site: Site, ctx: kw.Context) -> None:
    """Make what serves the site, and report how far it is."""
    await ctx.apply(page_for(site))
    deployment = await ctx.apply(deployment_for(site))
    site.status.url = ""
    if site.spec.public:
        service = await ctx.apply(service_for(site))
        site.status.url = f"http://{service.spec.cluster_ip}:{PORT}"
    await ctx.prune()  # children that this run did not apply: the Service, if it is not public

    ready, wanted = deployment.status.ready_replicas or 0, site.spec.replicas
    is_ready = ready >= wanted
    reason = "Served" if is_ready else "Starting"
    ctx.set_condition("Ready", is_ready, reason, f"{ready} of {wanted} pods")
