import pytest

from kubewright._serve.messages import Response
from kubewright.embedded.kubelet.upgrade import Agreed, agree, is_upgrade
from kubewright.embedded.node.access import AccessError
from tests.unit.embedded.kubelet.wires import SPDY, WEBSOCKET

OURS = ("v5.channel.k8s.io", "v4.channel.k8s.io", "")
SPDYS = ("v4.channel.k8s.io", "channel.k8s.io")


def asked(headers: dict[str, str]) -> Agreed | Response:
    return agree(headers, websockets=OURS, spdy=SPDYS)


def test_the_best_that_both_speak_is_chosen() -> None:
    """The client's order counts, as Kubernetes has it."""
    offer = {"sec-websocket-protocol": "v9.channel.k8s.io, v5.channel.k8s.io, v4.channel.k8s.io"}
    versions = {"x-stream-protocol-version": "v5.channel.k8s.io, v4.channel.k8s.io"}

    first, second = asked(WEBSOCKET | offer), asked(SPDY | versions)

    assert isinstance(first, Agreed)
    assert (first.carrier, first.protocol) == ("websocket", "v5.channel.k8s.io")
    assert isinstance(second, Agreed)
    assert (second.carrier, second.protocol) == ("spdy", "v4.channel.k8s.io")
    assert dict(second.headers)["X-Stream-Protocol-Version"] == "v4.channel.k8s.io"


def test_clients_that_name_no_protocol_are_of_the_first_ones() -> None:
    """They get the oldest dialect, and no header that they would not know."""
    found = [asked(WEBSOCKET), asked(SPDY)]

    assert [one.protocol for one in found if isinstance(one, Agreed)] == ["", ""]


def test_who_speaks_nothing_that_we_do_learns_what_we_do() -> None:
    """By the header that clients of SPDY read."""
    answer = asked({**SPDY, "x-stream-protocol-version": "v9.channel.k8s.io"})

    assert isinstance(answer, Response)
    assert answer.status == 403
    assert [value for _, value in answer.headers] == list(SPDYS)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"connection": "Upgrade", "upgrade": "h2c"},
        {**WEBSOCKET, "sec-websocket-version": "8"},
        {**WEBSOCKET, "sec-websocket-protocol": "v9.channel.k8s.io"},
    ],
)
def test_what_is_no_upgrade_of_ours_is_a_bad_request(headers: dict[str, str]) -> None:
    """Such as `kubectl get --raw .../exec`."""
    with pytest.raises(AccessError) as caught:
        asked(headers)

    assert caught.value.code == 400


def test_an_upgrade_is_asked_for_by_two_headers() -> None:
    """One alone is what a proxy left over."""
    assert is_upgrade(SPDY)
    assert not is_upgrade({"upgrade": "SPDY/3.1"})
