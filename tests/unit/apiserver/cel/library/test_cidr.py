"""IP addresses and networks in expressions."""

import pytest

from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.program import compile_rule

IP = 'IP Address "{0}" parse error during conversion from string: ParseAddr("{0}"): '
CIDR = "network address parse error during conversion from string: "


@pytest.mark.parametrize(
    "source",
    [
        "ip('10.0.0.1').family() == 4 && ip('::1').family() == 6 && string(ip('::1')) == '::1'",
        "isIP('1.2.3.4') && !isIP('1.2.3') && !isIP('::ffff:1.2.3.4') && !isIP('fe80::1%eth0')",
        "ip.isCanonical('10.0.0.1') && !ip.isCanonical('::0:1')",
        "ip('127.0.0.1').isLoopback() && ip('::').isUnspecified() && type(ip('::')) == net.IP",
        "ip('169.254.0.1').isLinkLocalUnicast() && ip('ff02::1').isLinkLocalMulticast()",
        "ip('8.8.8.8').isGlobalUnicast() && !ip('255.255.255.255').isGlobalUnicast()",
        "cidr('10.0.0.0/8').containsIP('10.1.2.3') && !cidr('10.0.0.0/8').containsIP(ip('::1'))",
        "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')",
        "!cidr('10.0.0.0/8').containsCIDR(cidr('0.0.0.0/0'))",
        "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')",
        "cidr('10.1.2.3/8').prefixLength() == 8",
        "cidr('10.1.2.3/8').ip() == ip('10.1.2.3') && string(cidr('::1/64')) == '::1/64'",
    ],
)
def test_claims_about_addresses_and_networks_hold(source: str) -> None:
    """Each of these is true on the server."""
    assert compile_rule(source, {}).evaluate({}) is True


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("ip('abc')", IP.format("abc") + "unable to parse IP"),
        ("ip('1.2.3')", IP.format("1.2.3") + "IPv4 address too short"),
        ("ip('01.2.3.4')", IP.format("01.2.3.4") + "IPv4 field has octet with leading zero"),
        ("ip('1::2::3')", IP.format("1::2::3") + 'multiple :: in address (at ":3")'),
        ("ip('::ffff:1.2.3.4')", 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed'),
        ("cidr('10.0.0.0')", f"{CIDR}{CIDR}netip.ParsePrefix(\"10.0.0.0\"): no '/'"),
        ("cidr('10.0.0.0/33')", "prefix length out of range"),
    ],
)
def test_what_is_no_such_value_is_refused(source: str, text: str) -> None:
    """The texts are the server's."""
    with pytest.raises(EvaluationError) as caught:
        compile_rule(source, {}, result=None).evaluate({})

    assert text in str(caught.value)
