from datetime import UTC, datetime, timedelta

import pytest

from kubewright._pki.authority import Authority
from kubewright.webhook.certificates.chain import Chain, Renewal, certificates_in
from kubewright.webhook.certificates.secret import find_chain, mend, read_chain, written
from tests.unit.webhook.certificates.villages import SHORT

NOW = datetime(2026, 3, 1, tzinfo=UTC)
RENEWAL = Renewal("shop-ca", ("shop.default.svc",), SHORT)


def full_chain() -> Chain:
    """Return a chain in the middle of a change, with everything in it."""
    begun = RENEWAL.begin(NOW).trusting(Authority("old").certificate, NOW + timedelta(days=9))
    return RENEWAL.advance(begun, NOW + SHORT.authority * 0.7, published=True)


def test_what_is_written_is_read_again() -> None:
    """A replica that restarts in the middle of a change goes on with it."""
    chain = full_chain()
    assert chain.next is not None
    assert chain.previous

    assert read_chain(*written(chain), NOW) == chain


@pytest.mark.parametrize("key", ["tls.crt", "tls.key", "ca.crt", "ca.key"])
def test_a_secret_that_lacks_a_part_names_it(key: str) -> None:
    """Somebody has to find out what happened to it."""
    data, annotations = written(full_chain())
    del data[key]

    with pytest.raises(ValueError, match=key.replace(".", r"\.")):
        read_chain(data, annotations, NOW)
    assert find_chain(data, annotations, NOW) is None


def test_a_leaf_of_another_authority_is_found_out() -> None:
    """Two halves of two Secrets: every client would refuse it."""
    data, annotations = written(full_chain())
    other = Authority("other").serving("shop.default.svc")
    data |= {"tls.crt": other.certificate, "tls.key": other.key}

    with pytest.raises(ValueError, match="signed by another authority"):
        read_chain(data, annotations, NOW)


def test_times_that_cannot_be_read_end_late_rather_than_at_once() -> None:
    """Annotations get lost, in a copy to another cluster; trust must not."""
    chain = full_chain()
    data, _ = written(chain)

    found = read_chain(data, {"kubewright.dev/previous-ca-until": "tomorrow"}, NOW)

    assert found.announced == NOW
    assert found.until is not None
    assert found.until > NOW
    assert found.bundle == chain.bundle


def test_mending_keeps_an_authority_that_is_whole() -> None:
    """Clients trust it already."""
    chain = full_chain()
    data, _ = written(chain)

    mended = mend({**data, "tls.key": b"lost"}, RENEWAL, NOW)

    assert mended.authority == chain.authority
    assert set(certificates_in(mended.bundle)) == set(certificates_in(chain.bundle))


def test_mending_keeps_the_trust_in_an_authority_whose_key_is_lost() -> None:
    """Replicas that run show what it has signed."""
    chain = full_chain()
    data, _ = written(chain)

    mended = mend({**data, "ca.key": b"lost"}, RENEWAL, NOW)

    assert mended.authority != chain.authority
    assert chain.authority.certificate in mended.bundle
