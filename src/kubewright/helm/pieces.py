"""`kept_text`: a text of which only some pieces are random, with the pieces that it had before."""

import itertools
import re
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, Final, TypeAlias

__all__ = ["CHANCE", "from_base64", "kept_text", "pairs", "to_base64"]

# A certificate is one piece: parts of two would be none.
_PEM = r"-----BEGIN [^\n]*-----.*?-----END [^\n]*-----"
_WORDS = re.compile(rf"{_PEM}|\w+|\s+|.", re.DOTALL)
_LINES = re.compile(rf"[ \t]*{_PEM}\n?|[^\n]*\n|[^\n]+", re.DOTALL)
_SURE, _SURE_AT_EDGE = 4, 3
"""So many letters in a row are not the same by chance in two random texts."""
_MOST = 4000
"""Of longer texts the lines are compared, and not the words: time grows with the square."""


class Chance:
    """Stands for what differs between two renders of the same; equal to nothing else."""


CHANCE: Final = Chance()
_Part: TypeAlias = Sequence[str | Chance]


def kept_text(new: str, other: str, old: str) -> str:
    """Return *new* with the random pieces of *old*.

    What *new* and *other*, two renders of the same input, do not agree on is random. If that is
    all, *old* is returned. A piece whose place is not found in *old* stays as it is in *new*.
    """
    cut = (_WORDS if max(len(new), len(other), len(old)) <= _MOST else _LINES).findall
    pieces, drawn = _template(cut(new), cut(other))
    if all(one is CHANCE for one in pieces):
        return old
    values = iter(drawn)
    kept: list[str] = []
    for ours, theirs, following in pairs(pieces, cut(old)):
        for place, piece in enumerate(ours):
            if isinstance(piece, str):
                kept.append(piece)
                continue
            value = next(values)
            after = ours[place + 1] if place + 1 < len(ours) else following
            if ours.count(CHANCE) > 1:
                kept += value
            elif place == 0:
                kept += _beginning(theirs, value, after) or value
            elif place == len(ours) - 1:
                end = _beginning(theirs[::-1], value, ours[place - 1])[::-1]
                kept += end or value
            else:
                kept += value
    return "".join(kept)


def _beginning(tokens: Sequence[str], value: list[str], after: str | Chance | None) -> list[str]:
    """Return the piece that *tokens* begin with; what was left out after it may follow there."""
    if isinstance(after, str) and after in tokens and after not in value:
        tokens = tokens[: tokens.index(after)]
    if any(one.isspace() for one in value):
        return list(tokens)
    return list(itertools.takewhile(lambda one: not one.isspace(), tokens))


def from_base64(*texts: str) -> list[str] | None:
    """Return the texts of which *texts* are the base64; ``None`` if one is not that of a text."""
    try:
        return [b64decode(one, validate=True).decode() for one in texts]
    except ValueError:
        return None


def to_base64(text: str) -> str:
    """Return *text* in base64."""
    return b64encode(text.encode()).decode()


def pairs(new: _Part, old: Sequence[str]) -> Iterator[tuple[_Part, Sequence[str], str | None]]:
    """Yield the parts of *new*, each with the part of *old* in its place, and what follows it."""
    matcher = _matcher(new, old)
    for _, a, b, c, d in matcher.get_opcodes():
        following = new[b] if b < len(new) else None
        yield new[a:b], old[c:d], following if isinstance(following, str) else None


def _matcher(new: _Part, old: Sequence[str]) -> SequenceMatcher[Any]:
    # Frequent lines of long texts, such as empty ones, are no places to begin at: that would take
    # minutes. Frequent words, such as spaces, are: their texts are short.
    return SequenceMatcher(None, new, old, autojunk=max(len(new), len(old)) > _MOST)


def _template(new: list[str], other: list[str]) -> tuple[list[str | Chance], list[list[str]]]:
    """Return *new* with its random pieces taken out, and these."""
    pieces: list[str | Chance] = []
    drawn: list[list[str]] = []
    last = 0
    matcher = _matcher(new, other)
    for start, place, size in matcher.get_matching_blocks():
        at_edge = (start, place) == (0, 0) or (
            (start + size, place + size) == (len(new), len(other))
        )
        sure = _SURE_AT_EDGE if at_edge else _SURE
        if start < len(new) and sum(map(len, new[start : start + size])) < sure:
            continue
        stop = start + size
        if start > last:
            while start < stop and new[start] == "=":
                start += 1  # noqa: PLW2901  # it pads base64, and another value has other padding
            pieces.append(CHANCE)
            drawn.append(new[last:start])
        pieces += new[start:stop]
        last = stop
    return pieces, drawn
