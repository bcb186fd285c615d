import pytest

from kubewright.embedded.node.addresses import Addresses
from kubewright.errors import ConfigError


def test_each_pod_has_an_address_of_its_own() -> None:
    """Two pods can listen on one port."""
    addresses = Addresses("127.1.0.0/24")

    assert [addresses.take() for _ in range(3)] == ["127.1.0.1", "127.1.0.2", "127.1.0.3"]
    assert addresses.cidr == "127.1.0.0/24"


def test_an_address_that_was_given_back_is_the_last_to_be_taken_again() -> None:
    """Somebody may still talk to it."""
    addresses = Addresses("127.1.0.0/29")
    first = addresses.take()
    addresses.give_back(first)

    assert [addresses.take() for _ in range(6)][-1] == first


def test_a_pod_keeps_its_address_if_nobody_has_it() -> None:
    """After a restart of the node, those who knew it still reach it."""
    addresses = Addresses("127.1.0.0/24")

    assert addresses.take("127.1.0.9") == "127.1.0.9"
    assert addresses.take("127.1.0.9") == "127.1.0.1"
    assert addresses.take("10.0.0.1") == "127.1.0.2"


def test_a_full_range_says_so() -> None:
    """A pod then waits, with an event."""
    addresses = Addresses("127.1.0.0/30")
    addresses.take()
    addresses.take()

    with pytest.raises(OSError, match="no address is left for a pod"):
        addresses.take()


@pytest.mark.parametrize("cidr", ["nonsense", "127.1.0.1/24", "127.1.0.0/31"])
def test_what_is_no_range_is_refused(cidr: str) -> None:
    """At the start, not when the first pod comes."""
    with pytest.raises(ConfigError, match=cidr):
        Addresses(cidr)
