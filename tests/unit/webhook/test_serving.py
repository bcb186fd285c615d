from pathlib import Path

import pytest

from kubewright.errors import ConfigError
from kubewright.webhook.serving import WebhookServing


def test_the_defaults_are_those_of_controller_runtime() -> None:
    """Manifests made for an operator in Go fit."""
    serving = WebhookServing()

    assert (serving.host, serving.port) == ("", 9443)
    assert (serving.cert_name, serving.cert_key) == ("tls.crt", "tls.key")
    assert serving.cert_path is serving.client_ca is None
    assert not serving.install


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_that_cannot_be_is_refused(port: int) -> None:
    """Before anything is started."""
    with pytest.raises(ConfigError, match=f"webhook_port: {port} is no port; use 1 to 65535"):
        WebhookServing(port=port)


def test_any_free_port_will_not_do_where_api_servers_must_know_it() -> None:
    """They would be told to call port 0."""
    with pytest.raises(ConfigError, match="webhook_port: API servers must know the port"):
        WebhookServing(port=0, install=True)

    assert WebhookServing(port=0).port == 0


@pytest.mark.parametrize(
    "url",
    [
        "https://10.0.0.5:9443",
        "https://[fd00::5]:9443",
        "https://hooks.example.com",
        "https://hooks.example.com/shops/",
    ],
)
def test_a_url_that_api_servers_can_call_is_taken(url: str) -> None:
    """With a path, if a proxy in between wants one."""
    assert WebhookServing(url=url).url == url


@pytest.mark.parametrize(
    "url",
    [
        "10.0.0.5:9443",
        "http://10.0.0.5:9443",
        "HTTPS://10.0.0.5:9443",
        "https://",
        "https://:9443",
        "https://10.0.0.5:0",
        "https://10.0.0.5:70000",
        "https://10.0.0.5:port",
        "https://[fd00::5",
        "https://me@10.0.0.5",
        "https://:secret@10.0.0.5",
        "https://10.0.0.5?",
        "https://10.0.0.5?a=b",
        "https://10.0.0.5#",
        "https://10.0.0.5#here",
        " https://10.0.0.5",
        "https://10.0.0.5\n",
        "https://10.0.0. 5",
    ],
)
def test_a_url_that_api_servers_cannot_call_is_refused(url: str) -> None:
    """They would refuse the whole configuration, or call something else than was meant."""
    with pytest.raises(ConfigError, match=r"webhook_url: API servers cannot call .* such as"):
        WebhookServing(url=url)


# --- What was left out ---


def test_names_come_from_the_operator() -> None:
    """Several operators in one namespace do not share a Secret or a Service."""
    named = WebhookServing().named("shops", "prod")

    assert named.service == "shops-webhook-service"
    assert named.secret == "shops-webhook-server-cert"
    assert named.namespace == "prod"


def test_names_that_were_given_stay() -> None:
    """A chart has names of its own."""
    given = WebhookServing(service="hooks", secret="pair", namespace="system", drain=1.5)

    assert given.named("shops", "prod") == given


def test_a_service_has_no_dots_in_its_name() -> None:
    """Kubernetes refuses them there, though not in the name of an operator."""
    named = WebhookServing().named("shops.example.com", "prod")

    assert named.service == "shops-example-com-webhook-service"
    assert named.secret == "shops.example.com-webhook-server-cert"


@pytest.mark.parametrize(
    ("given", "drain"),
    [
        (WebhookServing(), 5.0),
        (WebhookServing(url="https://10.0.0.5:9443"), 0.0),
        (WebhookServing(drain=0.0), 0.0),
        (WebhookServing(url="https://10.0.0.5:9443", drain=2.0), 2.0),
    ],
)
def test_only_behind_a_service_is_there_something_to_wait_for(
    given: WebhookServing, drain: float
) -> None:
    """Nodes send connections to a pod that ends until they hear of it; a URL knows no other."""
    assert given.named("shops", "prod").drain == drain


def test_the_rest_is_kept() -> None:
    """A file with authorities that got lost on the way would open the server to everybody."""
    given = WebhookServing(host="10.0.0.5", port=1234, client_ca=Path("ca.crt"), install=True)

    named = given.named("shops", "prod")

    assert (named.host, named.port) == ("10.0.0.5", 1234)
    assert named.client_ca == Path("ca.crt")
    assert named.install


# --- How it is reached ---


def test_the_certificate_is_for_the_names_of_the_service() -> None:
    """API servers use the first one; people use the others."""
    named = WebhookServing().named("shops", "prod")

    assert named.hosts == (
        "shops-webhook-service.prod.svc",
        "shops-webhook-service.prod.svc.cluster.local",
        "shops-webhook-service.prod",
        "shops-webhook-service",
    )


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://10.0.0.5:9443", "10.0.0.5"),
        ("https://[FD00::5]:9443", "fd00::5"),
        ("https://Hooks.example.com/shops", "hooks.example.com"),
    ],
)
def test_the_certificate_is_for_the_host_of_the_url_too(url: str, host: str) -> None:
    """Both ways may be used at once, while somebody develops."""
    named = WebhookServing(url=url).named("shops", "prod")

    assert named.hosts[0] == host
    assert "shops-webhook-service.prod.svc" in named.hosts
    assert WebhookServing(url=url).hosts == (host,)


def test_without_a_name_there_are_no_hosts() -> None:
    """Nobody may make a certificate for a Service without a name."""
    assert WebhookServing().hosts == ()


def test_a_path_is_called_by_way_of_the_service() -> None:
    """As the manifests of a release say it."""
    client = WebhookServing().named("shops", "prod").client("/convert")

    assert client.document() == {
        "service": {"name": "shops-webhook-service", "namespace": "prod", "path": "/convert"}
    }


def test_without_names_it_is_the_service_that_kustomize_renames() -> None:
    """Such as kubebuilder's projects have it."""
    client = WebhookServing().client("/convert")

    assert client.document() == {
        "service": {"name": "webhook-service", "namespace": "system", "path": "/convert"}
    }


@pytest.mark.parametrize("url", ["https://10.0.0.5:9443/shops", "https://10.0.0.5:9443/shops/"])
def test_a_path_follows_that_of_the_url(url: str) -> None:
    """Two slashes in a row are another path."""
    client = WebhookServing(url=url).named("shops", "prod").client("/convert")

    assert client.document() == {"url": "https://10.0.0.5:9443/shops/convert"}
