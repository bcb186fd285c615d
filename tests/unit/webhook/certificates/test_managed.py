import asyncio
import logging
from datetime import datetime, timedelta

import pytest

from kubewright._aio import VirtualClock
from kubewright._pki.authority import Authority
from kubewright._pki.facts import CertificateFacts
from kubewright.api.meta import ObjectMeta
from kubewright.errors import ConfigError
from kubewright.kinds.core.v1 import Secret
from kubewright.testing.faults import Refused, Unreachable
from kubewright.webhook.certificates.chain import certificates_in
from kubewright.webhook.certificates.instruments import EXPIRY
from kubewright.webhook.certificates.managed import LONGEST
from kubewright.webhook.certificates.secret import OURS
from tests.unit._pki.handshakes import Connection
from tests.unit.webhook.certificates.villages import (
    HOST,
    SECRET,
    SHORT,
    Replica,
    install,
    village,
)


def shown(replica: Replica) -> bytes:
    serving = replica.certificate._serving
    assert serving is not None
    return serving.pair.certificate


# --- Made once ---


async def test_many_replicas_that_start_at_once_agree_on_one_certificate() -> None:
    """A Deployment starts them all together; each with its own would be refused by chance."""
    async with village() as town:
        replicas = await town.start(5)

        assert len({shown(replica) for replica in replicas}) == 1
        await town.call()
        assert not any(replica.certificate.problem() for replica in replicas)


async def test_a_restart_finds_what_was_there() -> None:
    """Every rollout would else ask API servers to trust somebody new."""
    async with village() as town:
        (first,) = await town.start()
        before = await town.secret()
        await first.stop()

        (second,) = await town.start()

        assert shown(second) == shown(first)
        assert (await town.secret()).metadata.resource_version == before.metadata.resource_version
        await town.call()


async def test_the_secret_is_of_the_shape_that_others_read() -> None:
    """Tools know what tls.crt, tls.key and ca.crt mean in a kubernetes.io/tls Secret."""
    async with village() as town:
        (replica,) = await town.start()

        found = await town.secret()

        assert found.type == "kubernetes.io/tls"
        assert set(found.data) == {"tls.crt", "tls.key", "ca.crt", "ca.key"}
        assert found.data["ca.crt"] == replica.certificate.ca_bundle == await town.bundle()


async def test_an_empty_secret_is_filled() -> None:
    """Who gives no right to create Secrets makes one beforehand."""
    async with village() as town:
        metadata = ObjectMeta(name=SECRET, namespace="default", labels={"team": "shops"})
        await town.client.create(Secret(metadata=metadata, data={"notes": b"mine"}))

        await town.start()

        found = await town.secret()
        assert found.data["notes"] == b"mine"
        assert found.data["tls.crt"]
        assert (found.metadata.labels or {})["team"] == "shops"


async def test_a_secret_of_somebody_else_is_not_touched() -> None:
    """Their certificate would be lost, and with it whatever uses it."""
    async with village() as town:
        theirs = {"tls.crt": b"theirs", "tls.key": b"theirs"}
        metadata = ObjectMeta(name=SECRET, namespace="default")
        await town.client.create(Secret(metadata=metadata, type="Opaque", data=theirs))

        with pytest.raises(ConfigError, match=r"default/shop-webhook: somebody else's .*another"):
            await town.make().certificate.load()

        assert (await town.secret()).data == theirs


async def test_a_missing_right_ends_the_start_with_the_rule() -> None:
    """Waiting would not help; the message can be pasted into the role."""
    async with village() as town:
        replica = town.make()
        replica.wire.cut(Refused(403), "GET", "secrets")

        with pytest.raises(ConfigError, match=r"(?s)in a Secret: .*secrets"):
            await replica.certificate.load()


async def test_an_unreachable_server_is_waited_for() -> None:
    """Both may start at the same moment, after a power cut."""
    async with village() as town:
        replica = town.make()
        replica.wire.cut(Unreachable())
        replica.start()
        await town.clock.advance(60)
        assert replica.context is None
        assert replica.certificate.problem()

        replica.wire.cut(None)
        await town.clock.advance(60)

        await town.call()
        assert town.calls == 1
        assert not replica.certificate.problem()


async def test_the_expiry_is_a_metric() -> None:
    """An alarm rings before anything is refused."""
    async with village() as town:
        (replica,) = await town.start()

        expires = CertificateFacts.of(shown(replica)).not_after

        assert EXPIRY.labels().value == expires.timestamp()


# --- Renewed without a refused call ---


async def test_a_life_of_many_renewals_refuses_nobody() -> None:
    """Leaf and authority change several times under steady calls to all replicas."""
    async with village() as town:
        replicas = await town.start(2)
        leaves, authorities = set(), set()

        for _ in range(48):
            await town.live(timedelta(minutes=30), every=120)
            leaves.add(shown(replicas[0]))
            authorities.add(certificates_in(replicas[0].certificate.ca_bundle)[0])

        assert len(leaves) > 8
        assert len(authorities) >= 3
        assert len(certificates_in(await town.bundle())) <= 3


async def test_a_new_authority_is_in_the_bundles_for_a_while_before_it_signs() -> None:
    """API servers learn of a bundle a moment after it is written."""
    async with village() as town:
        (replica,) = await town.start()
        first = shown(replica)
        bundle = replica.certificate.ca_bundle
        while len(certificates_in(await town.bundle())) == 1:
            await town.live(timedelta(seconds=30), every=30)
        announced, before = town.clock.now(), shown(replica)
        assert before != first  # by leaves that the first authority has signed

        while certificates_in(await town.bundle())[0] == certificates_in(bundle)[0]:
            await town.live(timedelta(seconds=10), every=10)

        waited = town.clock.now() - announced
        assert (
            SHORT.overlap - timedelta(minutes=1) <= waited <= SHORT.overlap + timedelta(minutes=1)
        )
        assert shown(replica) != before
        assert len(certificates_in(await town.bundle())) == 2


async def test_nothing_new_is_shown_while_bundles_cannot_be_written() -> None:
    """Its authority is one that API servers do not know: every call would be refused."""
    async with village() as town:
        (replica,) = await town.start()
        replica.wire.cut(Refused(403), "PATCH")
        first = certificates_in(replica.certificate.ca_bundle)[0]

        await town.live(timedelta(hours=8), every=300)

        assert await town.bundle() == first
        replica.wire.cut(None)
        await town.live(timedelta(hours=1), every=10)
        assert first != certificates_in(await town.bundle())[0]


async def test_the_certificate_is_renewed_while_bundles_cannot_be_written() -> None:
    """The right to a single CRD may be missing for a year: the other webhooks must outlive it."""
    async with village() as town:
        replica = town.make()
        replica.wire.cut(Refused(403), "PATCH")
        replica.start()
        await town.clock.advance(1)
        authority, first = replica.certificate.ca_bundle, shown(replica)

        await town.clock.advance(SHORT.leaf.total_seconds())

        assert replica.certificate.ca_bundle == authority
        assert shown(replica) != first
        assert not CertificateFacts.of(shown(replica)).problem(town.clock.now())


async def test_at_rest_nothing_is_asked_and_nothing_written() -> None:
    """Operators are many; each costs the API server something."""
    async with village() as town:
        replicas = await town.start(2)
        await town.clock.advance(60)
        for replica in replicas:
            replica.wire.take()

        await town.clock.advance(3000)

        asked = [one for replica in replicas for one in replica.wire.take()]
        assert not [one for one in asked if "watch" not in one]


# --- What goes wrong ---


async def test_a_deleted_secret_is_written_again_as_it_was() -> None:
    """Somebody cleans up; replicas must not go different ways."""
    async with village() as town:
        replicas = await town.start(3)
        before = await town.secret()

        await town.client.delete(before)
        await town.live(timedelta(minutes=1))

        assert (await town.secret()).data == before.data
        assert {shown(replica) for replica in replicas} == {before.data["tls.crt"]}


async def test_a_secret_deleted_under_a_replica_that_starts_refuses_nobody() -> None:
    """The new one knows nothing of the old authority, but those who show it still run."""
    async with village() as town:
        (old,) = await town.start()
        old.wire.cut(Unreachable())
        await town.client.delete(await town.secret())

        (new,) = await town.start()
        await town.live(timedelta(minutes=2))
        assert shown(new) != shown(old)

        old.wire.cut(None)
        await town.live(timedelta(minutes=5))
        assert shown(new) == shown(old)


@pytest.mark.parametrize("key", ["tls.crt", "tls.key", "ca.crt", "ca.key"])
async def test_garbage_in_the_secret_is_replaced_by_what_was_there(
    key: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Any part of it can be lost in an edit by hand."""
    async with village() as town:
        await town.start(2)
        before = await town.secret()
        damaged = await town.secret()
        damaged.data = {**damaged.data, key: b"garbage"}

        with caplog.at_level(logging.ERROR):
            await town.client.update(damaged)
            await town.live(timedelta(minutes=1))

        assert (await town.secret()).data == before.data
        assert "damaged and is mended" in caplog.text
        assert key in caplog.text


async def test_garbage_that_is_found_at_the_start_is_replaced_if_it_is_ours() -> None:
    """A crash loop would need somebody who knows which Secret to delete."""
    async with village() as town:
        label, value = OURS
        metadata = ObjectMeta(name=SECRET, namespace="default", labels={label: value})
        data = {"tls.crt": b"x", "tls.key": b"x", "ca.crt": b"x"}
        await town.client.create(Secret(metadata=metadata, data=data))

        await town.start(2)

        await town.call()
        assert town.calls == 2


@pytest.mark.parametrize("years", [1, 9, 40])
async def test_a_jump_of_the_clock_is_survived(years: int) -> None:
    """A machine without a battery learns the time late; all that was valid has expired."""
    async with village() as town:
        replicas = await town.start(2)
        before = shown(replicas[0])

        town.clock._elapsed += years * 365 * 86400
        await town.clock.advance(30)

        assert shown(replicas[0]) != before
        await town.live(timedelta(minutes=5))
        assert not any(replica.certificate.problem() for replica in replicas)


async def test_a_jump_back_is_survived() -> None:
    """What was made a moment ago is not valid yet."""
    async with village() as town:
        replicas = await town.start(2)

        town.clock._start -= timedelta(days=900)
        await town.clock.advance(30)

        await town.live(timedelta(minutes=5))
        assert not any(replica.certificate.problem() for replica in replicas)


@pytest.mark.parametrize("years", [-30, 30])
async def test_one_replica_with_a_wrong_clock_harms_nobody(years: int) -> None:
    """What it makes is valid for it, and must be valid by the time of API servers, too."""
    async with village() as town:
        (right,) = await town.start()
        wrong_time = Skewed(town.clock, timedelta(days=365 * years))

        wrong = town.make(clock=wrong_time)
        wrong.start()
        await town.live(timedelta(minutes=10))

        assert not wrong.certificate.problem()
        assert not right.certificate.problem()
        await town.clock.advance(60)
        for replica in town.replicas:
            replica.wire.take()
        await town.live(timedelta(minutes=10))
        assert not any(replica.wire.take("PUT") for replica in town.replicas)  # no quarrel


class Skewed(VirtualClock):
    """A clock that shows another time than the one it runs on."""

    def __init__(self, clock: VirtualClock, skew: timedelta) -> None:
        super().__init__(clock.now() + skew)
        self._true, self._skew = clock, skew

    def now(self) -> datetime:
        return self._true.now() + self._skew

    def monotonic(self) -> float:
        return self._true.monotonic()

    async def sleep(self, seconds: float) -> None:
        await self._true.sleep(seconds)


async def test_two_versions_with_different_hosts_do_not_quarrel() -> None:
    """During a rollout both are called, each by its own name."""
    async with village() as town:
        (old,) = await town.start()

        (new,) = await town.start(hosts=("shop-v2.default.svc", "10.0.0.7"))
        await town.live(timedelta(minutes=1))

        for replica in (old, new):
            assert replica.context is not None
            for host in (HOST, "shop-v2.default.svc", "10.0.0.7"):
                Connection(replica.context, await town.bundle(), host, town.clock.now())
            replica.wire.take()
        await town.live(timedelta(minutes=10))
        assert not old.wire.take("PUT")
        assert not new.wire.take("PUT")


async def test_what_another_way_has_put_into_the_bundles_is_trusted_for_a_while() -> None:
    """A rollout from cert-manager: replicas of the old version still show its certificate."""
    async with village() as town:
        theirs = Authority("cert-manager")
        await town.overwrite(theirs.certificate)

        await town.start()
        assert theirs.certificate in await town.bundle()

        await town.clock.advance(SHORT.grace.total_seconds() + 60)
        assert theirs.certificate not in await town.bundle()


# --- Bundles ---


async def test_a_bundle_that_is_overwritten_is_put_back_at_once() -> None:
    """``kubectl apply`` and GitOps write manifests in which there is none."""
    async with village() as town:
        (replica,) = await town.start()

        await town.overwrite(None)
        await town.clock.advance(1)

        assert await town.bundle() == replica.certificate.ca_bundle
        assert await town.bundle(1) == b""  # that one is somebody else's


async def test_a_quarrel_over_a_bundle_slows_down() -> None:
    """Two programs that both know better would else keep the API server busy for ever."""
    async with village() as town:
        (replica,) = await town.start()
        replica.wire.take()

        for _ in range(600):  # five minutes
            await town.overwrite(None)
            await town.clock.advance(0.5)

        written = [one for one in replica.wire.take("PATCH") if "webhookconfigurations" in one]
        assert 10 < len(written) <= 300 / LONGEST + 10


async def test_webhooks_that_are_installed_later_are_trusted_at_once() -> None:
    """Charts install them in any order."""
    async with village(hooks=False) as town:
        (replica,) = await town.start()
        assert not replica.certificate.problem()

        await install(town)
        await town.clock.advance(1)

        await town.call()


async def test_bundles_that_cannot_be_written_are_a_problem_but_no_end() -> None:
    """Readiness names the right that is missing; somebody else may have written them."""
    async with village() as town:
        replica = town.make()
        replica.wire.cut(Refused(403), "PATCH")
        replica.start()
        await town.clock.advance(1)

        assert replica.context is not None
        assert "caBundle" in replica.certificate.problem()
        assert "mutatingwebhookconfigurations" in replica.certificate.problem()

        replica.wire.cut(None)
        await town.clock.advance(20)
        assert not replica.certificate.problem()


async def test_open_connections_go_on_through_a_renewal() -> None:
    """API servers keep them for hours."""
    async with village() as town:
        (replica,) = await town.start()
        assert replica.context is not None
        opened = Connection(replica.context, await town.bundle(), HOST, town.clock.now())
        before = shown(replica)

        await town.clock.advance(3 * 3600)

        assert shown(replica) != before
        assert opened.say(b"still here") == b"still here"


async def test_cancelling_ends_every_watch() -> None:
    """Nothing may be left behind when a manager stops."""
    async with village() as town:
        (replica,) = await town.start()

        await replica.stop()

        assert replica.task is not None
        assert replica.task.cancelled()
        left = [task for task in asyncio.all_tasks() if "watch of" in task.get_name()]
        assert not left
