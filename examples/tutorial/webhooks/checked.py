"""The operator of sites, and what the API server asks it before it stores one."""

from sites import Site, operator

import kubewright as kw

RESERVED = {"admin", "www"}


@operator.defaulter(Site)
def fill_in(site: Site) -> None:
    """Give a site a text, if it has none."""
    if not site.spec.text:
        site.spec.text = f"Soon: {site.spec.title}"


@operator.validator(Site, on=["create", "update", "delete"])
def check(site: Site, ctx: kw.AdmissionContext[Site]) -> None:
    """Refuse what no schema can refuse."""
    if ctx.operation == "delete":
        if site.metadata.annotations.get("keep") == "yes":
            raise kw.AdmissionDeniedError("it is to be kept: remove its annotation keep first")
        return
    if site.metadata.name in RESERVED:
        ctx.refuse("metadata.name", "the name is reserved")
    if ctx.old is not None and ctx.old.spec.title != site.spec.title:
        ctx.warn(f"links still say {ctx.old.spec.title!r}")
