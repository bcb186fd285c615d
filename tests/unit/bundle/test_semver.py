"""Versions and ranges."""

import pytest

from kubewright.bundle.semver import Range, Version

ORDER = (
    "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.1"
)


def test_versions_are_ordered_as_the_specification_orders_them() -> None:
    """A release candidate comes before the release, and 11 after 2."""
    versions = [Version.parse(one) for one in ORDER.split()]

    assert sorted({*versions}) == versions
    assert versions[0] < versions[1] <= versions[1]
    assert versions[-1] > versions[0] >= versions[0]


def test_it_is_written_as_it_was_read() -> None:
    """Names of versions are made from them."""
    for one in ("1.2.3", "1.2.3-rc.1", "1.2.3-rc.1+build.5", "1.2.3+5"):
        assert str(Version.parse(one)) == one
    assert Version.parse("1.2.3+5").precedence == Version.parse("1.2.3").precedence


@pytest.mark.parametrize("text", ["", "1", "1.2", "v1.2.3", "1.2.3.4", "01.2.3", "1.2.3-", "1.2.x"])
def test_what_is_no_version_is_refused(text: str) -> None:
    """OLM refuses it later, on somebody's cluster."""
    with pytest.raises(ValueError, match="is not a version like"):
        Version.parse(text)
    assert Version.find(text) is None
    assert Version.find(None) is None


def test_a_v_is_told() -> None:
    """It is the usual mistake."""
    with pytest.raises(ValueError, match=r"Leave out the v$"):
        Version.parse("v1.2.3")


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        (">=1.0.0 <1.2.0", "1.1.9", "1.2.0"),
        ("1.2.3", "1.2.3", "1.2.4"),
        ("==1.2.3", "1.2.3", "1.2.4"),
        ("!1.2.3", "1.2.4", "1.2.3"),
        ("!=1.2.3", "1.2.4", "1.2.3"),
        (">1.0.0 <=1.5.0 || >=2.0.0", "2.1.0", "1.6.0"),
        ("1.x", "1.9.0", "2.0.0"),
        ("1.2.x", "1.2.9", "1.3.0"),
        (">1.x", "2.0.0", "1.9.9"),
        ("<=1.x", "1.9.9", "2.0.0"),
        (">= 1.0.0 < 2.0.0", "1.0.0", "2.0.0"),
        ("*", "9.9.9", "1.0.0-rc.1+no"),
    ],
)
def test_a_range_has_what_it_says(text: str, inside: str, outside: str) -> None:
    """Which versions are skipped decides who gets which upgrade."""
    found = Range.parse(text)

    assert Version.parse(inside) in found
    assert (Version.parse(outside) in found) is (text == "*")
    assert "1.0.0" not in found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it has an empty part"),
        ("1.0.0 ||", "it has an empty part"),
        (">1", "is not a version like"),
        ("latest", "'latest' is no part of one"),
        ("x.1", "has an x before a number"),
        ("!1.x", "cannot stand behind an exclamation mark"),
    ],
)
def test_what_is_no_range_is_refused(text: str, message: str) -> None:
    """OLM ignores such a range, and nobody is upgraded."""
    with pytest.raises(ValueError, match="is not a range") as caught:
        Range.parse(text)

    assert message in str(caught.value)
