from datetime import timedelta

from kubewright._pki.authority import Authority, Period
from kubewright.application.diagnosis.certificate import (
    bundle_problem,
    expires_soon,
    leaf_problem,
    signature_problem,
)
from tests.unit.application.diagnosis.ward import NOW

DAY = timedelta(days=1)
HOSTS = ("shop.shops.svc", "shop")
VALID = Period(NOW - DAY, NOW + 99 * DAY)
OVER = Period(NOW - 9 * DAY, NOW - DAY)
AUTHORITY = Authority("a", period=VALID)


def leaf(*hosts: str, period: Period = VALID) -> bytes:
    """Return a certificate that the authority has signed."""
    return AUTHORITY.serving(*hosts or HOSTS, period=period).certificate


def test_a_good_certificate_has_no_problem() -> None:
    """There is nothing to say."""
    assert leaf_problem(leaf(), HOSTS, NOW) == ""
    assert leaf_problem(leaf("*.shops.svc"), HOSTS, NOW) == ""
    assert signature_problem(leaf(), AUTHORITY.certificate) == ""
    assert bundle_problem(AUTHORITY.certificate, NOW) == ""
    assert expires_soon(leaf(), NOW) == ""


def test_what_is_wrong_with_a_certificate_is_told() -> None:
    """In the words of whoever looks at it in a terminal."""
    assert "expired at 2026-10-31" in leaf_problem(leaf(period=OVER), HOSTS, NOW)
    assert leaf_problem(leaf("a", "10.0.0.1"), HOSTS, NOW) == (
        "it is for a, 10.0.0.1, and not for shop.shops.svc"
    )
    assert "and not for" in leaf_problem(leaf("*.svc"), HOSTS, NOW)
    assert leaf_problem(b"nonsense", HOSTS, NOW) == "there is no certificate in it"


def test_an_end_that_is_near_is_told() -> None:
    """A week is enough to do something about it."""
    soon = leaf(period=Period(NOW - DAY, NOW + 2 * DAY))

    assert expires_soon(soon, NOW) == "2026-11-03 12:00 UTC"
    assert expires_soon(b"nonsense", NOW) == ""


def test_an_authority_that_has_not_signed_is_told() -> None:
    """After a rotation half done, this is what is left."""
    other = Authority("b", period=VALID)

    assert "no authority in it has signed" in signature_problem(leaf(), other.certificate)
    assert signature_problem(leaf(), other.certificate + AUTHORITY.certificate) == ""
    assert signature_problem(leaf(), leaf()) != ""
    own = leaf()
    assert signature_problem(own, own) == ""  # what is trusted may be the certificate itself


def test_a_bundle_is_bad_if_all_of_it_is() -> None:
    """An old authority beside the new one does no harm."""
    over = Authority("c", period=OVER).certificate

    assert "expired" in bundle_problem(over, NOW)
    assert bundle_problem(over + AUTHORITY.certificate, NOW) == ""
    assert bundle_problem(b"nonsense", NOW) == "there is no certificate in it"
