"""Which CRDs are meant: those of some groups, or of some kinds."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from kubewright.errors import ConfigError

__all__ = ["chosen"]

_SHOWN = 8


def chosen(
    crds: Mapping[str, dict[str, Any]], *, groups: Sequence[str] = (), kinds: Sequence[str] = ()
) -> dict[str, dict[str, Any]]:
    """Return the CRDs of *groups* and *kinds*; all if none is named.

    Args:
        crds: The CRDs by name.
        groups: Names of groups.
        kinds: Kinds, or their plurals, as kubectl calls them.

    Raises:
        ConfigError: A group or a kind is not among them, or nothing is both.
    """
    all_groups = {crd["spec"]["group"] for crd in crds.values()}
    all_kinds = {crd["spec"]["names"]["kind"] for crd in crds.values()}
    plurals = {crd["spec"]["names"]["plural"] for crd in crds.values()}
    for group in groups:
        _check(group, all_groups, all_groups, option="--group")
    for kind in kinds:
        _check(kind, all_kinds | plurals, all_kinds, option="--kind")
    found = {
        name: crd
        for name, crd in crds.items()
        if (not groups or crd["spec"]["group"] in groups)
        and (not kinds or {crd["spec"]["names"][key] for key in ("kind", "plural")} & set(kinds))
    }
    if not found:
        raise ConfigError(
            f"no CRD has both a group and a kind that were named: {', '.join(groups)}, and"
            f" {', '.join(kinds)}"
        )
    return found


def _check(name: str, known: set[str], shown: set[str], *, option: str) -> None:
    if name in known:
        return
    by_lower = {one.lower(): one for one in sorted(known)}
    if close := get_close_matches(name.lower(), by_lower, n=1):
        raise ConfigError(
            f"{option} {name}: there is none here. Did you mean {by_lower[close[0]]}?"
        )
    listed = sorted(shown)
    rest = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    raise ConfigError(
        f"{option} {name}: there is none here, but {', '.join(listed[:_SHOWN])}{rest}"
    )
