"""A catalog with one version in it, cut into texts that fit into ConfigMaps."""

import base64

from kubewright import _json
from kubewright.bundle.catalog.entry import bundle_entry, edge_of
from kubewright.bundle.catalog.reading import BUNDLE, CHANNEL, PACKAGE
from kubewright.bundle.collection import Object
from kubewright.bundle.document import Document, items
from kubewright.bundle.reading import Bundle
from kubewright.errors import ConfigError

__all__ = ["CHANNEL_NAME", "LIMIT", "catalog_of", "parts_of"]

CHANNEL_NAME: str = "kubewright-run-bundle"
"""The channel of a catalog with one version."""
LIMIT: int = 900_000
"""The largest number of bytes of a part; a ConfigMap takes 1 MiB with all that is around it."""


def catalog_of(
    bundle: Bundle,
    csv: Document,
    *,
    image: str = "",
    replaces: str = "",
    channel: str = CHANNEL_NAME,
) -> list[Object]:
    """Return the entries of a catalog that has only *bundle*.

    Without an image, the objects of the bundle are in the catalog itself, and nobody pulls.

    Args:
        bundle: The bundle, which has passed its validation.
        csv: Its ClusterServiceVersion.
        image: The image that OLM unpacks.
        replaces: The version that is installed; empty for none.
        channel: The channel that a subscription follows.
    """
    edge = edge_of(csv)
    # What is not in the catalog cannot be skipped to, and opm refuses such entries.
    edge = {key: one for key, one in edge.items() if key in {"name", "skipRange"}}
    if replaces:
        edge["replaces"] = replaces
    entry = bundle_entry(bundle, csv, image)
    if not image:
        entry["relatedImages"] = [one for one in items(entry["relatedImages"]) if one["image"]]
        del entry["image"]
        shown = [one for one in entry["properties"] if one["type"] != "olm.csv.metadata"]
        entry["properties"] = [*shown, *map(_held, bundle.manifests)]
    return [
        {"schema": PACKAGE, "name": bundle.package, "defaultChannel": channel},
        {"schema": CHANNEL, "name": channel, "package": bundle.package, "entries": [edge]},
        {**entry, "schema": BUNDLE},
    ]


def parts_of(entries: list[Object], *, limit: int = LIMIT) -> list[str]:
    """Return texts that together are the catalog, each with whole entries, one to a line.

    Raises:
        ConfigError: An entry is larger than *limit*.
    """
    parts = [""]
    for one in entries:
        line = f"{_json.encode(one).decode()}\n"
        size = len(line.encode())
        if size > limit:
            raise ConfigError(
                f"{one['name']} takes {size:,} bytes of a catalog, and no more than {limit:,} fit"
                " into a ConfigMap. Push the bundle as an image, and name that instead of a folder"
            )
        if len(parts[-1].encode()) + size > limit:
            parts.append("")
        parts[-1] += line
    return parts


def _held(manifest: Document) -> Object:
    data = base64.b64encode(_json.encode(manifest.content)).decode()
    return {"type": "olm.bundle.object", "value": {"data": data}}
