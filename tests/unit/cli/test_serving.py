import socket
from contextlib import closing

import pytest

import kubewright as kw
from kubewright.cli.serving import url_of_this_machine, way_out
from kubewright.errors import ConfigError
from tests.unit.webhook.conversion.shops import ShopV1, shop_conversion


def has_ipv6_loopback() -> bool:
    """Tell whether ``::1`` can be bound to."""
    try:
        with closing(socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.mark.parametrize("server", ["https://127.0.0.1:6443", "https://127.0.0.1"])
def test_the_url_has_the_address_that_the_server_sees(server: str) -> None:
    """Nobody knows by heart which of a laptop's addresses a cluster can reach."""
    assert url_of_this_machine(server, 9443) == "https://127.0.0.1:9443"


@pytest.mark.skipif(not has_ipv6_loopback(), reason="this machine has no IPv6")
def test_an_ipv6_address_is_in_brackets() -> None:
    """Its colons would else begin the port."""
    assert url_of_this_machine("https://[::1]:6443", 9443) == "https://[::1]:9443"


@pytest.mark.parametrize(
    "server",
    [
        "https://no.such.host.invalid:6443",
        "https://a..b:6443",
        f"https://{'long' * 20}.example.com",
        "https://127.0.0.1:99999",
        "nonsense",
    ],
)
def test_without_a_way_to_the_server_the_flag_is_named(server: str) -> None:
    """Whoever meets this has a strange network or a typo, and needs no stack trace."""
    with pytest.raises(ConfigError) as refused:
        url_of_this_machine(server, 9443)

    assert server in str(refused.value)
    assert "--webhook-url https://ADDRESS:PORT" in str(refused.value)


def test_a_port_that_is_not_known_yet_is_refused_by_its_own_name() -> None:
    """The complaint would else be about a URL that nobody wrote."""
    with pytest.raises(ConfigError, match=r"^webhook_port: API servers must know the port"):
        url_of_this_machine("https://127.0.0.1:6443", 0)


def test_the_way_out_undoes_all_that_was_registered() -> None:
    """Also the conversion: without it, nobody could even list or delete the objects."""
    operator = kw.Operator("shops")
    operator.validator(ShopV1)(lambda shop: None)
    operator.webhooks.conversions.append(shop_conversion())

    assert way_out(operator.webhooks) == (
        "kubectl delete validatingwebhookconfiguration shops-validating-webhook-configuration"
        " && kubectl patch crd shops.example.com --type=merge"
        """ -p '{"spec":{"conversion":{"strategy":"None","webhook":null}}}'"""
    )
