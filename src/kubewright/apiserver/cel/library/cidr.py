"""IP addresses and networks: ``ip('10.0.0.1')``, ``cidr('10.0.0.0/8').containsIP(...)``."""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

from kubewright.apiserver.cel.celtype import Type
from kubewright.apiserver.cel.declarations import Overload, declare
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.values import TYPES
from kubewright.apiserver.meta.field import quoted

Address = IPv4Address | IPv6Address
_IP = "net.IP"
_CIDR = "net.CIDR"
_GROUPS = 8
_HEX = re.compile(r"[0-9A-Fa-f]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Prefix:
    """A network; its address keeps the host bits."""

    address: Address
    bits: int

    def __str__(self) -> str:
        return f"{self.address}/{self.bits}"

    def holds(self, address: Address) -> bool:
        """Return whether *address* is in the network."""
        if address.version != self.address.version:
            return False
        shift = address.max_prefixlen - self.bits
        return int(address) >> shift == int(self.address) >> shift

    def masked(self) -> "Prefix":
        """Return the network with the host bits cleared."""
        network = ip_network(str(self), strict=False)
        return Prefix(network.network_address, self.bits)


TYPES[IPv4Address] = TYPES[IPv6Address] = Type("opaque", _IP)
TYPES[Prefix] = Type("opaque", _CIDR)


def _problem(text: str) -> str:  # noqa: PLR0911  # one answer for each kind
    """Return Go's message for a text that is not an IP address."""
    start = f"ParseAddr({quoted(text)}): "
    first = next((char for char in text if char in ".:%"), "")
    if first == ":":
        return start + _ipv6_problem(text)
    if not first:
        return f"{start}unable to parse IP"
    if first == "%":
        return f"{start}missing IPv6 address"
    fields = text.split(".")
    for field in fields:
        if not field:
            return f"{start}IPv4 field must have at least one digit"
        if not (field.isascii() and field.isdigit()):
            return f"{start}unexpected character (at {quoted(text[text.index(field) :])})"
        if field[0] == "0" and len(field) > 1:
            return f"{start}IPv4 field has octet with leading zero"
        if int(field[:4]) > 255:  # noqa: PLR2004  # a byte
            return f"{start}IPv4 field has value >255"
    short = len(fields) < 4  # noqa: PLR2004  # an IPv4 address has four fields
    return f"{start}IPv4 address too {'short' if short else 'long'}"


def _ipv6_problem(text: str) -> str:  # noqa: C901, PLR0911  # one answer for each fault
    """Walk through the groups as Go does, to report the same problem."""
    rest, groups, gap = text, 0, False
    if rest.startswith("::"):
        rest, gap = rest[2:], True
    while rest and groups < _GROUPS:
        digits = _HEX.match(rest)
        assert digits is not None
        if len(digits[0]) > 4:  # noqa: PLR2004  # digits of a group
            return f"each group must have 4 or less digits (at {quoted(rest)})"
        if not digits[0]:
            return f"each colon-separated field must have at least one digit (at {quoted(rest)})"
        groups += 1
        rest = rest[digits.end() :]
        if not rest:
            break
        if not rest.startswith(":"):
            return f"unexpected character, want colon (at {quoted(rest)})"
        if len(rest) == 1:
            return f"colon must be followed by more characters (at {quoted(rest)})"
        rest = rest[1:]
        if rest.startswith(":"):
            if gap:
                return f"multiple :: in address (at {quoted(rest)})"
            rest, gap = rest[1:], True
    if rest:
        return f"trailing garbage after address (at {quoted(rest)})"
    return (
        "address string too short"
        if groups < _GROUPS
        else "the :: must expand to at least one field of zeros"
    )


def _address(text: str) -> Address:
    try:
        address = ip_address(text)
    except ValueError:
        shown = f"IP Address {quoted(text)} parse error during conversion from string"
        raise EvaluationError(f"{shown}: {_problem(text)}") from None
    if isinstance(address, IPv6Address):
        if address.scope_id:
            raise EvaluationError(f"IP address {quoted(text)} with zone value is not allowed")
        if address.ipv4_mapped is not None:
            raise EvaluationError(f"IPv4-mapped IPv6 address {quoted(text)} is not allowed")
    return address


def _prefix(text: str) -> Prefix:
    start = "network address parse error during conversion from string: "
    failed = f"{start}{start}netip.ParsePrefix({quoted(text)}): "
    head, slash, bits = text.rpartition("/")
    if not slash:
        raise EvaluationError(f"{failed}no '/'")
    try:
        address = ip_address(head)
    except ValueError:
        raise EvaluationError(f"{failed}{_problem(head)}") from None
    if isinstance(address, IPv6Address) and address.scope_id:
        raise EvaluationError(f"{failed}IPv6 zones cannot be present in a prefix")
    plain = bits.isascii() and bits.isdigit() and (len(bits) == 1 or bits[0] != "0")
    if not plain:
        raise EvaluationError(f"{failed}bad bits after slash: {quoted(bits)}")
    if len(bits) > 3 or int(bits) > address.max_prefixlen:  # noqa: PLR2004  # no prefix length has more digits
        raise EvaluationError(f"{failed}prefix length out of range")
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        raise EvaluationError(f"{start}IPv4-mapped IPv6 address {quoted(text)} is not allowed")
    return Prefix(address, int(bits))


def _parses(parse: Any) -> Any:
    def check(text: str) -> bool:
        try:
            parse(text)
        except EvaluationError:
            return False
        return True

    return check


def _is_link_local_multicast(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return int(address) >> 8 == 0xE00000  # noqa: PLR2004  # 224.0.0.0/24
    return int(address) >> 112 & 0xFF0F == 0xFF02  # noqa: PLR2004  # ff02::/16 with any flags


def _is_global_unicast(address: Address) -> bool:
    if isinstance(address, IPv4Address) and int(address) == 2**32 - 1:
        return False
    return not (
        address.is_unspecified
        or address.is_loopback
        or address.is_multicast
        or address.is_link_local
    )


def _contains_ip(network: Prefix, address: Any) -> bool:
    return network.holds(_address(address) if isinstance(address, str) else address)


def _contains_cidr(network: Prefix, other: Any) -> bool:
    inner = _prefix(other) if isinstance(other, str) else other
    return network.bits <= inner.bits and network.holds(inner.address)


declare(
    {
        "ip": [
            Overload("string_to_ip", f"(string) -> {_IP}", _address),
            Overload("cidr_ip", f"{_CIDR}.() -> {_IP}", lambda network: network.address),
        ],
        "isIP": [Overload("is_ip", "(string) -> bool", _parses(_address))],
        "ip.isCanonical": [
            Overload(
                "ip_is_canonical", "(string) -> bool", lambda text: str(_address(text)) == text
            )
        ],
        "family": [Overload("ip_family", f"{_IP}.() -> int", lambda address: address.version)],
        "isUnspecified": [
            Overload("ip_is_unspecified", f"{_IP}.() -> bool", lambda ip: ip.is_unspecified)
        ],
        "isLoopback": [Overload("ip_is_loopback", f"{_IP}.() -> bool", lambda ip: ip.is_loopback)],
        "isLinkLocalMulticast": [
            Overload("ip_is_link_local_multicast", f"{_IP}.() -> bool", _is_link_local_multicast)
        ],
        "isLinkLocalUnicast": [
            Overload("ip_is_link_local_unicast", f"{_IP}.() -> bool", lambda ip: ip.is_link_local)
        ],
        "isGlobalUnicast": [
            Overload("ip_is_global_unicast", f"{_IP}.() -> bool", _is_global_unicast)
        ],
        "cidr": [Overload("string_to_cidr", f"(string) -> {_CIDR}", _prefix)],
        "isCIDR": [Overload("is_cidr", "(string) -> bool", _parses(_prefix))],
        "containsIP": [
            Overload("cidr_contains_ip_string", f"{_CIDR}.(string) -> bool", _contains_ip),
            Overload("cidr_contains_ip_ip", f"{_CIDR}.({_IP}) -> bool", _contains_ip),
        ],
        "containsCIDR": [
            Overload("cidr_contains_cidr_string", f"{_CIDR}.(string) -> bool", _contains_cidr),
            Overload("cidr_contains_cidr", f"{_CIDR}.({_CIDR}) -> bool", _contains_cidr),
        ],
        "prefixLength": [
            Overload("cidr_prefix_length", f"{_CIDR}.() -> int", lambda network: network.bits)
        ],
        "masked": [Overload("cidr_masked", f"{_CIDR}.() -> {_CIDR}", Prefix.masked)],
        "string": [
            Overload("ip_to_string", f"({_IP}) -> string", str),
            Overload("cidr_to_string", f"({_CIDR}) -> string", str),
        ],
    }
)
