import pytest

from kubewright.apiserver.table.duration import Ages, human_duration
from tests.unit.apiserver.table.rows import NOW

MINUTE, HOUR, DAY, YEAR = 60, 3600, 86400, 365 * 86400


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-2, "<invalid>"),
        (-1.5, "0s"),
        (0.9, "0s"),
        (119, "119s"),
        (2 * MINUTE, "2m"),
        (5 * MINUTE + 12, "5m12s"),
        (10 * MINUTE + 1, "10m"),
        (3 * HOUR - 1, "179m"),
        (3 * HOUR, "3h"),
        (7 * HOUR + 59 * MINUTE, "7h59m"),
        (47 * HOUR, "47h"),
        (2 * DAY, "2d"),
        (7 * DAY + 23 * HOUR, "7d23h"),
        (8 * DAY + 23 * HOUR, "8d"),
        (2 * YEAR - 1, "729d"),
        (2 * YEAR, "2y"),
        (3 * YEAR + 5 * DAY, "3y5d"),
        (8 * YEAR + 5 * DAY, "8y"),
    ],
)
def test_durations_are_as_short_as_kubectls(seconds: float, text: str) -> None:
    """Scripts parse the AGE column, for better or worse."""
    assert human_duration(seconds) == text


def test_an_age_is_counted_from_now() -> None:
    """Fractions and zones of the time do not matter."""
    age = Ages(NOW)

    assert age("2026-01-01T11:59:00Z") == "60s"
    assert age("2026-01-01T12:54:00.123456+01:00") == "5m59s"
    assert age(None) == age("") == "<unknown>"


def test_a_span_ends_now_unless_it_has_ended() -> None:
    """Jobs that run have no end yet."""
    age = Ages(NOW)

    assert age.between(None, None) == ""
    assert age.between("2026-01-01T11:59:30Z", None) == "30s"
    assert age.between("2020-01-01T00:00:00Z", "2020-01-01T00:10:30Z") == "10m"
