"""Splits the source of an expression into tokens, and reads string literals."""

import re
from typing import Final, NamedTuple

from kubewright.apiserver.cel.errors import Issue

EOF: Final = "<EOF>"


class Token(NamedTuple):
    """A token of the source. For operators and keywords, *kind* is the text itself."""

    kind: str
    text: str
    offset: int


_SPACE = re.compile(r"(?:[\t \r\n\f]+|//[^\n]*)+")
_ESCAPE = (
    r"\\(?:[abfnrtv\"'\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}"
    r"|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})"
)
_STRING = "|".join(
    (
        r'[rR]"""(?s:.*?)"""',
        r"[rR]'''(?s:.*?)'''",
        rf'"""(?:{_ESCAPE}|[^\\])*?"""',
        rf"'''(?:{_ESCAPE}|[^\\])*?'''",
        r'[rR]"[^"\n\r]*"',
        r"[rR]'[^'\n\r]*'",
        rf'"(?:{_ESCAPE}|[^\\"\n\r])*"',
        rf"'(?:{_ESCAPE}|[^\\'\n\r])*'",
    )
)
_TOKEN = re.compile(
    rf"(?P<BYTES>[bB](?:{_STRING}))|(?P<STRING>{_STRING})"
    r"|(?P<NUM_FLOAT>[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+"
    r"|\.[0-9]+(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<NUM_UINT>(?:0x[0-9a-fA-F]+|[0-9]+)[uU])|(?P<NUM_INT>0x[0-9a-fA-F]+|[0-9]+)"
    r"|(?P<IDENTIFIER>[A-Za-z_][A-Za-z0-9_]*)|(?P<ESC_IDENTIFIER>`[A-Za-z0-9_.\-/ ]+`)"
    r"|(?P<OP>==|!=|<=|>=|&&|\|\||[<>\[\]{}().,\-!?:+*/%])"
)
_KEYWORDS: Final = frozenset({"in", "true", "false", "null"})
# How far the server reads into an unterminated string before it gives up.
_BROKEN_STRING = re.compile(rf"(['\"])(?:{_ESCAPE}|(?!\1)[^\\\n\r])*(?:\\.?|[\n\r])?", re.DOTALL)
_BROKEN_NAME = re.compile(r"`[A-Za-z0-9_.\-/ ]*(?s:.)?")
_SIMPLE_ESCAPES: Final = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}
_ESCAPED = re.compile(_ESCAPE)


def tokenize(source: str) -> tuple[list[Token], list[Issue]]:
    """Return the tokens, with an end token last, and the issues found."""
    tokens: list[Token] = []
    issues: list[Issue] = []
    position = 0
    while position < len(source):
        if space := _SPACE.match(source, position):
            position = space.end()
            continue
        match = _TOKEN.match(source, position)
        if match is None:
            end = _end_of_nonsense(source, position)
            issues.append(Issue(position, _unrecognized(source[position:end])))
            position = end
            continue
        tokens.append(_token(match))
        position = match.end()
    tokens.append(Token(EOF, EOF, len(source)))
    return tokens, issues


def _token(match: re.Match[str]) -> Token:
    kind, text = match.lastgroup or "", match.group()
    if kind == "OP" or text in _KEYWORDS:
        kind = text
    return Token(kind, text, match.start())


def _end_of_nonsense(source: str, start: int) -> int:
    if broken := _BROKEN_STRING.match(source, start) or _BROKEN_NAME.match(source, start):
        return broken.end()
    # After the first half of an operator, the server looks at one more character.
    return min(start + (2 if source[start] in "=&|" else 1), len(source))


def _unrecognized(text: str) -> str:
    shown = text.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    return f"Syntax error: token recognition error at: '{shown}'"


def string_value(text: str) -> str:
    """Return the value of a string literal.

    Raises:
        ValueError: An escape does not name a character.
    """
    raw, body = _unquoted(text)
    if raw or "\\" not in body:
        return body
    return _ESCAPED.sub(lambda match: _character(match.group()[1:]), body)


def bytes_value(text: str) -> bytes:
    """Return the value of a bytes literal; octal and hexadecimal escapes are single bytes.

    Raises:
        ValueError: It has a Unicode escape, which bytes do not allow.
    """
    raw, body = _unquoted(text[1:])
    if raw or "\\" not in body:
        return body.encode()
    parts: list[bytes] = []
    position = 0
    for match in _ESCAPED.finditer(body):
        parts.append(body[position : match.start()].encode())
        parts.append(_bytes_escape(match.group()[1:]))
        position = match.end()
    parts.append(body[position:].encode())
    return b"".join(parts)


def _unquoted(text: str) -> tuple[bool, str]:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    raw = text[0] in "rR"
    text = text[1:] if raw else text
    width = 3 if len(text) >= 6 and text[:3] in {'"""', "'''"} else 1  # noqa: PLR2004  # two triple quotes
    return raw, text[width:-width]


def _character(escape: str) -> str:
    head = escape[0]
    if head in _SIMPLE_ESCAPES:
        return _SIMPLE_ESCAPES[head]
    if head in "xXuU":
        code = int(escape[1:], 16)
    elif head in "0123":
        code = int(escape, 8)
    else:
        return head
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:  # noqa: PLR2004  # the bounds of Unicode
        raise ValueError("invalid unicode code point")
    return chr(code)


def _bytes_escape(escape: str) -> bytes:
    if escape[0] in "uU":
        raise ValueError("unable to unescape string")
    if escape[0] in "xX":
        return bytes([int(escape[1:], 16)])
    if escape[0] in "0123":
        return bytes([int(escape, 8)])
    return _character(escape).encode()
