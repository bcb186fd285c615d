import pytest

from kubewright import _json
from kubewright.api.intorstring import IntOrString, resolve_int_or_percent
from kubewright.api.model import Model


@pytest.mark.parametrize(
    ("value", "total", "up", "down"),
    [
        (5, 10, 5, 5),
        ("25%", 10, 3, 2),
        ("0%", 10, 0, 0),
        ("100%", 7, 7, 7),
        ("150%", 10, 15, 15),
        ("1%", 1, 1, 0),
        ("-50%", 3, -1, -2),
        ("33%", 10**18, 33 * 10**16, 33 * 10**16),
    ],
)
def test_a_percentage_is_taken_of_the_total(
    value: int | str, total: int, up: int, down: int
) -> None:
    """Rounding is the caller's choice: up for maxSurge, down for maxUnavailable."""
    assert resolve_int_or_percent(value, total, round_up=True) == up
    assert resolve_int_or_percent(value, total, round_up=False) == down


@pytest.mark.parametrize("value", ["5", "", "%", "5 %", "five%", "5.5%", "5%%", True, None, 1.5])
def test_what_is_neither_a_number_nor_a_percentage_is_refused(value: object) -> None:
    """A text without % is ambiguous: Go refuses it too."""
    with pytest.raises(ValueError, match="neither a number nor a percentage"):
        resolve_int_or_percent(value, 10, round_up=True)  # type: ignore[arg-type]  # that is the point


class Rollout(Model):
    surge: IntOrString | None = None
    ports: list[IntOrString] = []


def test_a_model_keeps_numbers_and_texts_apart() -> None:
    """``80`` is a port number and ``"80"`` would be a port's name."""
    raw = b'{"surge":"25%","ports":[80,"80","http"]}'

    assert _json.encode(_json.decode(raw, Rollout)) == raw
