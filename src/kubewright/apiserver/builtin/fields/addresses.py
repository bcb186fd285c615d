"""IP addresses and networks in fields, with Kubernetes' messages for invalid ones."""

import re
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors

Address = IPv4Address | IPv6Address

_BAD_IP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
_BAD_CIDR = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
_LEADING_ZEROS = re.compile(r"\b0+(?=\d)")


def parse(text: str) -> Address | None:
    """Return the address, or ``None``; leading zeros are accepted, as old Go versions did."""
    if "%" in text:  # Python accepts a zone, Go does not
        return None
    try:
        found = ip_address(text if ":" in text else _LEADING_ZEROS.sub("", text))
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found


def _strictly(text: str) -> Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None


def address(text: str, path: str) -> Errors:
    """Return what is wrong with an IP address."""
    if parse(text) is None:
        return [field.invalid(path, text, _BAD_IP)]
    found = _strictly(text)
    if found is None:
        return [field.invalid(path, text, "must not have leading 0s")]
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        return [field.invalid(path, text, "must not be an IPv4-mapped IPv6 address")]
    return []


def canonical_address(text: str, path: str) -> Errors:
    """Return what is wrong with an IP address that must be in canonical form."""
    if found := address(text, path):
        return found
    canonical = str(parse(text))
    if text == canonical:
        return []
    return [field.invalid(path, text, f'must be in canonical form ("{canonical}")')]


def network(text: str, path: str) -> Errors:
    """Return what is wrong with a network such as ``10.9.8.0/24``."""
    ip, slash, length = text.partition("/")
    parsed = parse(ip)
    if parsed is None or not slash or not re.fullmatch(r"\d+", length):
        return [field.invalid(path, text, _BAD_CIDR)]
    if int(length) > (128 if ":" in ip else 32):
        return [field.invalid(path, text, _BAD_CIDR)]
    if _strictly(ip) is None or length != str(int(length)):
        why = "must not have leading 0s in IP or prefix length"
        return [field.invalid(path, text, why)]
    strict = ip_address(ip)
    if isinstance(strict, IPv6Address) and strict.ipv4_mapped is not None:
        return [field.invalid(path, text, "must not have an IPv4-mapped IPv6 address")]
    if ip_network(text, strict=False).network_address != strict:
        return [field.invalid(path, text, "must not have bits set beyond the prefix length")]
    return []


def endpoint(text: str, path: str, *, loopback: bool = False) -> Errors:
    """Return what is wrong with an address that traffic is sent to.

    Args:
        text: The address.
        path: The path of the field.
        loopback: Whether loopback addresses are allowed.
    """
    ip = parse(text)
    if ip is None:
        return [field.invalid(path, text, "must be a valid IP address")]
    found: Errors = []
    if ip.is_unspecified:
        found.append(field.invalid(path, text, f"may not be unspecified ({text})"))
    if ip.is_loopback and not loopback:
        why = "may not be in the loopback range (127.0.0.0/8, ::1/128)"
        found.append(field.invalid(path, text, why))
    if ip.is_link_local:
        why = "may not be in the link-local range (169.254.0.0/16, fe80::/10)"
        found.append(field.invalid(path, text, why))
    if _is_link_local_multicast(ip):
        why = "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"
        found.append(field.invalid(path, text, why))
    return found


def _is_link_local_multicast(ip: Address) -> bool:
    packed = ip.packed
    if isinstance(ip, IPv4Address):
        return packed[:3] == bytes((224, 0, 0))
    return packed[0] == 0xFF and packed[1] & 0x0F == 2  # noqa: PLR2004  # link-local scope
