"""Reads the comments of a file ``values.yaml``: what each value is for."""

import re
from collections.abc import Sequence

__all__ = ["Comments"]

_PARAM = re.compile(r"@param\s+(\S+)\s+(?:\[[^\]]*\]\s*)?(.+)")
_MARKED = re.compile(r"(?:\S+ )?-- (.*)")  # as helm-docs has it: `# -- text`, `# key -- text`
_HINT = re.compile(r"\(([\w/ ]+)\)\s*")
_LIKE_YAML = re.compile(r"\s*(- |-$|[\w./-]+:(\s|$))")


class Comments:
    """The comments of a file, by the keys that they are above.

    Args:
        text: The file.
    """

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        found = (_PARAM.search(line) for line in self._lines if line.lstrip().startswith("#"))
        self._params = {one[1]: one[2].strip() for one in found if one}

    def description(self, path: str, line: int, column: int) -> str:
        """Return what is said about a key, or nothing.

        Args:
            path: The key with those around it, such as ``image.tag``.
            line: The line of the key, counted from 0.
            column: Its column, which its comment has as well.
        """
        if path in self._params:
            return self._params[path]
        text = _text_of(self._above(line, column))
        return _HINT.sub("", text, count=1) if _HINT.match(text) else text

    def hint(self, line: int, column: int) -> str:
        """Return the type that a comment of helm-docs names, such as ``int``, or nothing."""
        found = _HINT.match(_text_of(self._above(line, column)))
        return found[1] if found else ""

    def _above(self, line: int, column: int) -> list[str]:
        """Return the lines of the comment right above a key."""
        found: list[str] = []
        prefix = " " * column + "#"
        while line > 0 and self._lines[line - 1].startswith(prefix):
            line -= 1
            found.insert(0, self._lines[line][column:].lstrip("#"))
        return found


def _text_of(lines: Sequence[str]) -> str:
    """Return the prose of a comment; values that are commented out are not prose."""
    lines = [line for line in lines if not line.lstrip().startswith("@")]
    marked = [at for at, line in enumerate(lines) if _MARKED.match(line.strip())]
    if marked:
        begin = _MARKED.match(lines[marked[-1]].strip())
        assert begin is not None
        lines = [begin[1], *lines[marked[-1] + 1 :]]
    else:
        code = [at for at, line in enumerate(lines) if _LIKE_YAML.match(line)]
        lines = lines[code[-1] + 1 :] if code else lines
    words = (line.strip() for line in lines)
    return " ".join(one for one in words if re.search(r"\w", one))
