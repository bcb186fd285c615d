import pytest

from kubewright.client.proxy import checked_proxy, find_proxy
from kubewright.errors import ConfigError

SERVER = "https://api.example.com:6443"


def proxied(url: str, no_proxy: str) -> bool:
    """Say whether *url* goes through a proxy with that NO_PROXY."""
    env = {"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": no_proxy}
    return find_proxy(url, env) is not None


def test_https_proxy_serves_https_and_http_proxy_serves_http() -> None:
    """Go picks the variable by the scheme of the server, not of the proxy."""
    env = {"HTTP_PROXY": "http://plain:1", "HTTPS_PROXY": "http://secure:2"}

    assert find_proxy("http://a.example", env) == "http://plain:1"
    assert find_proxy("https://a.example", env) == "http://secure:2"
    assert find_proxy("https://a.example", {"HTTP_PROXY": "http://plain:1"}) is None


def test_capital_names_win_over_small_ones() -> None:
    """Both are in use; which wins must not be a matter of luck."""
    env = {"HTTPS_PROXY": "http://big:1", "https_proxy": "http://small:1"}

    assert find_proxy(SERVER, env) == "http://big:1"
    assert find_proxy(SERVER, {"https_proxy": "http://small:1"}) == "http://small:1"


def test_a_proxy_without_a_scheme_is_http() -> None:
    """``HTTPS_PROXY=proxy:3128`` is how most people write it."""
    assert find_proxy(SERVER, {"HTTPS_PROXY": "proxy:3128"}) == "http://proxy:3128"


@pytest.mark.parametrize(
    "url", ["https://localhost:6443", "https://127.0.0.1", "https://127.8.9.1", "https://[::1]:1"]
)
def test_loopback_is_never_proxied(url: str) -> None:
    """A proxy on another machine would reach its own loopback."""
    assert not proxied(url, "")


@pytest.mark.parametrize(
    ("url", "no_proxy", "direct"),
    [
        ("https://10.1.2.3", "10.0.0.0/8", True),
        ("https://11.1.2.3", "10.0.0.0/8", False),
        ("https://[fd00::1]", "fd00::/8", True),
        ("https://10.1.2.3", "10.1.2.3", True),
        ("https://[::ffff:10.1.2.3]", "10.1.2.3", True),
        ("https://10.1.2.3:6443", "10.1.2.3:6443", True),
        ("https://10.1.2.3:6443", "10.1.2.3:443", False),
        ("https://10.1.2.3", "10.1.2.3:443", True),
        ("https://[fd00::1]:6443", "[fd00::1]:6443", True),
        ("https://example.com", "example.com", True),
        ("https://api.example.com", "example.com", True),
        ("https://badexample.com", "example.com", False),
        ("https://api.example.com", ".example.com", True),
        ("https://example.com", ".example.com", False),
        ("https://api.example.com", "*.example.com", True),
        ("https://api.EXAMPLE.com", " a.b , Example.COM ", True),
        ("https://api.example.com:6443", "example.com:6443", True),
        ("https://api.example.com:6443", "example.com:443", False),
        ("https://api.example.com", "*", True),
        ("https://api.example.com", "10.0.0.0/8,,:80", False),
        ("https://10.1.2.3", "not/a/network", False),
        ("https://bücher.example", "xn--bcher-kva.example", True),
    ],
)
def test_no_proxy_follows_gos_rules(url: str, no_proxy: str, *, direct: bool) -> None:
    """We and kubectl must agree on what is reached directly, or only one of them works."""
    assert proxied(url, no_proxy) is not direct


def test_http_proxy_is_ignored_in_a_cgi_process() -> None:
    """There the variable is a header that the attacker of httpoxy sets."""
    env = {"HTTP_PROXY": "http://evil:1", "REQUEST_METHOD": "GET"}

    assert find_proxy("http://a.example", env) is None


def test_socks_is_refused_without_showing_the_password() -> None:
    """The message lands in logs."""
    with pytest.raises(ConfigError) as caught:
        find_proxy(SERVER, {"HTTPS_PROXY": "socks5://me:hunter2@proxy:1080"})

    assert str(caught.value) == (
        "cannot use the proxy socks5://proxy:1080 of the environment variable HTTPS_PROXY:"
        " SOCKS is not supported. Use an http:// or https:// proxy."
    )


@pytest.mark.parametrize("proxy", ["ftp://proxy:1", "http://", "http://proxy:99999", "http://[::1"])
def test_what_is_no_proxy_url_is_refused(proxy: str) -> None:
    """Going on without the proxy would look like a network fault."""
    with pytest.raises(ConfigError, match=r"[Ii]t must be a URL"):
        checked_proxy(proxy, "the test")
