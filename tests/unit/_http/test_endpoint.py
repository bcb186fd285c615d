import pytest

from kubewright._http.endpoint import Endpoint, Route, endpoint_of, proxy_of
from kubewright.errors import ConfigError


@pytest.mark.parametrize(
    ("url", "endpoint", "path"),
    [
        ("https://10.0.0.1:6443", Endpoint("https", "10.0.0.1", 6443, "10.0.0.1:6443"), ""),
        ("https://k8s.example", Endpoint("https", "k8s.example", 443, "k8s.example"), ""),
        ("http://localhost", Endpoint("http", "localhost", 80, "localhost"), ""),
        ("https://[::1]:6443/", Endpoint("https", "::1", 6443, "[::1]:6443"), ""),
        (
            "https://r.example/k8s/c/1/",
            Endpoint("https", "r.example", 443, "r.example"),
            "/k8s/c/1",
        ),
        ("https://h/a%2Fb/日 x", Endpoint("https", "h", 443, "h"), "/a%2Fb/%E6%97%A5%20x"),
        (
            "https://Büro.example:6443",
            Endpoint("https", "xn--bro-hoa.example", 6443, "xn--bro-hoa.example:6443"),
            "",
        ),
        ("https://[fe80::1%25eth0]:1", Endpoint("https", "fe80::1%eth0", 1, "[fe80::1]:1"), ""),
        ("https://[fe80::1%eth0]", Endpoint("https", "fe80::1%eth0", 443, "[fe80::1]"), ""),
    ],
)
def test_an_address_gives_server_and_path(url: str, endpoint: Endpoint, path: str) -> None:
    """Rancher and others serve a cluster under a path, and IPv6 comes in brackets.

    On the wire there is ASCII only, and the zone of an address is nobody else's business.
    """
    assert endpoint_of(url) == (endpoint, path)


@pytest.mark.parametrize(
    "url", ["", "10.0.0.1:6443", "ftp://host", "https://", "https://host:port", "https://[::1"]
)
def test_what_is_no_address_is_refused_by_name(url: str) -> None:
    """The user must see which of the addresses is wrong."""
    with pytest.raises(ConfigError, match="as a server address"):
        endpoint_of(url)


def test_an_error_about_an_address_hides_the_password() -> None:
    """Error messages end up in tickets."""
    with pytest.raises(ConfigError) as caught:
        proxy_of("socks5://user:secret@proxy:1080")

    assert "secret" not in str(caught.value)
    assert "proxy:1080" in str(caught.value)


def test_host_and_port_of_an_ipv6_address_keep_their_brackets() -> None:
    """Without them nobody can tell the port."""
    endpoint, _ = endpoint_of("https://[::1]")

    assert endpoint.host_port == "[::1]:443"


def test_the_user_of_a_proxy_becomes_basic_authorization() -> None:
    """A password with special signs is percent-encoded in the URL, and plain on the wire."""
    proxy = proxy_of("http://me:p%40ss@proxy.example:3128")

    assert proxy.authorization == "Basic bWU6cEBzcw=="
    assert proxy.endpoint == Endpoint("http", "proxy.example", 3128, "proxy.example:3128")


def test_a_route_names_its_proxy_but_not_the_password() -> None:
    """Half of all network trouble is the proxy, so errors name it."""
    endpoint, _ = endpoint_of("https://k8s.example")
    route = Route(endpoint, lambda: pytest.fail("not asked"), None, proxy_of("http://a:b@proxy"))

    assert str(route) == "https://k8s.example through http://proxy"


@pytest.mark.parametrize("url", ["https://b\u00fc..example", "https://h/\ud800"])
def test_what_has_no_form_on_the_wire_is_refused(url: str) -> None:
    """An error while it is encoded would come later, and show the headers of the request."""
    with pytest.raises(ConfigError, match="server address"):
        endpoint_of(url)


def test_a_proxy_does_not_show_its_password() -> None:
    """Base64 is no secret."""
    proxy = proxy_of("http://me:p%40ss@proxy.example:3128")

    assert repr(proxy) == "Proxy('http://proxy.example:3128', authorization=***)"
    assert "bWU6cEBzcw" not in repr(proxy.__rich_repr__())
