"""How much work one request may be, counted in steps that take about a microsecond each."""

from typing import Final

LIGHT: Final = 20_000
"""What is done at once, while everybody else waits."""
MOST: Final = 5_000_000
"""What is done for one object at all."""
TEXT: Final = 4 * 1024 * 1024
"""How many characters of errors anybody reads."""
OUT_OF_BUDGET: Final = (
    "validation failed due to running out of cost budget, the rest is not checked"
)


class TooMuchError(Exception):
    """There is more to do than was allowed."""


class Effort:
    """What is left of the steps that one validation may take.

    Attributes:
        light: Whether somebody waits: what is too much now is done again, in a thread.
    """

    __slots__ = ("_left", "_text", "light")

    def __init__(self, *, light: bool = False, text: int = TEXT) -> None:
        self.light: bool = light
        self._left = LIGHT if light else MOST
        self._text = text

    def spend(self, steps: int) -> None:
        """Take *steps* off.

        Raises:
            TooMuchError: So many are not left.
        """
        self._left -= steps
        if self._left < 0:
            raise TooMuchError

    def tell(self, text: str) -> None:
        """Take the length of an error off.

        Raises:
            TooMuchError: There were enough errors before.
        """
        self._text -= len(text)
        if self._text < 0:
            raise TooMuchError
