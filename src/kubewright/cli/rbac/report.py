"""What an audit has found, for people and for programs."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from kubewright.application.calls import Trace
from kubewright.application.coverage import Comparison, Missing, Unused
from kubewright.application.rights import Right, merged_rights, text_of

__all__ = ["as_json", "lines_of", "right_text", "rules_missing"]

_SHOWN = 3


def lines_of(found: Comparison, *, verbose: bool) -> Iterator[str]:
    """Yield the lines of a report."""
    if found.missing:
        yield "missing: the operator did this, and its role does not allow it"
        for one in found.missing:
            yield from _missing_lines(one)
        yield ""
        yield from text_of(rules_missing(found)).splitlines()
    if found.missing and found.unused:
        yield ""
    if found.unused:
        yield "never used: rights that nothing showed to be needed"
        for group in _grouped(found.unused):
            yield from _unused_lines(group)
    if verbose and found.exempt:
        yield "unused, but needed in a cluster:"
        for exempt in found.exempt:
            yield f"  {right_text(exempt.right)}: {exempt.reason}"
    if not found.missing and not found.unused:
        yield "nothing missing, nothing unused"


def as_json(found: Comparison, *, passed: int | None) -> str:
    """Return everything as one JSON document."""
    return json.dumps(
        {
            "testsPassed": passed,
            "missing": [_missing_json(one) for one in found.missing],
            "unused": [{**_json(one.right), "declared": one.declared} for one in found.unused],
            "exempt": [{**_json(one.right), "reason": one.reason} for one in found.exempt],
        },
        indent=2,
    )


def rules_missing(found: Comparison, *, everywhere: bool = True) -> "list[Any]":
    """Return the rules to add.

    Args:
        found: The comparison.
        everywhere: Whether they go where the operator's other rules are: into a ClusterRole, or the
            Role of a project for one namespace. Otherwise each goes into a Role in the namespace
            that it was needed in.
    """
    return merged_rights(
        one.right._replace(namespace=one.home) if everywhere else one.right for one in found.missing
    )


def right_text(right: Right, verbs: Iterable[str] = ()) -> str:
    """Return *right* as people say it; with other *verbs*, several of them."""
    said = ", ".join(verbs) or right.verb
    if right.url:
        return f"{said} {right.url}"
    what = f"{right.resource}.{right.group}" if right.group else right.resource
    named = f" {right.name!r}" if right.name else ""
    where = f" in the namespace {right.namespace}" if right.namespace else ""
    return f"{said} {what}{named}{where}"


def _missing_lines(one: Missing) -> Iterator[str]:
    names = [repr(name) for name in one.names[:_SHOWN]]
    more = ["…"] if len(one.names) > _SHOWN else []
    yield f"  {right_text(one.right)}" + (f": {', '.join(names + more)}" if names else "")
    if place := _where(one.trace):
        yield f"      {place}"


def _where(trace: Trace) -> str:
    times = "once" if trace.count == 1 else f"{trace.count} times"
    if not trace.test and not trace.place:
        return times
    by = trace.place or "Kubewright itself"
    return f"{times}, first by {by}" + (f" in {trace.test}" if trace.test else "")


def _grouped(unused: Iterable[Unused]) -> list[list[Unused]]:
    """Return those together that differ in nothing but the verb."""
    groups: dict[Any, list[Unused]] = {}
    for one in unused:
        key = (one.right._replace(verb=""), tuple(one.declared))
        groups.setdefault(key, []).append(one)
    return list(groups.values())


def _unused_lines(group: list[Unused]) -> Iterator[str]:
    verbs = [one.right.verb for one in group]
    yield f"  {right_text(group[0].right, verbs)}"
    for declared in group[0].declared:
        hint = _hint(declared, verbs)
        yield f"      {declared}{hint}"


def _hint(declared: str, verbs: list[str]) -> str:
    what, _, kind = declared.rpartition(" ")
    if what.endswith(" owns"):
        rest = [verb for verb in ("create", "patch", "delete") if verb not in verbs]
        return f": test it, or declare kw.Owns({kind}, verbs={json.dumps(rest)})"
    if what.endswith(" writes the status of"):
        return f": test it, or declare kw.For({kind}, writes_status=False)"
    return ""


def _missing_json(one: Missing) -> dict[str, Any]:
    trace = one.trace
    return {
        **_json(one.right),
        "names": one.names,
        "count": trace.count,
        "test": trace.test,
        "place": trace.place,
    }


def _json(right: Right) -> dict[str, str]:
    said = {
        "verb": right.verb,
        "group": right.group,
        "resource": right.resource,
        "namespace": right.namespace,
        "name": right.name,
        "url": right.url,
    }
    return {key: value for key, value in said.items() if value or key in {"verb", "group"}}
