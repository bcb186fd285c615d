import copy
from decimal import Decimal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright import _json
from kubewright.api.model import Model
from kubewright.api.quantity import (
    ParsedQuantity,
    Quantity,
    QuantityFormat,
    compare_quantities,
    format_quantity,
    parse_quantity,
)

DECIMAL = QuantityFormat.DECIMAL_SI
BINARY = QuantityFormat.BINARY_SI
EXPONENT = QuantityFormat.DECIMAL_EXPONENT
LARGEST = str(2**63 - 1)


@pytest.mark.parametrize(
    ("text", "amount", "form"),
    [
        ("0", "0", DECIMAL),
        ("0Ki", "0", BINARY),
        ("1", "1", DECIMAL),
        ("+1", "1", DECIMAL),
        ("-1", "-1", DECIMAL),
        ("5n", "0.000000005", DECIMAL),
        ("4u", "0.000004", DECIMAL),
        ("3m", "0.003", DECIMAL),
        ("50k", "50000", DECIMAL),
        ("7M", "7000000", DECIMAL),
        ("6.987654321G", "6987654321", DECIMAL),
        ("300.2T", "300200000000000", DECIMAL),
        ("2.5P", "2500000000000000", DECIMAL),
        ("12E", "12000000000000000000", DECIMAL),
        ("1Ki", "1024", BINARY),
        ("0.5Mi", "524288", BINARY),
        ("0.05Gi", "53687091.2", BINARY),
        ("5Ti", str(5 * 2**40), BINARY),
        ("4Pi", str(4 * 2**50), BINARY),
        ("3Ei", str(3 * 2**60), BINARY),
        ("100.035Ki", "102435.84", BINARY),
        ("1e3", "1000", EXPONENT),
        ("1E-3", "0.001", EXPONENT),
        ("1.3E+6", "1300000", EXPONENT),
        ("0.5e-2", "0.005", EXPONENT),
        (".001", "0.001", DECIMAL),
        ("1.", "1", DECIMAL),
        ("1.G", "1000000000", DECIMAL),
        ("0001", "1", DECIMAL),
        # rounded up to a billionth
        ("3.001n", "0.000000004", DECIMAL),
        ("-3.001n", "-0.000000004", DECIMAL),
        ("0.0000000001", "0.000000001", DECIMAL),
        ("1.1E-9", "0.000000002", EXPONENT),
        ("1e-900", "0.000000001", EXPONENT),
        ("0e-900", "0", EXPONENT),
        # less than one byte changes the family
        ("0.000000000001Ki", "0.000000002", DECIMAL),
        # capped
        ("9Ei", LARGEST, BINARY),
        ("-9Ei", f"-{LARGEST}", BINARY),
        ("9223372036854775807Ki", LARGEST, BINARY),
    ],
)
def test_a_quantity_is_read_as_apimachinery_reads_it(
    text: str, amount: str, form: QuantityFormat
) -> None:
    """The amounts and families are those of apimachinery's own tests."""
    parsed = parse_quantity(text)

    assert parsed.to_decimal() == Decimal(amount)
    assert parsed.format is form


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("0", "0"),
        ("0Ki", "0"),
        ("-0", "0"),
        ("1.5", "1500m"),
        ("0.1", "100m"),
        ("1000m", "1"),
        ("1500k", "1500k"),
        ("2000k", "2M"),
        ("1.5Gi", "1536Mi"),
        ("1024Mi", "1Gi"),
        ("1024Ki", "1Mi"),
        ("1Ki", "1Ki"),
        ("0.5Ki", "512"),
        ("1023Ki", "1023Ki"),
        ("0.05Gi", "53687091200m"),
        ("-1.5Gi", "-1536Mi"),
        ("1e3", "1e3"),
        ("12e4", "120e3"),
        ("1E-3", "1e-3"),
        ("5e0", "5"),
        ("10e20", "1e21"),
        ("1000E", "1000E"),
        ("9Ei", LARGEST),
        ("8k", "8k"),
        ("0.0000000001", "1n"),
    ],
)
def test_the_canonical_form_has_the_largest_suffix_without_a_fraction(
    text: str, canonical: str
) -> None:
    """Comparing canonical texts must find no difference where Go finds none."""
    assert format_quantity(text) == canonical


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it has no digits"),
        (".", "it has no digits"),
        ("+", "it has no digits"),
        ("m", "it has no digits"),
        ("1.2.3", "write a number and a suffix"),
        ("1 Gi", "write a number and a suffix"),
        ("1Gi\n", "write a number and a suffix"),
        ("--1", "it has no digits"),
        ("\u0661", "write a number and a suffix"),
        ("1gi", "'gi' is not a suffix; the suffixes are n, u, m, k"),
        ("1K", "'K' is not a suffix"),
        ("1mi", "'mi' is not a suffix"),
        ("1e", "'e' is not a suffix"),
        ("1Ei5", "'Ei5' is not a suffix"),
        ("1e1000000000000", "its exponent is beyond 999"),
        ("9" * 5000, "write a number and a suffix"),
        ("NaN", "it has no digits"),
    ],
)
def test_what_is_no_quantity_is_refused_with_the_part_that_is_wrong(
    text: str, problem: str
) -> None:
    """A wrong case in a suffix is the usual mistake; a huge exponent is an attack."""
    with pytest.raises(ValueError, match=problem):
        parse_quantity(text)


def test_json_numbers_are_quantities_too() -> None:
    """``cpu: 2`` and ``cpu: 0.5`` are common in YAML."""
    assert parse_quantity(2) == parse_quantity("2")
    assert format_quantity(0.5) == "500m"
    assert format_quantity(1e-05) == "10e-6"
    assert parse_quantity(Decimal("1.5")) == parse_quantity("1500m")
    for wrong in (True, None, float("inf"), float("nan")):
        with pytest.raises((TypeError, ValueError), match="cannot read quantity"):
            parse_quantity(wrong)  # type: ignore[arg-type]  # that is the point


def test_arithmetic_is_exact_and_keeps_the_family() -> None:
    """Adding up the requests of a node must not drift."""
    total = sum([parse_quantity("0.1")] * 10, parse_quantity("0"))

    assert total == parse_quantity(1)
    assert str(parse_quantity("0") + parse_quantity("1Gi")) == "1Gi"
    assert str(parse_quantity("1Gi") + parse_quantity("1M")) == "1074741824"
    assert str(parse_quantity("0") - parse_quantity("100m")) == "-100m"
    assert str(parse_quantity("512Mi") * 4) == "2Gi"
    assert str(3 * parse_quantity("100m")) == "300m"
    assert str(sum([parse_quantity("1Gi"), parse_quantity("1Gi")])) == "2Gi"


def test_quantities_compare_by_amount_not_by_spelling() -> None:
    """The server rewrites what it stores; 1000m is not a change from 1."""
    assert parse_quantity("1000m") == parse_quantity("1")
    assert hash(parse_quantity("1Ki")) == hash(parse_quantity("1024"))
    assert parse_quantity("1G") < parse_quantity("1Gi") <= parse_quantity("1Gi")
    assert parse_quantity("1Gi") > parse_quantity("1G")
    assert compare_quantities("10000T", "100Gi") == 1
    assert compare_quantities("50m", "100m") == -1
    assert compare_quantities("1", 1) == 0
    assert not parse_quantity("0Mi")
    assert parse_quantity("1") != 1


def test_quantities_do_not_mix_with_plain_numbers() -> None:
    """1 + "1Gi" has no unit; an error is better than a guess."""
    with pytest.raises(TypeError):
        parse_quantity("1") + 1  # type: ignore[operator]  # that is the point
    with pytest.raises(TypeError):
        parse_quantity("1") - 1  # type: ignore[operator]  # that is the point
    with pytest.raises(TypeError):
        parse_quantity("1") * 1.5  # type: ignore[operator]  # that is the point
    with pytest.raises(TypeError):
        5 + parse_quantity("1")
    with pytest.raises(TypeError):
        assert parse_quantity("1") < 2  # type: ignore[operator]  # that is the point


def test_whole_numbers_are_rounded_up() -> None:
    """Value and MilliValue in Go do the same: who asks for a little gets a little."""
    assert parse_quantity("1500m").value() == 2
    assert parse_quantity("-1500m").value() == -2
    assert parse_quantity("100u").milli_value() == 1
    assert parse_quantity("2").milli_value() == 2000


def test_a_parsed_quantity_can_be_copied_and_parsed_again() -> None:
    """Whether something is parsed already should not matter to a caller."""
    parsed = parse_quantity("1Gi")

    assert parse_quantity(parsed) is parsed
    assert copy.deepcopy(parsed) == parsed
    assert repr(parsed) == "ParsedQuantity('1Gi')"


class Limits(Model):
    cpu: Quantity = "1"
    others: dict[str, Quantity] = {}


def test_a_model_keeps_a_quantity_as_it_was_written() -> None:
    """Reading an object and writing it back must not rewrite 1000m as 1."""
    raw = b'{"cpu":"1000m","others":{"memory":1073741824,"disk":1.5,"x":"1.50Gi"}}'

    assert _json.encode(_json.decode(raw, Limits)) == raw


def test_the_alias_carries_the_mark_that_schemas_need() -> None:
    """The CRD layer recognises a quantity by it."""
    field = msgspec.inspect.type_info(Limits).fields[0]  # type: ignore[attr-defined]  # a struct

    assert field.type.extra == {"kubernetes": "quantity"}


@given(st.integers(), st.sampled_from(QuantityFormat))
def test_the_canonical_form_reads_back_as_the_same_amount(nanos: int, form: QuantityFormat) -> None:
    """No amount is lost by writing it, short of the cap on binary ones."""
    if form is BINARY:
        nanos = max(-(2**63 - 1) * 10**9, min(nanos, (2**63 - 1) * 10**9))
    quantity = ParsedQuantity(nanos, form)

    again = parse_quantity(str(quantity))

    assert again == quantity
    # A binary one that no suffix fits is written as plain digits, which then read as decimal.
    assert form is BINARY or str(again) == str(quantity)


@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, min_value=-(10**15), max_value=10**15, places=9
    )
)
def test_any_decimal_of_nine_places_is_exact(number: Decimal) -> None:
    """Decimal's own context would round at 28 digits; ours must not."""
    assert parse_quantity(format(number, "f")).to_decimal() == number


@given(st.text(alphabet="0123456789.eEinumkKMGTP+-", max_size=12))
def test_any_text_is_read_or_refused_with_a_value_error(text: str) -> None:
    """No input from outside ends in another exception."""
    try:
        parsed = parse_quantity(text)
    except ValueError:
        return
    assert parse_quantity(str(parsed)) == parsed


def test_a_call_of_quantity_checks_the_text_and_returns_it() -> None:
    """It is what people write who know Go's resource.MustParse."""
    assert Quantity("1.0Gi") == "1.0Gi"
    assert Quantity(parse_quantity("512Mi") * 2) == "1Gi"
    assert Quantity(2) == "2"

    with pytest.raises(ValueError, match="'Gb' is not a suffix"):
        Quantity("1Gb")


def test_a_field_takes_a_quantity_as_text_and_as_a_number() -> None:
    """Servers write text, and people who write YAML numbers, too."""
    limits = _json.decode(b'{"memory": "1Gi", "cpu": 2}', dict[str, Quantity])

    assert limits == {"memory": "1Gi", "cpu": 2}
