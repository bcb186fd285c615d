"""What an aggregated API server says of itself."""

import msgspec

from kubewright._aio import Clock
from kubewright._serve.messages import Answer, Request, Response
from kubewright.apiserver.admission.webhook_client import Address
from kubewright.apiserver.aggregation.offer import fetch
from kubewright.apiserver.aggregation.relay import Relay
from kubewright.apiserver.aggregation.remote import Remote, read_remote
from tests.unit.apiserver.aggregation.orchard import (
    GROUP,
    NEWER,
    ROOT,
    SCHEMAS,
    VERSION,
    Orchard,
    api_service,
)


class There:
    """Finds every service on this machine."""

    def resolve(self, namespace: str, name: str, port: int) -> Address:
        return Address("127.0.0.1", port)


def remote_of(other: Orchard) -> Remote:
    found = read_remote(api_service(other))
    assert found is not None
    return found


async def test_an_old_server_tells_its_resources_in_the_older_format(other: Orchard) -> None:
    """They are shown in the newer one all the same, subresources included."""
    relay = Relay(There(), clock=Clock())

    offer = await fetch(relay, remote_of(other), None)
    await relay.close()

    assert offer.resources == [NEWER]
    assert offer.schema_url == f"/openapi/v3{ROOT}?hash=1"
    assert list(offer.schemas["paths"]) == [f"{ROOT}/apples"]


async def test_a_current_server_is_asked_once_for_everything(other: Orchard) -> None:
    """Only what is about the version is taken: others have API services of their own."""
    mine = {"version": VERSION, "resources": [NEWER]}
    items = [
        {"metadata": {"name": "other.example"}, "versions": [{"version": VERSION}]},
        {"metadata": {"name": GROUP}, "versions": [{"version": "v2"}, mine]},
    ]

    class Current(Orchard):
        async def handle(self, request: Request) -> Answer:
            if request.path == "/apis":
                return Response(
                    200, msgspec.json.encode({"kind": "APIGroupDiscoveryList", "items": items})
                )
            assert request.path != ROOT
            return await super().handle(request)

    other.handle = Current().handle  # type: ignore[method-assign]  # another one at its address
    relay = Relay(There(), clock=Clock())

    offer = await fetch(relay, remote_of(other), None)
    await relay.close()

    assert offer.resources == [NEWER]


async def test_schemas_that_have_not_changed_are_not_sent_again(other: Orchard) -> None:
    """They are megabytes, and asked for every half minute."""
    relay = Relay(There(), clock=Clock())
    first = await fetch(relay, remote_of(other), None)

    second = await fetch(relay, remote_of(other), first)
    await relay.close()

    assert second == first
    assert other.tagged == 1
    assert second.schemas["definitions"] == SCHEMAS["definitions"]
