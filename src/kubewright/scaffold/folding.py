"""Breaks lines of Python that are too long, as formatters do: for names that users choose."""

__all__ = ["WIDTH", "folded"]

WIDTH: int = 100
_PAIRS = {")": "(", "]": "[", "}": "{"}


def folded(source: str) -> str:
    r"""Return *source* with long lines broken at their brackets, as ruff and black break them.

    Texts and comments stay as they are.

    Example:
        >>> print(folded("serve(" + ", ".join(["something_long"] * 7) + ")\n"), end="")
        serve(
            something_long,
            something_long,
            something_long,
            something_long,
            something_long,
            something_long,
            something_long,
        )
    """
    return "".join(part for line in source.splitlines(keepends=True) for part in _fold(line))


def _fold(line: str) -> list[str]:
    text = line.rstrip("\n")
    begin, end = _last_brackets(text)
    if len(text) <= WIDTH or begin < 0 or '"""' in text or text.lstrip().startswith("#"):
        return [line]
    indent = text[: len(text) - len(text.lstrip())]
    inner, body = f"{indent}    ", text[begin + 1 : end]
    parts = [f"{inner}{body}\n"]
    pieces = _split(body)
    if text.lstrip().startswith("def ") and len(pieces) == 1:
        parts = [f"{inner}{body},\n"]
    elif len(parts[0]) > WIDTH + 1:
        parts = [f"{inner}{one},\n" for one in pieces] if len(pieces) > 1 else _fold(parts[0])
    return [f"{text[: begin + 1]}\n", *parts, f"{indent}{text[end:]}\n"]


def _last_brackets(text: str) -> tuple[int, int]:
    """Return where the last pair of brackets that is not within others begins and ends."""
    end = max(text.rfind(one) for one in _PAIRS)
    depth = 0
    for at in range(end, -1, -1):
        if text[at] in _PAIRS:
            depth += 1
        elif text[at] in _PAIRS.values():
            depth -= 1
            if depth == 0:
                return at, end
    return -1, -1


def _split(body: str) -> list[str]:
    """Return what is between the outermost commas of *body*."""
    pieces, depth, start, quoted = [], 0, 0, False
    for at, char in enumerate(body):
        if char == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif char in _PAIRS.values():
            depth += 1
        elif char in _PAIRS:
            depth -= 1
        elif char == "," and depth == 0:
            pieces.append(body[start:at].strip())
            start = at + 1
    return [one for one in (*pieces, body[start:].strip()) if one]
