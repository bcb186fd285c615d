"""What a public catalog asks of an operator: who makes it, where to read more, what it can do."""

import base64
import binascii
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from kubewright.bundle.document import at, items, text
from kubewright.bundle.finding import Finding, error, warning
from kubewright.bundle.reading import Bundle

__all__ = ["CAPABILITIES", "CATEGORIES", "check_capabilities", "check_categories", "check_hub"]

CAPABILITIES: tuple[str, ...] = (
    "Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot",
)  # fmt: skip
"""What an operator may say that it can do, from little to much."""
CATEGORIES: tuple[str, ...] = (
    "AI/Machine Learning", "Application Runtime", "Big Data", "Cloud Provider", "Database",
    "Developer Tools", "Integration & Delivery", "Logging & Tracing", "Modernization & Migration",
    "Monitoring", "Networking", "Observability", "OpenShift Optional", "Security", "Storage",
    "Streaming & Messaging",
)  # fmt: skip
"""The categories of public catalogs."""
_IMAGES = ("image/gif", "image/jpeg", "image/png", "image/svg+xml")
_EMAIL = re.compile(r"(?:[^<>]*<)?[^@\s<>]+@[^@\s<>]+>?")


def check_capabilities(bundle: Bundle) -> Iterator[Finding]:
    """Yield what is wrong with the annotation ``capabilities``."""
    csv, path = bundle.csv, ("metadata", "annotations", "capabilities")
    said = csv.at(*path) if csv else None
    if csv and said is not None and said not in CAPABILITIES:
        yield error(csv, path, f"{said!r} is not one of {', '.join(CAPABILITIES)}")


def check_categories(bundle: Bundle) -> Iterator[Finding]:
    """Yield what is wrong with the annotation ``categories``."""
    csv, path = bundle.csv, ("metadata", "annotations", "categories")
    said = csv.at(*path) if csv else None
    for one in text(said).split(",") if csv and said is not None else []:
        if csv and one.strip() not in CATEGORIES:
            yield error(
                csv, path, f"{one.strip()!r} is not a category. There are {', '.join(CATEGORIES)}"
            )


def check_hub(bundle: Bundle) -> Iterator[Finding]:
    """Yield what a public catalog would not take."""
    csv = bundle.csv
    if csv is None:
        return
    if not text(csv.at("spec", "provider", "name")).strip():
        yield error(csv, ("spec", "provider"), "spec.provider.name is missing: who provides it?")
    if not csv.at("spec", "version"):
        yield error(csv, ("spec",), "spec.version is missing")
    for place, one in enumerate(items(csv.at("spec", "maintainers"))):
        where, email = ("spec", "maintainers", place), text(at(one, "email"))
        if not text(at(one, "name")) or not email:
            yield error(csv, where, "a maintainer needs both a name and an email")
        elif not _EMAIL.fullmatch(email):
            yield error(csv, where, f"{email!r} is not an address")
    for place, one in enumerate(items(csv.at("spec", "links"))):
        where, url = ("spec", "links", place), text(at(one, "url"))
        if not text(at(one, "name")) or not url:
            yield error(csv, where, "a link needs both a name and a url")
        elif not (urlsplit(url).scheme or url.startswith("/")):
            yield error(csv, where, f"{url!r} is not a URL: does it begin with https://?")
    yield from _check_icon(bundle)


def _check_icon(bundle: Bundle) -> Iterator[Finding]:
    csv = bundle.csv
    if csv is None:
        return
    icons = items(csv.at("spec", "icon"))
    where = ("spec", "icon")
    if not icons:
        yield warning(csv, where, "spec.icon is missing")
        return
    if len(icons) > 1:
        yield error(csv, where, "spec.icon should have one entry")
    data, media = text(at(icons[0], "base64data")), text(at(icons[0], "mediatype"))
    if not data or not media:
        yield error(csv, where, "spec.icon needs both base64data and mediatype, or leave it out")
        return
    if media not in _IMAGES:
        yield error(csv, where, f"the icon is {media!r}, and should be one of {', '.join(_IMAGES)}")
    try:
        base64.b64decode("".join(data.split()), validate=True)
    except (binascii.Error, ValueError):
        yield error(csv, where, "the base64data of the icon is not base64")
