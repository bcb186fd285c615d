"""Secrets with tokens of service accounts."""

from base64 import b64decode

from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import Obj, ask, make, named, settled

HERE = "/api/v1/namespaces/default"
SECRETS = f"{HERE}/secrets"
NAME = "kubernetes.io/service-account.name"


def secret(account: str = "robot") -> Obj:
    wanted = named("s", annotations={NAME: account})
    return {**wanted, "type": "kubernetes.io/service-account-token"}


async def shown(server: APIServer) -> dict[str, str]:
    """Return what is in the Secret, in plain text."""
    await settled(200)
    found = (await ask(server, "GET", f"{SECRETS}/s")).obj
    return {key: b64decode(text).decode() for key, text in (found.get("data") or {}).items()}


async def test_a_secret_gets_a_token_that_stands_for_the_account(server: APIServer) -> None:
    """For programs outside of the cluster, which nobody renews tokens for."""
    account = await make(server, f"{HERE}/serviceaccounts", "robot")
    await make(server, SECRETS, secret())

    found = await shown(server)

    verified = server.accounts.verify(found["token"])
    assert verified is not None
    assert verified.user.name == "system:serviceaccount:default:robot"
    assert found["namespace"] == "default"
    notes = (await ask(server, "GET", f"{SECRETS}/s")).obj["metadata"]["annotations"]
    assert notes["kubernetes.io/service-account.uid"] == account["metadata"]["uid"]


async def test_it_waits_for_its_account(server: APIServer) -> None:
    """Both may come from one manifest, in any order."""
    await make(server, SECRETS, secret())
    before = await shown(server)

    await make(server, f"{HERE}/serviceaccounts", "robot")

    assert before == {}
    assert "token" in await shown(server)


async def test_it_goes_with_its_account(server: APIServer) -> None:
    """Nobody else would delete it, and its token is void."""
    await make(server, f"{HERE}/serviceaccounts", "robot")
    await make(server, SECRETS, secret())
    await shown(server)

    await ask(server, "DELETE", f"{HERE}/serviceaccounts/robot")
    await settled(200)

    assert (await ask(server, "GET", f"{SECRETS}/s")).status == 404


async def test_the_root_certificate_is_added_when_it_is_published(server: APIServer) -> None:
    """And nothing is written again after that."""
    await make(server, f"{HERE}/serviceaccounts", "robot")
    await make(server, SECRETS, secret())
    first = await shown(server)

    await make(server, f"{HERE}/configmaps", {**named("kube-root-ca.crt"), "data": {"ca.crt": "C"}})

    found = await shown(server)
    revision = server.store.revision
    assert found == {**first, "ca.crt": "C"}
    await settled(200)
    assert server.store.revision == revision


async def test_other_secrets_are_left_alone(server: APIServer) -> None:
    """Even one that names an account."""
    await make(server, f"{HERE}/serviceaccounts", "robot")
    await make(server, SECRETS, {**secret(), "type": "Opaque"})

    assert await shown(server) == {}
