"""Times, quantities and bytes are read as Go reads them."""

import pytest

from kubewright.apiserver.schema import go_values


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
        ("2026-01-02T03:04:05.9+01:00", "2026-01-02T02:04:05Z"),
    ],
)
def test_times_are_kept_in_utc_and_whole_seconds(text: str, written: str) -> None:
    """``metav1.Time`` drops zones and fractions."""
    assert go_values.time(text) == written


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x", '"x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'),
        ("2026-13-01T00:00:00Z", '"2026-13-01T00:00:00Z": month out of range'),
        ("2026-02-30T00:00:00Z", '"2026-02-30T00:00:00Z": day out of range'),
        (
            "2026-01-01",
            '"2026-01-01" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"',
        ),
        ("2026-01-01T00:00:00Zx", '"2026-01-01T00:00:00Zx": extra text: "x"'),
        (
            "2026-01-01T00:00:00.5",
            '"2026-01-01T00:00:00.5" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"',
        ),
    ],
)
def test_bad_times_are_described_as_go_does(text: str, problem: str) -> None:
    """The text says how far it could be read."""
    with pytest.raises(ValueError, match="parsing time") as caught:
        go_values.time(text)

    assert str(caught.value) == f"parsing time {problem}"


def test_micro_times_need_six_digits() -> None:
    """A lease with another format is rejected."""
    assert go_values.micro_time("2026-01-01T01:00:00.000001+01:00") == "2026-01-01T00:00:00.000001Z"
    with pytest.raises(ValueError, match=r'cannot parse "Z" as "\.000000"'):
        go_values.micro_time("2026-01-01T00:00:00Z")
    with pytest.raises(ValueError, match='cannot parse "x" as "2006"'):
        go_values.micro_time("x")


@pytest.mark.parametrize(
    ("text", "problem"),
    [("", "regular expression"), ("a", "regular expression"), ("1mm", "quantity's suffix")],
)
def test_bad_quantities_say_which_part_is_wrong(text: str, problem: str) -> None:
    """Kubernetes has two texts for that."""
    with pytest.raises(ValueError, match=problem):
        go_values.quantity(text)


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("abc", 0),
        ("YWJjabc", 4),
        ("YW=j", 3),
        ("=", 0),
        ("YW", 0),
        ("YW=", 3),
        ("YWJ=YW", 4),
        ("YW\u00e9j", 2),
    ],
)
def test_bad_base64_is_located_as_go_does(text: str, position: int) -> None:
    """The number in the text is that of the byte at which the decoder stops."""
    with pytest.raises(ValueError, match=f"^illegal base64 data at input byte {position}$"):
        go_values.base64_text(text)
