"""Resource quantities: ``500m`` of a CPU, ``1.5Gi`` of memory, read and written as Go does.

In models a quantity is the plain text or number that stands in the JSON (`Quantity`), so that
reading an object never changes what another program wrote. To calculate, parse it.
"""

import re
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final, NewType, TypeAlias

import msgspec

__all__ = [
    "ParsedQuantity",
    "Quantity",
    "QuantityFormat",
    "compare_quantities",
    "format_quantity",
    "parse_quantity",
]

if TYPE_CHECKING:
    # Servers write text. Somebody's YAML may hold a number, which is read, too: `parse_quantity`
    # takes both.
    Quantity: TypeAlias = str
else:

    class _QuantityType(NewType):
        """A type that can be called, which the union that it stands for cannot."""

        def __call__(self, value: "str | float | Decimal | ParsedQuantity") -> str:
            parsed = parse_quantity(value)
            return value if isinstance(value, str) else str(parsed)

    Quantity = Annotated[
        _QuantityType("Quantity", str | int | float),
        msgspec.Meta(extra={"kubernetes": "quantity"}),
    ]
"""A quantity as it stands in JSON, for fields of models: ``cpu: kw.Quantity``.

Called, as in ``kw.Quantity("1Gi")``, it checks the text and returns it.
"""


class QuantityFormat(StrEnum):
    """The three families of suffixes; a quantity is written in the one it was read in."""

    DECIMAL_SI = "DecimalSI"
    BINARY_SI = "BinarySI"
    DECIMAL_EXPONENT = "DecimalExponent"


_DECIMAL_SUFFIXES: Final = ("n", "u", "m", "", "k", "M", "G", "T", "P", "E")
_BINARY_SUFFIXES: Final = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_DECIMAL_POWERS = {suffix: 3 * i - 9 for i, suffix in enumerate(_DECIMAL_SUFFIXES)}
_BINARY_POWERS = {suffix: 10 * i for i, suffix in enumerate(_BINARY_SUFFIXES) if suffix}

_NANO: Final = 10**9
_MAX_BINARY: Final = (2**63 - 1) * _NANO  # the server caps binary quantities there
_MAX_TEXT: Final = 256  # longer texts are not quantities, and parsing digits is quadratic
_MAX_EXPONENT: Final = 999  # the server knows no limit, at the price of hanging on 1e999999999

_SYNTAX: Final = r"([+-]?)([0-9]*)(?:\.([0-9]*))?([a-zA-Z]*)([+-]?[0-9]*)"


class ParsedQuantity(msgspec.Struct, frozen=True, eq=False, gc=False):
    """An exact quantity that can be compared and added up. Make it with `parse_quantity`.

    Quantities of equal amount are equal, however they are written.

    Example:
        >>> parse_quantity("1.5Gi") + parse_quantity("512Mi")
        ParsedQuantity('2Gi')
        >>> parse_quantity("1Ki") == parse_quantity("1024")
        True
    """

    nanos: int
    """The amount in billionths, the finest that Kubernetes keeps."""
    format: QuantityFormat = QuantityFormat.DECIMAL_SI
    """The family of suffixes to write it in."""

    def to_decimal(self) -> Decimal:
        """Return the exact amount."""
        whole, rest = divmod(abs(self.nanos), _NANO)
        fraction = f".{rest:09}".rstrip("0") if rest else ""
        return Decimal(f"{'-' if self.nanos < 0 else ''}{whole}{fraction}")

    def value(self) -> int:
        """Return the amount as a whole number, rounded up (away from zero)."""
        return _divided_up(self.nanos, _NANO)

    def milli_value(self) -> int:
        """Return the amount in thousandths, rounded up (away from zero): ``100m`` gives 100."""
        return _divided_up(self.nanos, _NANO // 1000)

    def __add__(self, other: "ParsedQuantity") -> "ParsedQuantity":
        if not isinstance(other, ParsedQuantity):
            return NotImplemented
        # Zero has no format: a sum that starts with it keeps the other's format.
        kept = self.format if self.nanos else other.format
        return ParsedQuantity(self.nanos + other.nanos, kept)

    def __radd__(self, other: int) -> "ParsedQuantity":
        if other != 0:  # 0 is what sum() begins with
            return NotImplemented
        return self

    def __neg__(self) -> "ParsedQuantity":
        return ParsedQuantity(-self.nanos, self.format)

    def __sub__(self, other: "ParsedQuantity") -> "ParsedQuantity":
        if not isinstance(other, ParsedQuantity):
            return NotImplemented
        return self + -other

    def __mul__(self, factor: int) -> "ParsedQuantity":
        if not isinstance(factor, int):
            return NotImplemented
        return ParsedQuantity(self.nanos * factor, self.format)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ParsedQuantity):
            return NotImplemented
        return self.nanos == other.nanos

    # All four, because functools.total_ordering takes those that Struct inherits for ours.
    def __lt__(self, other: "ParsedQuantity") -> bool:
        if not isinstance(other, ParsedQuantity):
            return NotImplemented
        return self.nanos < other.nanos

    def __le__(self, other: "ParsedQuantity") -> bool:
        if not isinstance(other, ParsedQuantity):
            return NotImplemented
        return self.nanos <= other.nanos

    def __gt__(self, other: "ParsedQuantity") -> bool:
        if not isinstance(other, ParsedQuantity):
            return NotImplemented
        return self.nanos > other.nanos

    def __ge__(self, other: "ParsedQuantity") -> bool:
        if not isinstance(other, ParsedQuantity):
            return NotImplemented
        return self.nanos >= other.nanos

    def __hash__(self) -> int:
        return hash(self.nanos)

    def __bool__(self) -> bool:
        return self.nanos != 0

    def __repr__(self) -> str:
        return f"ParsedQuantity({str(self)!r})"

    def __str__(self) -> str:
        if not self.nanos:
            return "0"
        sign, amount = ("-", -self.nanos) if self.nanos < 0 else ("", self.nanos)
        return sign + _canonical(amount, self.format)


def parse_quantity(value: str | float | Decimal | ParsedQuantity) -> ParsedQuantity:
    """Read a quantity exactly; what is finer than a billionth is rounded up.

    Raises:
        ValueError: It is not a quantity; the message says which part is wrong.
        TypeError: It is neither text nor a number.

    Example:
        >>> parse_quantity("100m").to_decimal()
        Decimal('0.1')
        >>> parse_quantity("0.1Gi").value()
        107374183
    """
    if isinstance(value, ParsedQuantity):
        return value
    if isinstance(value, bool) or not isinstance(value, (str, int, float, Decimal)):
        raise TypeError(f"cannot read quantity {value!r}: write text such as '500m' or a number")
    text = value if isinstance(value, str) else str(value)
    return _parsed(text)


def format_quantity(value: str | float | Decimal | ParsedQuantity) -> str:
    """Return a quantity in canonical form: the largest suffix that needs no fraction.

    Example:
        >>> format_quantity("1.5"), format_quantity("1.5Gi"), format_quantity("1024Mi")
        ('1500m', '1536Mi', '1Gi')
    """
    return str(parse_quantity(value))


def compare_quantities(
    left: str | float | Decimal | ParsedQuantity, right: str | float | Decimal | ParsedQuantity
) -> int:
    """Return -1, 0 or 1 as *left* is less than, equal to or more than *right*.

    Example:
        >>> compare_quantities("1G", "1Gi")
        -1
    """
    a, b = parse_quantity(left).nanos, parse_quantity(right).nanos
    return (a > b) - (a < b)


def _parsed(text: str) -> ParsedQuantity:
    match = re.fullmatch(_SYNTAX, text) if len(text) <= _MAX_TEXT else None
    if match is None:
        raise _error(text, "write a number and a suffix, such as '500m', '1.5Gi' or '2e3'")
    sign, whole, fraction, letters, exponent = match.groups(default="")
    if not whole and not fraction:
        raise _error(text, "it has no digits")
    digits = int(whole + fraction)
    amount, form = _scaled(text, digits, len(fraction), letters + exponent)
    return ParsedQuantity(-amount if sign == "-" else amount, form)


def _scaled(text: str, digits: int, places: int, suffix: str) -> tuple[int, QuantityFormat]:
    """Return the amount in billionths, never negative, and its format."""
    if suffix in _BINARY_POWERS:
        amount = _divided_up((digits << _BINARY_POWERS[suffix]) * _NANO, 10**places)
        # Less than one byte cannot be written with a binary suffix.
        small = 0 < amount < _NANO
        form = QuantityFormat.DECIMAL_SI if small else QuantityFormat.BINARY_SI
        return min(amount, _MAX_BINARY), form
    power, form = _decimal_power(text, suffix)
    scale = power + 9 - places
    if scale >= 0:
        return digits * 10**scale, form
    return _divided_up(digits, 10**-scale), form


def _decimal_power(text: str, suffix: str) -> tuple[int, QuantityFormat]:
    if suffix in _DECIMAL_POWERS:
        return _DECIMAL_POWERS[suffix], QuantityFormat.DECIMAL_SI
    if not re.fullmatch(r"[eE][+-]?[0-9]+", suffix):
        known = ", ".join([*filter(None, _DECIMAL_SUFFIXES), *_BINARY_POWERS])
        raise _error(text, f"{suffix!r} is not a suffix; the suffixes are {known}")
    power = int(suffix[1:])
    if abs(power) > _MAX_EXPONENT:
        raise _error(text, f"its exponent is beyond {_MAX_EXPONENT}")
    return power, QuantityFormat.DECIMAL_EXPONENT


def _canonical(nanos: int, form: QuantityFormat) -> str:
    """Write a positive amount."""
    if form is QuantityFormat.BINARY_SI:
        whole, rest = divmod(nanos, _NANO)
        # Below 1Ki there is no binary suffix, and a fraction has none that would not round.
        if whole >= 1024 and not rest:  # noqa: PLR2004  # the base of the family
            mantissa, index = _without_factors(whole, 1024, len(_BINARY_SUFFIXES) - 1)
            return f"{mantissa}{_BINARY_SUFFIXES[index]}"
    if form is QuantityFormat.DECIMAL_EXPONENT:
        mantissa, index = _without_factors(nanos, 1000, _MAX_EXPONENT)
        power = 3 * index - 9
        return f"{mantissa}e{power}" if power else str(mantissa)
    # Go writes 1000E as "1": it has no suffix for 10**21 and forgets to say so. We stop at E.
    mantissa, index = _without_factors(nanos, 1000, len(_DECIMAL_SUFFIXES) - 1)
    return f"{mantissa}{_DECIMAL_SUFFIXES[index]}"


def _without_factors(number: int, factor: int, most: int) -> tuple[int, int]:
    """Divide *number* by *factor* as often as it goes, and return how often that was."""
    times = 0
    while times < most and number % factor == 0:
        number //= factor
        times += 1
    return number, times


def _divided_up(number: int, divisor: int) -> int:
    """Divide and round away from zero: a small request must not become nothing."""
    quotient = -(-abs(number) // divisor)
    return -quotient if number < 0 else quotient


def _error(text: Any, problem: str) -> ValueError:
    shown = text if len(text) <= _MAX_TEXT else f"{text[:40]}…"
    return ValueError(f"cannot read quantity {shown!r}: {problem}")
