"""What is asked of a registry, and what it may answer."""

import json
from collections.abc import Awaitable, Callable

import pytest

from kubewright.cli.deploy.image import parse_image
from kubewright.cli.registry.place import place_of
from kubewright.cli.registry.registry import Manifest, Registry
from kubewright.errors import ConfigError
from tests.unit.cli.registry.server import RegistryServer, digest_of


async def manifest(found: RegistryServer, name: str, login: str = "") -> Manifest:
    """Return the manifest of an image."""
    place = place_of(parse_image(f"{found.host}/{name}"))
    async with Registry(place, login=lambda host: login) as registry:
        return await registry.manifest()


async def test_a_tag_has_a_digest(registry: RegistryServer) -> None:
    """The digest is that of what was sent, whatever the registry calls it."""
    digest = registry.add("a/shop:v1")

    assert (await manifest(registry, "a/shop:v1")).digest == digest
    assert (await manifest(registry, f"a/shop@{digest}")).digest == digest


async def test_a_token_is_asked_for_once(registry: RegistryServer) -> None:
    """For just this repository, and with the password that docker has kept."""
    registry.add("a/shop:v1")
    registry.token, registry.password = "t0ken", "dTpw"

    await manifest(registry, "a/shop:v1", "dTpw")

    asked = "/token?service=here&scope=repository%3Aa%2Fshop%3Apull"
    assert (asked, "Basic dTpw") in registry.asked
    assert registry.asked[-1][1] == "Bearer t0ken"


async def test_a_password_is_sent_if_it_is_wanted(registry: RegistryServer) -> None:
    """And not before."""
    registry.add("a/shop:v1")
    registry.password = "dTpw"

    await manifest(registry, "a/shop:v1", "dTpw")

    assert [who for _, who in registry.asked] == ["", "Basic dTpw"]


async def test_another_server_does_not_get_the_password(registry: RegistryServer) -> None:
    """Blobs are often kept elsewhere."""
    from tests.unit.cli.registry.server import serving

    registry.add("a/shop:v1", b"layer")
    registry.password = "dTpw"
    digest = digest_of(b"layer")
    path = f"/v2/a/shop/blobs/{digest}"
    with serving() as other:
        other.blobs[digest] = b"layer"
        registry.redirects[path] = f"http://{other.host}{path}"
        place = place_of(parse_image(f"{registry.host}/a/shop:v1"))
        async with Registry(place, login=lambda host: "dTpw") as one:
            await one.manifest()
            found = await one.blob(digest, limit=100)

    assert found == b"layer"
    assert other.asked == [(path, "")]


PATH = "/v2/a/shop/manifests/v1"


def _nothing(registry: RegistryServer) -> None:
    pass


def _locked(registry: RegistryServer) -> None:
    registry.password = "other"


def _no_token(registry: RegistryServer) -> None:
    registry.token, registry.password = "t", "other"


def _no_json(registry: RegistryServer) -> None:
    registry.lies[PATH] = b"<html>"


def _no_object(registry: RegistryServer) -> None:
    registry.lies[PATH] = json.dumps([1]).encode()


def _circle(registry: RegistryServer) -> None:
    registry.redirects[PATH] = PATH


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (_nothing, r"there is no such image \(manifest unknown\). Is it pushed\?"),
        (_locked, "it does not let us. Log in first: docker login"),
        (_no_token, r"it gives no token: it does not let us \(wrong password\)"),
        (_no_json, "what it sends is not a manifest"),
        (_no_object, "what it sends is not a manifest"),
        (_circle, "it redirects more than 5 times"),
    ],
)
async def test_what_goes_wrong_is_told(
    registry: RegistryServer, prepare: Callable[[RegistryServer], None], message: str
) -> None:
    """With the image, and where it should be."""
    prepare(registry)

    with pytest.raises(ConfigError, match=message) as raised:
        await manifest(registry, "a/shop:v1", "dTpw")

    assert str(raised.value).startswith(
        f"cannot read the image {registry.host}/a/shop:v1 from http://{registry.host}: "
    )


async def _wrong_manifest(registry: RegistryServer, one: Registry) -> None:
    digest = f"sha256:{'0' * 64}"
    registry.lies[f"/v2/a/shop/manifests/{digest}"] = b"{}"
    await one.manifest(digest)


async def _wrong_blob(registry: RegistryServer, one: Registry) -> None:
    digest = digest_of(b"right")
    registry.blobs[digest] = b"wrong"
    await one.blob(digest, limit=100)


async def _large_blob(registry: RegistryServer, one: Registry) -> None:
    data = b"x" * 1000
    registry.blobs[digest_of(data)] = data
    await one.blob(digest_of(data), limit=100)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (_wrong_manifest, "it sends sha256:.* for sha256:0000"),
        (_wrong_blob, "it sends something else for sha256:"),
        (_large_blob, "cannot read the image"),
    ],
)
async def test_what_is_not_what_was_asked_for_is_refused(
    registry: RegistryServer,
    ask: Callable[[RegistryServer, Registry], Awaitable[None]],
    message: str,
) -> None:
    """Whoever is in between could send anything."""
    async with Registry(place_of(parse_image(f"{registry.host}/a/shop:v1"))) as one:
        with pytest.raises(ConfigError, match=message):
            await ask(registry, one)


async def test_a_registry_that_does_not_answer_is_told() -> None:
    """With its address."""
    async with Registry(place_of(parse_image("localhost:1/a/shop:v1"))) as one:
        with pytest.raises(ConfigError, match="cannot read the image localhost:1/a/shop:v1 from"):
            await one.manifest()
