"""The completion indexes of an Indexed Job: as sets here, as ``1,3-5`` in its status."""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet

from kubewright.kinds.core.v1 import Pod

__all__ = ["ANNOTATION", "first_pending", "format_indexes", "index_of", "parse_indexes"]

ANNOTATION: str = "batch.kubernetes.io/job-completion-index"


def parse_indexes(text: str | None, completions: int) -> set[int]:
    """Return the indexes in *text* that the Job still has.

    A part that cannot be read is left out, as are indexes beyond the end: the Job may have been
    made smaller.

    Example:
        >>> sorted(parse_indexes("1,3-5,7", 6))
        [1, 3, 4, 5]
    """
    found: set[int] = set()
    for part in (text or "").split(","):
        first, dash, last = part.partition("-")
        if first.isdigit() and (last.isdigit() or not dash):
            found |= set(range(int(first), min(int(last or first) + 1, completions)))
    return found


def format_indexes(indexes: Iterable[int]) -> str:
    """Return *indexes* as the status has them: runs of three and more with a dash.

    Example:
        >>> format_indexes([7, 4, 3, 5, 1, 2, 9, 10])
        '1-5,7,9,10'
    """
    return ",".join(_run(first, last) for first, last in _runs(sorted(set(indexes))))


def _runs(ordered: list[int]) -> Iterator[tuple[int, int]]:
    first: int | None = None
    last = 0
    for one in ordered:
        if first is not None and one == last + 1:
            last = one
            continue
        if first is not None:
            yield first, last
        first = last = one
    if first is not None:
        yield first, last


def _run(first: int, last: int) -> str:
    if first == last:
        return str(first)
    return f"{first},{last}" if last == first + 1 else f"{first}-{last}"


def index_of(pod: Pod) -> int | None:
    """Return the completion index of *pod*, or ``None`` if it has none that can be read."""
    text = pod.metadata.annotations.get(ANNOTATION, "")
    return int(text) if text.isdigit() else None


def first_pending(count: int, completions: int, *, busy: AbstractSet[int]) -> list[int]:
    """Return the first *count* indexes that are neither done nor worked on."""
    found: list[int] = []
    for index in range(completions):
        if len(found) >= count:
            break
        if index not in busy:
            found.append(index)
    return found
