"""How many pods each replica set of a deployment may have, in a rollout and after a resize."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from kubewright.api.intorstring import resolve_int_or_percent
from kubewright.kinds.apps.v1 import Deployment, ReplicaSet

__all__ = [
    "Scale",
    "annotate_size",
    "is_resized",
    "max_surge",
    "max_unavailable",
    "new_size",
    "resized",
    "rolled_down",
]

DESIRED: Final = "deployment.kubernetes.io/desired-replicas"
MAX: Final = "deployment.kubernetes.io/max-replicas"


class Scale(NamedTuple):
    """How many pods a replica set should have."""

    set: ReplicaSet
    size: int


def wanted(deployment: Deployment) -> int:
    """Return how many pods the user wants."""
    return deployment.spec.replicas or 0


def size_of(*sets: ReplicaSet | None) -> int:
    """Return how many pods *sets* should have together."""
    return sum(one.spec.replicas or 0 for one in sets if one is not None)


def available_in(*sets: ReplicaSet | None) -> int:
    """Return how many pods of *sets* are available."""
    return sum(one.status.available_replicas or 0 for one in sets if one is not None)


def is_rolling(deployment: Deployment) -> bool:
    """Return whether pods are replaced step by step, and not all at once."""
    strategy = deployment.spec.strategy
    return strategy is None or strategy.type != "Recreate"


def _bounds(deployment: Deployment) -> tuple[int, int]:
    strategy = deployment.spec.strategy
    rolling = strategy.rolling_update if strategy is not None else None
    up = (rolling.max_surge if rolling is not None else None) or 0
    down = (rolling.max_unavailable if rolling is not None else None) or 0
    total = wanted(deployment)
    surge = resolve_int_or_percent(up, total, round_up=True)
    unavailable = resolve_int_or_percent(down, total, round_up=False)
    # Small percentages can both be rounded to 0; then nothing would ever move.
    return surge, unavailable if surge or unavailable else 1


def max_surge(deployment: Deployment) -> int:
    """Return how many pods there may be above what is wanted."""
    return _bounds(deployment)[0] if is_rolling(deployment) else 0


def max_unavailable(deployment: Deployment) -> int:
    """Return how many of the wanted pods may be missing."""
    total = wanted(deployment)
    return min(_bounds(deployment)[1], total) if is_rolling(deployment) and total else 0


def new_size(deployment: Deployment, new: ReplicaSet, old: Sequence[ReplicaSet]) -> int:
    """Return how many pods the new set may have now."""
    size, total = size_of(new), wanted(deployment)
    if not is_rolling(deployment) or size >= total:
        return total
    room = total + max_surge(deployment) - size_of(new, *old)
    return size + max(0, min(room, total - size))


def rolled_down(deployment: Deployment, new: ReplicaSet, old: Sequence[ReplicaSet]) -> list[Scale]:
    """Return which *old* sets, from the oldest to the newest, can give up pods now.

    Pods that are not available go first.
    """
    least = wanted(deployment) - max_unavailable(deployment)
    starting = size_of(new) - available_in(new)
    most = size_of(new, *old) - least - starting
    if not size_of(*old) or most <= 0:
        return []
    sizes = {one.metadata.name: size_of(one) for one in old}
    for one in old:
        broken = size_of(one) - available_in(one)
        gone = max(0, min(most, broken))
        sizes[one.metadata.name] -= gone
        most -= gone
    spare = available_in(new, *old) - least
    for one in old:
        gone = max(0, min(sizes[one.metadata.name], spare))
        sizes[one.metadata.name] -= gone
        spare -= gone
    scales = [Scale(one, sizes[one.metadata.name]) for one in old]
    return [scale for scale in scales if scale.size != size_of(scale.set)]


# --- Another number of replicas ---


def annotate_size(one: ReplicaSet, deployment: Deployment) -> None:
    """Write into the annotations of *one* the number of replicas that it was sized for."""
    total = wanted(deployment)
    one.metadata.annotations[DESIRED] = str(total)
    one.metadata.annotations[MAX] = str(total + max_surge(deployment))


def is_resized(deployment: Deployment, sets: Sequence[ReplicaSet]) -> bool:
    """Return whether the user wants another number of pods than *sets* were made for."""
    noted = (_noted(one, DESIRED) for one in sets if size_of(one))
    return any(number is not None and number != wanted(deployment) for number in noted)


def _noted(one: ReplicaSet, name: str) -> int | None:
    text = one.metadata.annotations.get(name, "")
    return int(text) if text.isascii() and text.isdigit() else None


def resized(
    deployment: Deployment, new: ReplicaSet | None, old: Sequence[ReplicaSet]
) -> list[Scale]:
    """Return the sizes of all sets for the number of pods that is wanted.

    One set gets them all. Several, in the middle of a rollout, keep their proportions, so that a
    bad new template does not get more weight.

    Args:
        deployment: The deployment.
        new: The set of the current template, if there is one.
        old: The others, from the oldest to the newest.
    """
    everything = [*old, *([new] if new is not None else [])]
    active = [one for one in everything if size_of(one)]
    only = active[0] if len(active) == 1 else None
    if not active:
        only = new or (old[-1] if old else None)
    if only is not None:
        return [Scale(only, wanted(deployment))]
    if new is not None and _is_saturated(deployment, new):
        return [Scale(one, 0) for one in old if size_of(one)]
    return _in_proportion(deployment, active) if is_rolling(deployment) else []


def _is_saturated(deployment: Deployment, new: ReplicaSet) -> bool:
    total = wanted(deployment)
    return _noted(new, DESIRED) == size_of(new) == available_in(new) == total


def _in_proportion(deployment: Deployment, active: Sequence[ReplicaSet]) -> list[Scale]:
    total = wanted(deployment)
    missing = (total + max_surge(deployment) if total else 0) - size_of(*active)
    # The largest change first; of equal ones the newest grows and the oldest shrinks.
    ordered = sorted(reversed(active) if missing > 0 else active, key=size_of, reverse=True)
    sizes, added = [], 0
    for one in ordered:
        share = _share(deployment, one, missing, added)
        sizes.append(size_of(one) + share)
        added += share
    sizes[0] = max(0, sizes[0] + missing - added)
    return [Scale(one, size) for one, size in zip(ordered, sizes, strict=True)]


def _share(deployment: Deployment, one: ReplicaSet, missing: int, added: int) -> int:
    left = missing - added
    size, total = size_of(one), wanted(deployment)
    if not left:
        return 0
    if not total:
        share = -size
    else:
        before = _noted(one, MAX) or deployment.status.replicas or total
        exact = size * (total + max_surge(deployment)) / before
        share = int(exact + 0.5) - size
    return min(share, left) if missing > 0 else max(share, left)
