"""Pages of names, and writes that change nothing, on servers in trouble."""

import pytest

import kubewright as kw
from kubewright.api.kind import ObjectKey
from kubewright.api.requests import Request
from kubewright.application.migration.collection import Collection
from kubewright.application.migration.definition import get_definition
from kubewright.client.transport import Response
from kubewright.errors import TransportError
from tests.unit.application.migration.village import SHOPS, Village, refusal, village


async def shops(v: Village, page_size: int = 2) -> Collection:
    """Return the objects."""
    return Collection(
        v.client, (await get_definition(v.client, SHOPS)).mapping(), page_size=page_size
    )


async def test_a_token_that_has_expired_leads_on_from_the_same_name() -> None:
    """The 410 brings one that does; to begin again might never end with many objects."""
    async with village(5) as v:
        objects = await shops(v)
        first = await objects.page()
        later = (await objects.page()).continue_

        def expire(request: Request) -> Response | None:
            if "continue=old" not in request.target:
                return None
            return refusal(410, "Expired", metadata={"continue": later})

        v.wire.intercept = expire
        second = await objects.page("old")

        assert [key.name for key in first.keys] == ["s0", "s1"]
        assert [key.name for key in second.keys] == ["s2", "s3"]


async def test_a_token_that_nobody_understands_leads_to_the_first_page() -> None:
    """Another release of the server may write other tokens; objects that are right cost little."""
    async with village(3) as v:
        objects = await shops(v)

        page = await objects.page("nonsense")

        assert [key.name for key in page.keys] == ["s0", "s1"]


@pytest.mark.parametrize(
    "trouble",
    [refusal(503, "ServiceUnavailable"), refusal(429, "TooManyRequests"), TransportError("cut")],
    ids=["503", "429", "connection"],
)
async def test_a_server_in_trouble_is_asked_again_later(trouble: Response | Exception) -> None:
    """It may be restarting, or have other things to do."""
    async with village(1) as v:
        objects, answers = await shops(v), [trouble] * 3
        began = v.clock.monotonic()

        def answer(request: Request) -> Response | None:
            if not answers or request.method != "PATCH":
                return None
            given = answers.pop()
            if isinstance(given, Exception):
                raise given
            return given

        v.wire.intercept = answer
        await v.clock.run(objects.rewrite(ObjectKey("default", "s0")))

        assert v.written() == ["s0"] * 4
        assert v.clock.monotonic() - began >= 3.5


async def test_a_server_that_stays_in_trouble_is_given_up() -> None:
    """With its own words."""
    async with village(1) as v:
        objects = await shops(v)
        v.refuse("s0", refusal(503, "ServiceUnavailable", "on holiday"))

        with pytest.raises(kw.ServerError, match="on holiday"):
            await v.clock.run(objects.rewrite(ObjectKey("default", "s0")))


async def test_objects_are_counted_where_the_server_does_not_say_how_many_remain() -> None:
    """Kubernetes 1.20 does not."""
    async with village(5) as v:
        objects = await shops(v)
        inner = v.wire.inner

        class Silent:
            """Leaves the count out."""

            async def send(self, request: Request, *, timeout: float | None = None) -> Response:
                found = await inner.send(request, timeout=timeout)
                body = found.body.replace(b"remainingItemCount", b"somethingElse")
                return Response(found.status, found.headers, body)

        assert await objects.count() == 5
        v.wire.inner = Silent()  # type: ignore[assignment]
        assert (await objects.page()).remaining is None
        assert await objects.count() == 5
