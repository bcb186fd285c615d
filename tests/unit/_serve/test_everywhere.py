import pytest

from kubewright._serve.everywhere import listen_everywhere, pod_address
from kubewright._serve.server import HTTPServer
from kubewright.errors import ConfigError
from tests.unit._serve.clients import Scripted, echo, serving

HERE = "127.0.0.1"
NOT_HERE = "203.0.113.1"  # binding to it fails as binding to IPv6 does where there is none


class Machine:
    """Makes servers, on an address of the test for each that is asked for."""

    def __init__(self, port: int = 0, **places: str) -> None:
        self.asked: list[str] = []
        self._port = port
        self._places = {"::": places.get("ipv6", HERE), "0.0.0.0": places.get("ipv4", HERE)}

    def make(self, host: str) -> HTTPServer:
        self.asked.append(host)
        return HTTPServer(Scripted(echo), host=self._places.get(host, host), port=self._port)


async def test_no_host_means_one_socket_for_all_addresses() -> None:
    """A second one for IPv4 could not have the same port."""
    machine = Machine()

    server = await listen_everywhere(machine.make, "")
    await server.stop()

    assert machine.asked == ["::"]


async def test_a_machine_without_ipv6_is_asked_for_ipv4() -> None:
    """Many a cluster has none, and a server must start there all the same."""
    machine = Machine(ipv6=NOT_HERE)

    server = await listen_everywhere(machine.make, "")
    url = server.url
    await server.stop()

    assert machine.asked == ["::", "0.0.0.0"]
    assert url.startswith(f"http://{HERE}:")


async def test_a_host_that_is_named_is_not_replaced_by_everywhere() -> None:
    """What was meant for one network would be open to all."""
    machine = Machine()

    with pytest.raises(ConfigError, match="Choose an address of this machine"):
        await listen_everywhere(machine.make, NOT_HERE)

    assert machine.asked == [NOT_HERE]


async def test_a_port_that_is_taken_is_not_looked_for_elsewhere() -> None:
    """The program that has it would get half of the requests."""
    async with serving() as (taken, _):
        machine = Machine(taken.address[1])

        with pytest.raises(ConfigError, match=r"in use\. Choose another port"):
            await listen_everywhere(machine.make, "")

    assert machine.asked == ["::"]


async def test_a_machine_with_neither_says_so() -> None:
    """The last reason is the one that can be helped."""
    machine = Machine(ipv6=NOT_HERE, ipv4=NOT_HERE)

    with pytest.raises(ConfigError, match="cannot listen on"):
        await listen_everywhere(machine.make, "")

    assert machine.asked == ["::", "0.0.0.0"]


async def test_in_a_pod_without_a_container_everywhere_is_the_pod(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two replicas listen at one port of one machine, and so do a pod and the next one."""
    monkeypatch.setenv("KUBEWRIGHT_ROOT", "/pods/a/root")
    monkeypatch.setenv("POD_IP", HERE)
    machine = Machine()

    server = await listen_everywhere(machine.make, "")
    await server.stop()

    assert machine.asked == [HERE]


def test_in_a_container_a_variable_of_the_user_means_nothing() -> None:
    """There, every address is the right thing to listen at."""
    assert pod_address({"POD_IP": "10.0.0.1"}) == ""
    assert pod_address({}) == ""
