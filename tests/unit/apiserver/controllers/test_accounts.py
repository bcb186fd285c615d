"""Every namespace has its default account."""

from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import ask, make, named, settled

NAMESPACES = "/api/v1/namespaces"


async def accounts(server: APIServer, namespace: str) -> list[str]:
    await settled(200)
    return (await ask(server, "GET", f"{NAMESPACES}/{namespace}/serviceaccounts")).names


async def test_each_namespace_gets_an_account_and_gets_it_again(server: APIServer) -> None:
    """Those that were there, those that come, and after a deletion."""
    await make(server, NAMESPACES, "new")

    assert await accounts(server, "kube-system") == await accounts(server, "new") == ["default"]
    await ask(server, "DELETE", f"{NAMESPACES}/new/serviceaccounts/default")
    assert await accounts(server, "new") == ["default"]


async def test_a_namespace_that_ends_gets_none(server: APIServer) -> None:
    """Or it would never be empty."""
    await make(server, NAMESPACES, "n")
    await make(server, f"{NAMESPACES}/n/configmaps", named("held", finalizers=["x.io/y"]))
    await settled(200)

    await ask(server, "DELETE", f"{NAMESPACES}/n")

    assert await accounts(server, "n") == []
