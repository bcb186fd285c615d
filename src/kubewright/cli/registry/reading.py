"""What is asked of registries: digests, architectures, and the files of bundles."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TypeVar

from kubewright import _json
from kubewright.bundle.document import at, items, mapping, text
from kubewright.cli.deploy.image import Image, parse_image
from kubewright.cli.loop import loop_factory
from kubewright.cli.registry.layers import LIMIT, unpack
from kubewright.cli.registry.login import find_login
from kubewright.cli.registry.place import place_of
from kubewright.cli.registry.registry import INDEXES, Registry
from kubewright.errors import ConfigError

__all__ = ["architectures_of", "digests_of", "pull_bundle"]

T = TypeVar("T")
_FOLDERS = ("manifests", "metadata", "tests")


def digests_of(images: Iterable[str], *, use_http: bool = False) -> dict[str, str]:
    """Return images with the digests that their tags have now, by the images as they are named.

    Raises:
        ConfigError: One is no image, or its registry does not say.
    """

    async def resolve(name: str) -> str:
        image = parse_image(name, option="--use-image-digests")
        if image.digest:
            return f"{image.name}@{image.digest}"
        manifest = await _asked(image, lambda one: one.manifest(), use_http=use_http)
        return f"{image.name}@{manifest.digest}"

    return _each(images, resolve)


def architectures_of(images: Iterable[str], *, use_http: bool = False) -> dict[str, set[str]]:
    """Return on which architectures images run, such as ``linux/arm64``.

    Raises:
        ConfigError: One is no image, or its registry does not say.
    """

    async def look(name: str) -> set[str]:
        image = parse_image(name, option="the image")
        return await _asked(image, _architectures, use_http=use_http)

    return _each(images, look)


def pull_bundle(name: str, *, use_http: bool = False) -> tuple[dict[str, str], str]:
    """Return the files of a bundle that is an image, and the image with its digest.

    Raises:
        ConfigError: It is no image, its registry does not send it, or it has no bundle in it.
    """

    async def pull(name: str) -> tuple[dict[str, str], str]:
        image = parse_image(name, option="the bundle")
        return await _asked(image, lambda one: _pull(image, one), use_http=use_http)

    return _each([name], pull)[name]


async def _pull(image: Image, registry: Registry) -> tuple[dict[str, str], str]:
    manifest = await registry.manifest()
    named = f"{image.name}@{manifest.digest}"
    if manifest.kind in INDEXES:
        # A bundle has no programs in it, so any of them will do.
        first = at(manifest.content, "manifests", 0, "digest")
        manifest = await registry.manifest(text(first))
    layers = []
    left = LIMIT
    for one in items(manifest.content.get("layers")):
        layers.append(await registry.blob(text(at(one, "digest")), limit=left))
        left -= len(layers[-1])
    texts = unpack(layers, _FOLDERS)
    if not texts:
        raise ConfigError(f"the image {image} is not a bundle: it has no folder manifests/")
    return texts, named


async def _architectures(registry: Registry) -> set[str]:
    manifest = await registry.manifest()
    if manifest.kind in INDEXES:
        listed = [mapping(at(one, "platform")) for one in items(manifest.content.get("manifests"))]
        return {_platform(one) for one in listed} - {"unknown/unknown"}
    digest = text(at(manifest.content, "config", "digest"))
    return {_platform(await _config(registry, digest))} if digest else set()


async def _config(registry: Registry, digest: str) -> Mapping[str, object]:
    return mapping(_json.loads(await registry.blob(digest, limit=4 << 20)))


def _platform(said: Mapping[str, object]) -> str:
    return f"{said.get('os') or 'linux'}/{said.get('architecture') or 'unknown'}"


async def _asked(image: Image, ask: Callable[[Registry], Awaitable[T]], *, use_http: bool) -> T:
    async with Registry(place_of(image, use_http=use_http), login=find_login) as registry:
        return await ask(registry)


def _each(names: Iterable[str], ask: Callable[[str], Awaitable[T]]) -> dict[str, T]:
    """Ask about each of *names*, one after the other: there are few, on one registry mostly."""

    async def every() -> dict[str, T]:
        return {one: await ask(one) for one in dict.fromkeys(names)}

    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(every())
