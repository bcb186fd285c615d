"""How much work one request may take, in steps of about a microsecond."""

from typing import Final

LIGHT: Final = 20_000
"""Steps that are done at once, while all other requests wait."""
MOST: Final = 5_000_000
"""Steps that one object may take at all."""
TEXT: Final = 4 * 1024 * 1024
"""Characters of errors that are kept."""
OUT_OF_BUDGET: Final = (
    "validation failed due to running out of cost budget, the rest is not checked"
)


class TooMuchError(Exception):
    """The work takes more steps than allowed."""


class Effort:
    """The steps that one validation may still take.

    Attributes:
        light: Whether others wait: work that is too much is then done again in a thread.
    """

    __slots__ = ("_left", "_text", "light")

    def __init__(self, *, light: bool = False, text: int = TEXT) -> None:
        self.light: bool = light
        self._left = LIGHT if light else MOST
        self._text = text

    def spend(self, steps: int) -> None:
        """Take *steps* off.

        Raises:
            TooMuchError: Fewer steps are left.
        """
        self._left -= steps
        if self._left < 0:
            raise TooMuchError

    def tell(self, text: str) -> None:
        """Take the length of an error off the characters that are left.

        Raises:
            TooMuchError: Fewer characters are left.
        """
        self._text -= len(text)
        if self._text < 0:
            raise TooMuchError
