"""Which proxy a request goes through, by the rules that Go programs follow.

``HTTPS_PROXY`` and ``HTTP_PROXY`` name the proxy, ``NO_PROXY`` names hosts to reach directly.
Names in upper case win over those in lower case. Loopback is never proxied.
"""

import os
from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from kubewright.errors import ConfigError

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

    IPAddress = IPv4Address | IPv6Address

_DEFAULT_PORTS = {"http": 80, "https": 443}


def find_proxy(url: str, env: Mapping[str, str] | None = None) -> str | None:
    """Return the URL of the proxy for *url*, or None where the server is reached directly.

    Args:
        url: The URL of the server.
        env: The environment; this process's by default.

    Raises:
        ConfigError: The proxy is of a kind that is not supported, or not a URL.

    Example:
        >>> find_proxy("https://10.0.0.1:6443", {"HTTPS_PROXY": "proxy:3128"})
        'http://proxy:3128'
        >>> find_proxy("https://10.0.0.1", {"HTTPS_PROXY": "proxy:3128", "NO_PROXY": "10.0.0.0/8"})
    """
    env = os.environ if env is None else env
    parts = urlsplit(url)
    variable = f"{parts.scheme.upper()}_PROXY"
    found = env.get(variable) or env.get(variable.lower())
    if not found or parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        return None
    if variable == "HTTP_PROXY" and env.get("REQUEST_METHOD"):
        # In a CGI process HTTP_PROXY is the client's "Proxy:" header: an attacker chooses it.
        return None
    no_proxy = env.get("NO_PROXY") or env.get("no_proxy") or ""
    port = parts.port or _DEFAULT_PORTS[parts.scheme]
    if _is_direct(parts.hostname, port, no_proxy):
        return None
    return checked_proxy(found, f"the environment variable {variable}")


def checked_proxy(proxy: str, source: str) -> str:
    """Return *proxy* as a URL with a scheme; *source* says in errors where it was written.

    Raises:
        ConfigError: It is not a URL, or of an unsupported kind.
    """
    parts = _split(proxy, source)
    shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"  # without a password
    if parts.scheme.startswith("socks"):
        raise ConfigError(
            f"cannot use the proxy {shown} of {source}: SOCKS is not supported."
            " Use an http:// or https:// proxy."
        )
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        raise ConfigError(
            f"cannot use the proxy {shown} of {source}: it must be a URL such as"
            " http://proxy.example.com:3128."
        )
    return parts.geturl()


def _split(proxy: str, source: str) -> SplitResult:
    try:
        parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        _ = parts.port  # the property checks it
    except ValueError as error:
        raise ConfigError(
            f"cannot use the proxy of {source}: {error}."
            " It must be a URL such as http://proxy.example.com:3128."
        ) from error
    return parts


def _is_direct(host: str, port: int, no_proxy: str) -> bool:
    """Tell whether *host* is loopback or matches one of the comma-separated patterns."""
    host = _ascii(host.lower())
    address = _parse_address(host)
    if host == "localhost" or (address is not None and address.is_loopback):
        return True
    patterns = (pattern.strip().lower() for pattern in no_proxy.split(","))
    return any(_matches(pattern, host, port, address=address) for pattern in patterns if pattern)


def _matches(pattern: str, host: str, port: int, *, address: "IPAddress | None") -> bool:
    if pattern == "*":
        return True
    if "/" in pattern:
        return address is not None and _in_network(pattern, address)
    name, wanted_port = _split_port(pattern)
    if not name or (wanted_port and wanted_port != str(port)):
        return False
    wanted = _parse_address(name)
    if wanted is not None or address is not None:
        return wanted == address
    return _matches_domain(name, host)


def _matches_domain(name: str, host: str) -> bool:
    """Match ``foo.com`` with itself and its subdomains, ``.foo.com`` only with subdomains."""
    name = _ascii(name.removeprefix("*") if name.startswith("*.") else name)
    if name.startswith("."):
        return host.endswith(name)
    return host == name or host.endswith(f".{name}")


def _split_port(pattern: str) -> tuple[str, str]:
    if pattern.startswith("["):
        name, _, rest = pattern[1:].partition("]")
        return name, rest.removeprefix(":")
    if pattern.count(":") == 1:
        name, _, port = pattern.partition(":")
        return name, port
    return pattern, ""


def _in_network(pattern: str, address: "IPAddress") -> bool:
    try:
        return address in ip_network(pattern, strict=False)
    except ValueError:
        return False


def _parse_address(text: str) -> "IPAddress | None":
    try:
        address = ip_address(text)
    except ValueError:
        return None
    mapped = getattr(address, "ipv4_mapped", None)  # ::ffff:10.0.0.1 is 10.0.0.1
    return mapped or address


def _ascii(host: str) -> str:
    if host.isascii():
        return host
    try:
        return ".".join(part.encode("idna").decode() if part else "" for part in host.split("."))
    except UnicodeError:
        return host
