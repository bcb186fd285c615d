import pytest

from kubewright.apiserver.builtin.fields import addresses
from kubewright.apiserver.meta.field import Errors


def texts(errors: Errors) -> str:
    return "; ".join(error.text for error in errors)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("10.0.0.1", ""),
        ("2001:db8::1", ""),
        ("2001:DB8:0::1", ""),
        ("10.0.0.01", "must not have leading 0s"),
        ("::ffff:10.0.0.1", "must not be an IPv4-mapped IPv6 address"),
        ("10.0.0", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
        ("fe80::1%eth0", "must be a valid IP address"),
        ("", "must be a valid IP address"),
    ],
)
def test_an_address_is_checked_strictly(text: str, problem: str) -> None:
    """Different programs read sloppy addresses as different ones."""
    found = texts(addresses.address(text, "ip"))

    assert problem in found
    assert bool(problem) == bool(found)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("10.0.0.0/8", ""),
        ("2001:db8::/32", ""),
        ("10.0.0.1/8", "must not have bits set beyond the prefix length"),
        ("10.0.0.0/08", "must not have leading 0s in IP or prefix length"),
        ("::ffff:10.0.0.0/104", "must not have an IPv4-mapped IPv6 address"),
        ("10.0.0.0/33", "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"),
        ("10.0.0.0", "must be a valid CIDR value"),
        ("x/8", "must be a valid CIDR value"),
    ],
)
def test_a_network_is_checked_strictly(text: str, problem: str) -> None:
    """It names a network and no host."""
    found = texts(addresses.network(text, "cidr"))

    assert problem in found
    assert bool(problem) == bool(found)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("10.0.0.1", ""),
        ("0.0.0.0", "may not be unspecified (0.0.0.0)"),
        ("127.0.0.1", "may not be in the loopback range"),
        ("169.254.1.1", "may not be in the link-local range (169.254.0.0/16, fe80::/10)"),
        ("224.0.0.1", "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"),
        ("ff02::1", "may not be in the link-local multicast range"),
        ("x", "must be a valid IP address"),
    ],
)
def test_traffic_cannot_be_sent_everywhere(text: str, problem: str) -> None:
    """An endpoint on the node's own addresses would be a hole."""
    found = texts(addresses.endpoint(text, "ip"))

    assert problem in found
    assert bool(problem) == bool(found)


def test_there_is_one_right_way_to_write_an_address() -> None:
    """New fields require the canonical form."""
    found = texts(addresses.canonical_address("2001:DB8::1", "ip"))

    assert 'must be in canonical form ("2001:db8::1")' in found
