"""What Go's decoder says of broken JSON. Clients show that text, so ours must be the same."""

from collections.abc import Iterator

__all__ = ["problem"]

END: str = "unexpected end of JSON input"
DEPTH: int = 10_000
LITERALS: dict[str, str] = {"t": "true", "f": "false", "n": "null"}
_SPACE = " \t\r\n"
_DIGITS = "0123456789"
_HEX = "0123456789abcdefABCDEF"


class _BrokenError(ValueError):
    """The text of the error."""


def problem(body: bytes) -> str:
    """Return what is wrong with *body*; empty if nothing is.

    >>> problem(b'{"a" 1}')
    "invalid character '1' after object key"
    >>> problem(b'[1, 2')
    'unexpected end of JSON input'
    """
    try:
        _Scanner(body.decode("latin-1")).scan()  # Go looks at bytes, and shows one as a character
    except _BrokenError as error:
        return str(error)
    return ""


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._open: list[str] = []
        self._entered = False  # whether the array or object that was opened last is still empty

    def scan(self) -> None:
        """Read the one value that the text is, and the space after it."""
        self._value()
        while self._open:
            if self._entered:
                self._entered = False
                self._first(self._open[-1])
            elif self._open[-1] == "{":
                self._in_object()
            else:
                self._in_array()
        if rest := self._text[self._at :].lstrip(_SPACE):
            raise _wrong(rest[0], "after top-level value")

    def _value(self) -> None:
        character = self._skip()
        if character in "{[":
            self._at += 1
            self._open.append(character)
            self._entered = True
            if len(self._open) > DEPTH:
                raise _BrokenError("exceeded max depth")
        elif character == '"':
            self._string()
        elif character in "-" + _DIGITS:
            self._number()
        elif character in LITERALS:
            self._literal(LITERALS[character])
        else:
            raise _wrong(character, "looking for beginning of value")

    def _first(self, opened: str) -> None:
        """Read what may come right after an opening bracket: the end, or a first element."""
        if self._skip() == ("}" if opened == "{" else "]"):
            self._close()
        elif opened == "{":
            self._member()
        else:
            self._value()

    def _in_object(self) -> None:
        character = self._skip()
        if character == ",":
            self._at += 1
            self._member()
        elif character == "}":
            self._close()
        else:
            raise _wrong(character, "after object key:value pair")

    def _in_array(self) -> None:
        character = self._skip()
        if character == ",":
            self._at += 1
            self._value()
        elif character == "]":
            self._close()
        else:
            raise _wrong(character, "after array element")

    def _member(self) -> None:
        if (character := self._skip()) != '"':
            raise _wrong(character, "looking for beginning of object key string")
        self._string()
        if (character := self._skip()) != ":":
            raise _wrong(character, "after object key")
        self._at += 1
        self._value()

    def _close(self) -> None:
        self._at += 1
        self._open.pop()

    def _string(self) -> None:
        self._at += 1
        for character in self._read():
            if character == '"':
                return
            if character == "\\":
                self._escape()
            elif character < " ":
                raise _wrong(character, "in string literal")

    def _escape(self) -> None:
        read = self._read()
        character = next(read)
        if character == "u":
            for _ in range(4):
                if (digit := next(read)) not in _HEX:
                    raise _wrong(digit, "in \\u hexadecimal character escape")
        elif character not in 'bfnrt\\/"':
            raise _wrong(character, "in string escape code")

    def _number(self) -> None:
        if self._peek() == "-":
            self._at += 1
        if self._peek() == "0":
            self._at += 1
        else:
            self._digits("in numeric literal")
        if self._peek() == ".":
            self._at += 1
            self._digits("after decimal point in numeric literal")
        if self._peek() in ("e", "E"):
            self._at += 1
            if self._peek() in ("+", "-"):
                self._at += 1
            self._digits("in exponent of numeric literal")

    def _digits(self, where: str) -> None:
        if (first := next(self._read())) not in _DIGITS:
            raise _wrong(first, where)
        while (character := self._peek()) and character in _DIGITS:
            self._at += 1

    def _literal(self, word: str) -> None:
        for wanted, found in zip(word, self._read(), strict=False):
            if found != wanted:
                raise _wrong(found, f"in literal {word} (expecting '{wanted}')")

    def _read(self) -> Iterator[str]:
        """Yield one character after the other; the text must go on."""
        while True:
            if self._at >= len(self._text):
                raise _BrokenError(END)
            self._at += 1
            yield self._text[self._at - 1]

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip(self) -> str:
        """Return the next character that is not a space, without reading it."""
        while (character := self._peek()) and character in _SPACE:
            self._at += 1
        if not character:
            raise _BrokenError(END)
        return character


def _wrong(character: str, where: str) -> _BrokenError:
    return _BrokenError(f"invalid character {_quoted(character)} {where}")


def _quoted(character: str) -> str:
    if character == "'":
        return r"'\''"
    if character == '"':
        return "'\"'"
    return (
        f"'{character}'" if character.isprintable() and character != "\\" else _escaped(character)
    )


def _escaped(character: str) -> str:
    short = {"\\": r"\\", "\a": r"\a", "\b": r"\b", "\f": r"\f"} | {
        "\n": r"\n",
        "\r": r"\r",
        "\t": r"\t",
        "\v": r"\v",
    }
    code = ord(character)
    fallback = f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}"  # noqa: PLR2004  # ASCII ends
    return f"'{short.get(character, fallback)}'"
