from kubewright.application.diagnosis import CHECKS, Patient, examine, greet
from kubewright.client import Client
from kubewright.testing import EmbeddedServer


async def patient(client: Client) -> Patient:
    """Return a cluster without an operator."""
    greeting = await greet(client)
    return Patient(client, version=greeting.version, ahead=greeting.ahead)


async def test_an_empty_cluster_is_healthy() -> None:
    """Without an operator, the cluster alone is looked at."""
    async with EmbeddedServer() as server, server.client() as client:
        found = await examine(await patient(client), CHECKS)

    assert found.findings == ()
    assert found.checks == len(CHECKS)


async def test_whoever_may_see_nothing_is_told_so_and_no_more() -> None:
    """A user with few rights gets hints, and not a list of made-up faults."""
    async with EmbeddedServer() as server, server.client(server.add_user("nobody")) as client:
        found = await examine(await patient(client), CHECKS)

    assert found.is_healthy
    assert {one.severity.value for one in found.findings} == {"info"}
    assert all("you may not list" in one.what for one in found.findings)


def test_every_check_has_a_name_of_its_own() -> None:
    """Hints name the check that could not look."""
    names = [one.name for one in CHECKS]

    assert len(set(names)) == len(names)
