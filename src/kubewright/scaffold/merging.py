"""Brings the changes between two renderings of a file into the one that a user has changed."""

from difflib import SequenceMatcher

__all__ = ["merged"]


def merged(mine: str, old: str, new: str) -> str | None:
    r"""Return *mine* with what is different between *old* and *new*.

    Args:
        mine: The file as the user has it, made from *old*.
        old: The file as it was made.
        new: The file as it would be made now.

    Returns:
        The text; ``None`` if the user has changed the same lines, or those beside them.

    Example:
        >>> merged("a\nB\nc\nd\n", "a\nb\nc\nd\n", "a\nb\nc\nd\ne\n")
        'a\nB\nc\nd\ne\n'
        >>> merged("A\n", "a\n", "b\n") is None
        True
    """
    if mine in {old, new}:
        return new
    base, ours, theirs = (text.splitlines(keepends=True) for text in (old, mine, new))
    edits = [(*edit, ours) for edit in _edits(base, ours)]
    changes = [(*edit, theirs) for edit in _edits(base, theirs)]
    if any(_touch(one, other) for one in edits for other in changes):
        return None
    for begin, end, source_begin, source_end, source in sorted(edits + changes, reverse=True):
        base[begin:end] = source[source_begin:source_end]
    return "".join(base)


def _edits(base: list[str], other: list[str]) -> list[tuple[int, int, int, int]]:
    """Return which lines of *base* become which ones of *other*."""
    matcher = SequenceMatcher(None, base, other, autojunk=False)
    return [tuple(code[1:]) for code in matcher.get_opcodes() if code[0] != "equal"]  # type: ignore[misc]


def _touch(
    one: tuple[int, int, int, int, list[str]], other: tuple[int, int, int, int, list[str]]
) -> bool:
    """Tell whether two edits are of the same lines, or at the same place."""
    return one[0] <= other[1] and other[0] <= one[1]
