"""Regular expressions as API servers read them: Go's syntax, which is not wholly Python's."""

import re

# In this order: a set and an escape hide what looks like something else inside them.
_TOKENS = re.compile(
    r"\\[1-9]|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]"
    r"|\(\?(?:P=|<?[=!]|>|#|\()|[*+?]\+|\{\d+(?:,\d*)?\}\+?",
    re.DOTALL,
)
_MOST = 1000
# What Go has and Python has not, and something that is written like it in Python.
_QUOTED = re.compile(r"\\Q(.*?)(?:\\E|$)", re.DOTALL)
_ONLY_IN_GO = (
    (_QUOTED, lambda found: re.escape(found[1])),
    (re.compile(r"\\[pP](?:\{\^?\w+\}|\w)"), lambda _: r"\w"),
    (re.compile(r"\[:\^?\w+:\]"), lambda _: "a-z"),
    (re.compile(r"\\x\{[0-9A-Fa-f]+\}"), lambda _: "x"),
    (re.compile(r"\\z"), lambda _: r"\\Z"),
    (re.compile(r"\(\?[imsU]+(?:-[imsU]+)?\)"), lambda _: ""),
    (re.compile(r"\(\?[imsU]*(?:-[imsU]+)?:"), lambda _: "(?:"),
    (re.compile(r"\(\?<(?=\w)"), lambda _: "(?P<"),
)


def problem_of(pattern: str) -> str:
    """Return what keeps an API server from taking *pattern*, or an empty string.

    Example:
        >>> problem_of("^[a-z]+$")
        ''
        >>> problem_of("(?!x)")
        "Go's regular expressions have no look-around, '(?!'"
    """
    for token in _TOKENS.findall(_QUOTED.sub("", pattern)):
        if what := _missing(token):
            return f"Go's regular expressions have no {what}, {token!r}"
    try:
        re.compile(_in_python(pattern))
    except re.error as error:
        return f"it is not a regular expression: {error}"
    return ""


def _missing(token: str) -> str:
    if token[0] == "[":
        return ""
    if token[0] == "\\":
        return "backreference" if token[1] in "123456789" else ""
    if token.endswith("+"):
        return "possessive repetition"
    if token[0] == "{":
        counts = [int(count) for count in re.findall(r"\d+", token)]
        return f"repetition above {_MOST}" if max(counts) > _MOST else ""
    named = {"(?P=": "backreference", "(?>": "atomic group", "(?#": "comment", "(?(": "condition"}
    return named.get(token, "look-around")


def _in_python(pattern: str) -> str:
    for go, python in _ONLY_IN_GO:
        pattern = go.sub(python, pattern)
    return pattern


def is_match(pattern: str, text: str) -> bool:
    """Tell whether *text* contains a match; a pattern that only Go understands always matches."""
    if _in_python(pattern) != pattern:
        return True
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return True
