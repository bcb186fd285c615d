import asyncio
from datetime import timedelta

import pytest

from kubewright._pki.authority import Authority
from kubewright.api.meta import ObjectMeta
from kubewright.client import Client
from kubewright.errors import NotFoundError
from kubewright.kinds.core.v1 import Secret
from kubewright.webhook.certificates.chain import Chain, Renewal, certificates_in
from kubewright.webhook.certificates.secret import written
from kubewright.webhook.certificates.vault import Vault
from tests.unit.webhook.certificates.villages import SECRET, SHORT, Village, village

HOSTS = ("shop.default.svc",)


def renewal() -> Renewal:
    return Renewal("shop-ca", HOSTS, SHORT)


def open_vault(client: Client, namespace: str = "default", trusted: bytes = b"") -> Vault:
    async def read() -> bytes:
        return trusted

    return Vault(client, SECRET, namespace, renewal(), notice=SHORT.notice, trusted=read)


async def replace(town: Village, chain: Chain) -> None:
    data, annotations = written(chain)
    found = await town.secret()
    found.data, found.metadata.annotations = data, annotations
    await town.client.update(found)


async def test_those_who_begin_at_once_settle_on_one_chain() -> None:
    """The API server lets one of them create the Secret, and the others read it."""
    async with village() as town:
        vaults = [open_vault(town.client) for _ in range(8)]

        settling = [asyncio.create_task(one.settle(town.clock.now())) for one in vaults]
        await town.clock.advance(10)

        assert len({(await one).leaf.certificate for one in settling}) == 1
        assert all([await vault.is_current() for vault in vaults])


async def test_a_new_authority_waits_until_a_late_bundle_was_noticed() -> None:
    """It was announced long ago, but the bundles could be written only now."""
    async with village() as town:
        vault = open_vault(town.client)
        first = await vault.settle(town.clock.now())
        await town.clock.advance((SHORT.authority * 0.7).total_seconds())
        announced = await vault.settle(town.clock.now())
        assert announced.next is not None
        await town.clock.advance(2 * SHORT.overlap.total_seconds())

        vault.note_published(announced.bundle)
        assert (await vault.settle(town.clock.now())).authority == first.authority

        await town.clock.advance(SHORT.notice.total_seconds())
        assert vault.is_due(town.clock.now())
        assert (await vault.settle(town.clock.now())).authority == announced.next


async def test_a_secret_that_was_replaced_keeps_the_trust_in_what_is_shown() -> None:
    """A backup is restored: replicas show the certificate of another authority at that moment."""
    async with village() as town:
        vault = open_vault(town.client)
        shown = await vault.settle(town.clock.now())
        vault.note_published(shown.bundle)
        other = renewal().begin(town.clock.now())

        await replace(town, other)
        assert not await vault.is_current()
        found = await vault.settle(town.clock.now())

        assert found.leaf == other.leaf
        assert not vault.trusts(found)
        assert certificates_in(found.bundle) == [
            other.authority.certificate,
            shown.authority.certificate,
        ]


async def test_a_first_chain_trusts_what_clients_trust() -> None:
    """Replicas of another version may still show something else."""
    async with village() as town:
        theirs = Authority("theirs").certificate

        chain = await open_vault(town.client, trusted=theirs).settle(town.clock.now())

        assert theirs in chain.bundle
        assert chain.until == town.clock.now() + SHORT.grace


async def test_notes_and_data_of_others_stay() -> None:
    """Tools mark Secrets, too, and would write again and again."""
    async with village() as town:
        metadata = ObjectMeta(name=SECRET, namespace="default", annotations={"backup": "yes"})
        await town.client.create(Secret(metadata=metadata, data={"notes": b"mine"}))

        vault = open_vault(town.client)
        await vault.settle(town.clock.now())
        await vault.settle(town.clock.now() + timedelta(hours=2, minutes=30))

        found = await town.secret()
        assert found.data["notes"] == b"mine"
        assert (found.metadata.annotations or {})["backup"] == "yes"


async def test_a_namespace_that_is_not_there_is_an_error_at_once() -> None:
    """Trying ten times would hide it for seconds."""
    async with village() as town:
        with pytest.raises(NotFoundError, match="nowhere"):
            await open_vault(town.client, namespace="nowhere").settle(town.clock.now())
