"""One version of a kind, before and after: its schema, and what is around it."""

from collections.abc import Iterator
from typing import Any

from kubewright.api.patches import json_equal
from kubewright.crd.comparison.change import Change, breaks, risky, safe, shown
from kubewright.crd.comparison.metadata import whole_object
from kubewright.crd.comparison.schema import compared_schemas
from kubewright.crd.reading import schema_in

Version = dict[str, Any]


def compared_versions(old: Version, new: Version) -> Iterator[Change]:
    """Yield what changed in one version of a kind."""
    yield from _served(old, new)
    yield from compared_schemas(whole_object(schema_in(old)), whole_object(schema_in(new)))
    yield from _subresources(old.get("subresources") or {}, new.get("subresources") or {})
    yield from _columns(old, new)
    yield from _selectable(old, new)


def _served(old: Version, new: Version) -> Iterator[Change]:
    if old.get("served") and not new.get("served"):
        said = "the version is not served any more: clients and manifests that use it fail"
        yield breaks("version-not-served", said)
    elif new.get("served") and not old.get("served"):
        yield safe("version-served", "the version is served now")
    if new.get("deprecated") and not old.get("deprecated"):
        yield safe("version-deprecated", "the version is deprecated: clients get a warning")
    elif old.get("deprecated") and not new.get("deprecated"):
        yield safe("version-not-deprecated", "the version is not deprecated any more")


def _subresources(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Change]:
    if "status" in old and "status" not in new:
        said = "the subresource status is gone: controllers that write it get an error"
        yield breaks("status-removed", said)
    elif "status" in new and "status" not in old:
        said = "the subresource status is new: who writes the status with the rest is not heard"
        yield risky("status-added", said)
    before, after = old.get("scale"), new.get("scale")
    if before is not None and after is None:
        said = "the subresource scale is gone: `kubectl scale` and autoscalers fail"
        yield breaks("scale-removed", said)
    elif before is None and after is not None:
        yield safe("scale-added", "the subresource scale is new")
    elif not json_equal(before, after):
        said = f"the subresource scale is {shown(after)} now, and was {shown(before)}: autoscalers"
        yield risky("scale-changed", f"{said} act on other fields")


def _columns(old: Version, new: Version) -> Iterator[Change]:
    before, after = (
        {str(one.get("name")): one for one in version.get("additionalPrinterColumns") or []}
        for version in (old, new)
    )
    for name in sorted(before.keys() - after.keys()):
        said = f"`kubectl get` does not print the column {name} any more: scripts may look for it"
        yield risky("column-removed", said)
    for name in sorted(after.keys() - before.keys()):
        yield safe("column-added", f"`kubectl get` prints a new column, {name}")
    for name in sorted(before.keys() & after.keys()):
        if not json_equal(before[name], after[name]):
            yield safe("column-changed", f"`kubectl get` prints the column {name} otherwise")


def _selectable(old: Version, new: Version) -> Iterator[Change]:
    before, after = (
        {str(one.get("jsonPath")) for one in version.get("selectableFields") or []}
        for version in (old, new)
    )
    for path in sorted(before - after):
        said = "objects cannot be selected by it any more: field selectors that use it fail"
        yield breaks("selectable-field-removed", said, path)
    for path in sorted(after - before):
        yield safe("selectable-field-added", "objects can be selected by it", path)
