"""Small web sites."""

import kubewright as kw
from kubewright.kinds.core.v1 import ConfigMap


class SiteSpec(kw.Model):
    """What a site shows."""

    title: str
    """The headline."""
    text: str = ""
    """What stands below it."""


@kw.resource(group="example.com", version="v1")
class Site(kw.Resource):
    """A small web site."""

    spec: SiteSpec


operator = kw.Operator("sites")


@operator.reconciler(Site, owns=[ConfigMap])
async def reconcile(site: Site, ctx: kw.Context) -> None:
    """Keep the page of the site as its spec says."""
    page = f"<h1>{site.spec.title}</h1>\n<p>{site.spec.text}</p>\n"
    name = kw.ObjectMeta(name=site.metadata.name)
    await ctx.apply(ConfigMap(metadata=name, data={"index.html": page}))
