"""Two CRDs: their names, their versions, and what the server does with each."""

from collections.abc import Iterator, Mapping
from typing import Any

from kubewright.api.patches import json_equal
from kubewright.crd.comparison.change import Change, Severity, breaks, risky, safe
from kubewright.crd.comparison.metadata import whole_object
from kubewright.crd.comparison.schema import compared_schemas
from kubewright.crd.comparison.version import compared_versions
from kubewright.crd.known import without_descriptions
from kubewright.crd.reading import schema_in, versions_of

Document = dict[str, Any]

_ORDER = (Severity.BREAKS, Severity.RISKY, Severity.SAFE)


def compare(old: Mapping[str, Document], new: Mapping[str, Document]) -> list[Change]:
    """Return the changes between two sets of CRDs, by their names, the worst first.

    Args:
        old: The CRDs that there are; each was checked by `check_document`.
        new: The CRDs that there will be.
    """
    changes: list[Change] = []
    for name in sorted(old.keys() | new.keys()):
        changes += [_of(name, change) for change in _compared(old.get(name), new.get(name))]
    return sorted(changes, key=lambda one: _ORDER.index(one.severity))


def _of(name: str, change: Change) -> Change:
    return Change(change.severity, change.rule, change.text, change.path, change.version, name)


def _compared(old: Document | None, new: Document | None) -> Iterator[Change]:
    if old is None:
        yield safe("crd-added", "a new kind")
    elif new is None:
        yield breaks("crd-removed", "the CRD is gone: all its objects are deleted with it")
    else:
        yield from _names(old["spec"], new["spec"])
        yield from _conversion(old["spec"], new["spec"])
        yield from _storage(old, new)
        yield from _versions(old, new)


def _names(old: Document, new: Document) -> Iterator[Change]:
    if old["scope"] != new["scope"]:
        said = f"the scope is {new['scope']} now, and was {old['scope']}: servers refuse that, so"
        yield breaks("scope-changed", f"{said} the CRD and all its objects must be made anew")
    before, after = old["names"], new["names"]
    kind = (before["kind"], after["kind"])
    usual = {"listKind": tuple(f"{one}List" for one in kind)}
    for key, word in (("kind", "kind"), ("listKind", "kind of its lists")):
        was, is_ = (
            names.get(key) or usual[key][index] for index, names in enumerate((before, after))
        )
        if was != is_:
            said = f"the {word} is {is_} now, and was {was}: clients and stored objects say {was}"
            yield breaks(f"{_dashed(key)}-changed", said)
    was, is_ = (names.get("singular") or names["kind"].lower() for names in (before, after))
    if was != is_:
        yield risky("singular-changed", f"the singular is {is_} now, and was {was}")
    for key, word in (("shortNames", "short name"), ("categories", "category")):
        gone = set(before.get(key) or ()) - set(after.get(key) or ())
        added = set(after.get(key) or ()) - set(before.get(key) or ())
        for one in sorted(gone):
            said = f"the {word} {one} is gone: commands that people have written down fail"
            yield risky(f"{_dashed(key)}-removed", said)
        for one in sorted(added):
            yield safe(f"{_dashed(key)}-added", f"a new {word}: {one}")


def _dashed(key: str) -> str:
    return "".join(f"-{one.lower()}" if one.isupper() else one for one in key)


def _strategy(spec: Document) -> str:
    found = spec.get("conversion")
    return str(found.get("strategy") or "None") if isinstance(found, dict) else "None"


def _conversion(old: Document, new: Document) -> Iterator[Change]:
    if old.get("preserveUnknownFields") and not new.get("preserveUnknownFields"):
        said = "unknown fields are pruned now, and were kept in all versions: their data is lost"
        yield breaks("unknown-fields-pruned", said)
    before, after = _strategy(old), _strategy(new)
    if before == after:
        return
    if after == "None":
        said = "the conversion webhook is gone: the server changes nothing but apiVersion, and"
        yield breaks("conversion-removed", f"{said} fields that a version lacks are lost")
    else:
        said = "a webhook converts between versions now: while it is down, objects of other"
        yield risky("conversion-added", f"{said} versions than the stored one cannot be read")


def _storage(old: Document, new: Document) -> Iterator[Change]:
    before, after = _stored_now(old), _stored_now(new)
    if before == after or not before or not after:
        return
    said = f"new objects are stored in {after} now, and were in {before}; those in {before} stay"
    said += " so until they are written anew, as `kubewright migrate-storage` does"
    yield risky("storage-changed", said)
    if _strategy(new["spec"]) == "None":
        for change in compared_schemas(
            whole_object(schema_in(_version(old, before))),
            whole_object(schema_in(_version(new, after))),
        ):
            if change.severity is Severity.BREAKS:
                said = f"between {before} and {after}, without a conversion webhook: {change.text}"
                yield breaks(f"storage-{change.rule}", said, change.path)


def _stored_now(crd: Document) -> str:
    return next((str(one["name"]) for one in versions_of(crd) if one.get("storage")), "")


def _version(crd: Document, name: str) -> Document:
    return next(one for one in versions_of(crd) if one["name"] == name)


def _versions(old: Document, new: Document) -> Iterator[Change]:
    before = {one["name"]: one for one in versions_of(old)}
    after = {one["name"]: one for one in versions_of(new)}
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            found = _removed(old, new, before[name])
        elif name not in before:
            found = _added(new, after[name])
        else:
            found = compared_versions(before[name], after[name])
        for change in found:
            yield Change(change.severity, change.rule, change.text, change.path, name)


def _removed(old: Document, new: Document, version: Document) -> Iterator[Change]:
    name = version["name"]
    stored = _stored_versions(new) or _stored_versions(old)
    if version.get("storage") or name in stored:
        said = "the version is gone, and objects are stored in it: servers refuse that until they"
        said += " are written anew, as `kubewright migrate-storage` does"
        yield breaks("stored-version-removed", said)
    if version.get("served"):
        said = "the version is gone: clients and manifests that use it fail"
        yield breaks("version-removed", said)
    elif not version.get("storage") and not stored:
        said = "the version is gone: if status.storedVersions of the CRD in a cluster names it,"
        yield risky("version-removed", f"{said} objects must be migrated first")
    elif not version.get("storage") and name not in stored:
        yield safe("version-removed", "the version is gone; it was neither served nor stored")


def _stored_versions(crd: Document) -> list[str]:
    """Return what a cluster says that objects are stored in; a file says nothing."""
    status = crd.get("status")
    found = status.get("storedVersions") if isinstance(status, dict) else None
    return found if isinstance(found, list) else []


def _added(new: Document, version: Document) -> Iterator[Change]:
    yield safe("version-added", "a new version")
    stored = _stored_now(new)
    if _strategy(new["spec"]) != "None" or not stored or stored == version["name"]:
        return
    one, other = schema_in(version), schema_in(_version(new, stored))
    if not json_equal(without_descriptions(one), without_descriptions(other)):
        said = f"its schema differs from that of {stored}, which is stored, and there is no"
        said += " conversion webhook: fields that one of them lacks are lost"
        yield risky("version-differs", said)


def summary_of(changes: list[Change]) -> dict[Severity, int]:
    """Return how many changes there are of each severity."""
    return {one: sum(change.severity is one for change in changes) for one in _ORDER}
