"""The status of a definition: accepted names and conditions."""

from collections.abc import Iterable
from typing import Any

from kubewright.apiserver.registry.strategy import Obj

FINALIZER: str = "customresourcecleanup.apiextensions.k8s.io"
"""The finalizer that keeps a definition until its objects are gone."""


def settle(crd: Obj, others: Iterable[Obj], *, now: str) -> bool:
    """Accept the names of a definition that are free, and establish it, in place.

    Args:
        crd: The definition, with a valid spec.
        others: The stored definitions; those of other groups are ignored.
        now: The time for conditions, such as ``2026-01-01T12:00:00Z``.

    Returns:
        Whether anything changed.
    """
    status = crd.setdefault("status", {})
    before = _snapshot(status)
    names, reason, problem = _accepted(crd, others)
    status["acceptedNames"] = names
    status["conditions"] = status.get("conditions") or []
    if problem:
        set_condition(crd, "NamesAccepted", ("False", reason, problem), now=now)
    else:
        accepted = ("True", "NoConflicts", "no conflicts found")
        set_condition(crd, "NamesAccepted", accepted, now=now)
    if not find_condition(crd, "Established") and problem:
        refused = ("False", "NotAccepted", "not all names are accepted")
        set_condition(crd, "Established", refused, now=now)
    elif not problem and (find_condition(crd, "Established") or {}).get("status") != "True":
        done = ("True", "InitialNamesAccepted", "the initial names have been accepted")
        set_condition(crd, "Established", done, now=now)
    return bool(_snapshot(status) != before)


def _snapshot(status: Obj) -> Any:
    names = dict(status.get("acceptedNames") or {})
    return names, [dict(each) for each in status.get("conditions") or ()]


def _accepted(crd: Obj, others: Iterable[Obj]) -> tuple[Obj, str, str]:
    """Return the accepted names, and the last conflict."""
    wanted: Obj = crd["spec"]["names"]
    names: Obj = dict((crd.get("status") or {}).get("acceptedNames") or {})
    resources, kinds = _taken(crd, others)
    reason = problem = ""
    for field, taken, conflict in (
        ("plural", resources, "PluralConflict"),
        ("singular", resources, "SingularConflict"),
        ("shortNames", resources, "ShortNamesConflict"),
        ("kind", kinds, "KindConflict"),
        ("listKind", kinds, "ListKindConflict"),
    ):
        found = _conflict(wanted.get(field), names.get(field), taken)
        if found:
            reason, problem = conflict, found
        else:
            _take_over(names, wanted, field)
    _take_over(names, wanted, "categories")
    # These two are always written, even if they are not accepted.
    return {"plural": "", "kind": "", **names}, reason, problem


def _take_over(names: Obj, wanted: Obj, field: str) -> None:
    names.pop(field, None)
    if wanted.get(field):
        names[field] = wanted[field]


def _conflict(wanted: Any, accepted: Any, taken: set[str]) -> str:
    """Return the message about names that other definitions have, or ``""``."""
    if wanted == accepted:
        return ""
    if isinstance(wanted, list):
        kept = set(accepted or ())
        texts = [
            f'"{name}" is already in use' for name in wanted if name not in kept and name in taken
        ]
        return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]" if texts else ""
    return f'"{wanted}" is already in use' if wanted in taken else ""


def _taken(crd: Obj, others: Iterable[Obj]) -> tuple[set[str], set[str]]:
    """Return the resource names and kinds that definitions of the same group have."""
    resources: set[str] = set()
    kinds: set[str] = set()
    for other in others:
        names = (other.get("status") or {}).get("acceptedNames") or {}
        same = other["metadata"].get("name") == crd["metadata"].get("name")
        if same or other["spec"].get("group") != crd["spec"].get("group"):
            continue
        resources |= {names.get("plural", ""), names.get("singular", "")}
        resources |= set(names.get("shortNames") or ())
        kinds |= {names.get("kind", ""), names.get("listKind", "")}
    # Its own names count, too: a new short name must not equal its plural.
    own = (crd.get("status") or {}).get("acceptedNames") or {}
    resources |= {own.get("plural", ""), own.get("singular", ""), *(own.get("shortNames") or ())}
    kinds |= {own.get("kind", ""), own.get("listKind", "")}
    return resources - {""}, kinds - {""}


def find_condition(crd: Obj, kind: str) -> Obj | None:
    """Return a condition of the definition."""
    for condition in (crd.get("status") or {}).get("conditions") or ():
        if condition["type"] == kind:
            found: Obj = condition
            return found
    return None


def set_condition(crd: Obj, kind: str, value: tuple[str, str, str], *, now: str) -> None:
    """Set status, reason and message of a condition; the time moves when the status does."""
    status, reason, message = value
    conditions = crd.setdefault("status", {}).setdefault("conditions", [])
    condition = find_condition(crd, kind)
    if condition is None:
        condition = {"type": kind}
        conditions.append(condition)
    if condition.get("status") != status or not condition.get("lastTransitionTime"):
        condition["lastTransitionTime"] = now
    condition.update(status=status, reason=reason, message=message)


def begin_deletion(crd: Obj, *, now: str) -> None:
    """Set the Terminating condition: a deleted definition stays until its objects are gone."""
    finalizers = crd["metadata"].setdefault("finalizers", [])
    if FINALIZER not in finalizers:
        finalizers.append(FINALIZER)
    reason = ("True", "InstanceDeletionInProgress", "CustomResource deletion is in progress")
    set_condition(crd, "Terminating", reason, now=now)


def add_stored_version(crd: Obj) -> None:
    """Add the storage version to ``storedVersions``."""
    stored = crd.setdefault("status", {}).setdefault("storedVersions", [])
    for version in crd["spec"].get("versions") or ():
        if version.get("storage"):
            if version["name"] not in stored:
                stored.append(version["name"])
            return
