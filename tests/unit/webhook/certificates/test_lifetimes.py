from datetime import timedelta

import pytest

from kubewright.webhook.certificates import Lifetimes

HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("overlap", "problem"), [(timedelta(), "overlap"), (4 * HOUR, "overlap"), (-HOUR, "overlap")]
)
def test_an_overlap_must_end_before_the_old_authority_does(
    overlap: timedelta, problem: str
) -> None:
    """Nothing would be valid for a while, in a year or in ten."""
    with pytest.raises(ValueError, match=problem):
        Lifetimes(authority=9 * HOUR, leaf=HOUR, overlap=overlap)


@pytest.mark.parametrize("leaf", [timedelta(), 4 * HOUR])
def test_a_certificate_must_expire_before_its_authority(leaf: timedelta) -> None:
    """Authorities are kept until then, and would pile up in the bundles."""
    with pytest.raises(ValueError, match="before its authority"):
        Lifetimes(authority=9 * HOUR, leaf=leaf)


def test_short_lives_are_looked_at_more_often() -> None:
    """Something would else expire between two looks."""
    short = Lifetimes(
        authority=timedelta(seconds=18), leaf=timedelta(seconds=6), overlap=timedelta(seconds=2)
    )

    assert short.interval < short.leaf / 3
    assert short.interval < short.notice <= short.overlap
    assert Lifetimes().interval == timedelta(seconds=10)
