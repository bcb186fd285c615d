"""Kubewright's webhook server: ``python -m bench.webhook.ours <port> <certificate>``."""

import asyncio
import contextlib
import sys
from pathlib import Path

import kubewright as kw
from bench.webhook.data import GROUP
from kubewright.kinds.core.v1 import PodTemplateSpec
from kubewright.webhook import AdmissionContext, WebhookServer
from kubewright.webhook.certificates.mounted import MountedCertificate


class ShopSpec(kw.Model):
    """What is wanted; its schedule is a line of five words."""

    schedule: str
    region: str
    replicas: kw.Int32
    template: PodTemplateSpec
    suspend: bool | None = None
    concurrency_policy: str = ""
    history_limit: kw.Int32 | None = None


class Schedule(kw.Model):
    """A line of a crontab."""

    minute: str
    hour: str
    day_of_month: str
    month: str
    day_of_week: str


class ShopV2Spec(kw.Model):
    """What is wanted, with the schedule in parts."""

    schedule: Schedule
    region: str
    replicas: kw.Int32
    template: PodTemplateSpec
    suspend: bool | None = None
    concurrency_policy: str = ""
    history_limit: kw.Int32 | None = None


@kw.resource(group=GROUP, version="v1")
class Shop(kw.Resource):
    """The kind in v1, the hub."""

    spec: ShopSpec


@kw.resource(group=GROUP, version="v2", kind="Shop", storage=False)
class ShopV2(kw.Resource):
    """The kind in v2."""

    spec: ShopV2Spec


def default(shop: Shop) -> None:
    """Set two fields."""
    if not shop.spec.concurrency_policy:
        shop.spec.concurrency_policy = "Allow"
    if shop.spec.history_limit is None:
        shop.spec.history_limit = 3


def to_v2(shop: Shop) -> ShopV2:
    """Make a v2 of a v1."""
    minute, hour, day_of_month, month, day_of_week = shop.spec.schedule.split()
    spec = ShopV2Spec(
        schedule=Schedule(
            minute=minute,
            hour=hour,
            day_of_month=day_of_month,
            month=month,
            day_of_week=day_of_week,
        ),
        region=shop.spec.region,
        replicas=shop.spec.replicas,
        template=shop.spec.template,
        suspend=shop.spec.suspend,
        concurrency_policy=shop.spec.concurrency_policy,
        history_limit=shop.spec.history_limit,
    )
    return ShopV2(metadata=shop.metadata, spec=spec)


def to_v1(shop: ShopV2) -> Shop:
    """Make a v1 of a v2; the reviews of the benchmark never ask for it."""
    parts = shop.spec.schedule
    words = (parts.minute, parts.hour, parts.day_of_month, parts.month, parts.day_of_week)
    spec = ShopSpec(
        schedule=" ".join(words),
        region=shop.spec.region,
        replicas=shop.spec.replicas,
        template=shop.spec.template,
        suspend=shop.spec.suspend,
        concurrency_policy=shop.spec.concurrency_policy,
        history_limit=shop.spec.history_limit,
    )
    return Shop(metadata=shop.metadata, spec=spec)


operator = kw.Operator("shops")
operator.defaulter(Shop)(default)


@operator.validator(Shop)
def validate(shop: Shop, ctx: AdmissionContext[Shop]) -> None:
    """Check an update."""
    if ctx.old is not None and shop.spec.region != ctx.old.spec.region:
        ctx.refuse("spec.region", "cannot change")
    if shop.spec.replicas < 0:
        ctx.refuse("spec.replicas", "must not be negative")
    for number, container in enumerate(shop.spec.template.spec.containers):
        if not container.image:
            ctx.refuse(f"spec.template.spec.containers[{number}].image", "is missing")


conversion = operator.conversion(Shop)
conversion.from_hub(ShopV2)(to_v2)
conversion.to_hub(ShopV2)(to_v1)


async def serve(port: int, certificate: Path) -> None:
    """Serve the three webhooks on 127.0.0.1 until standard input ends, as a manager does."""
    source = MountedCertificate(certificate.parent, name=certificate.name, key=certificate.name)
    routes = operator.webhooks.routes()
    server = WebhookServer(routes, certificate=source, host="127.0.0.1", port=port)
    serving = asyncio.ensure_future(server.run())
    await asyncio.to_thread(sys.stdin.buffer.read)
    serving.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await serving


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), Path(sys.argv[2])))
