"""Digests, architectures and bundles."""

import pytest

from kubewright.cli.registry.reading import architectures_of, digests_of, pull_bundle
from kubewright.errors import ConfigError
from tests.unit.cli.registry.server import RegistryServer, layer


def test_tags_become_digests(registry: RegistryServer) -> None:
    """Those of all platforms together, if there are several; digests stay without a question."""
    first, second = registry.add("shop:v1"), registry.add_index("db:v2", "linux/arm64")
    fixed = f"a.b/c:v1@sha256:{'0' * 64}"

    found = digests_of([f"{registry.host}/shop:v1", f"{registry.host}/db:v2", fixed])

    assert list(found.values()) == [
        f"{registry.host}/shop@{first}",
        f"{registry.host}/db@{second}",
        f"a.b/c@sha256:{'0' * 64}",
    ]


def test_platforms_are_those_of_the_index_or_of_the_image(registry: RegistryServer) -> None:
    """Build tools add entries for what is not a platform."""
    registry.add_index("many:v1", "linux/amd64", "linux/arm64", "unknown/unknown")
    registry.add("one:v1", platform="linux/s390x")
    names = [f"{registry.host}/many:v1", f"{registry.host}/one:v1"]

    assert list(architectures_of(names).values()) == [
        {"linux/amd64", "linux/arm64"},
        {"linux/s390x"},
    ]


def test_a_bundle_is_pulled(registry: RegistryServer) -> None:
    """Whichever platform it is for: it has no programs."""
    below = layer({"manifests/a.yaml": "a", "bin/x": "x"})
    digest = registry.add("plain:v1", below, layer({"metadata/b.yaml": "b"}))
    registry.add_index("many:v1", "linux/arm64")

    files, image = pull_bundle(f"{registry.host}/plain:v1")
    many, _ = pull_bundle(f"{registry.host}/many:v1")

    assert files == {"manifests/a.yaml": "a", "metadata/b.yaml": "b"}
    assert image == f"{registry.host}/plain@{digest}"
    assert many == {"manifests/a.yaml": "linux/arm64"}


def test_an_image_without_a_bundle_is_told(registry: RegistryServer) -> None:
    """The image of the operator has almost the same name."""
    registry.add("shop:v1", layer({"bin/shop": "x"}))

    with pytest.raises(ConfigError, match="is not a bundle: it has no folder manifests/"):
        pull_bundle(f"{registry.host}/shop:v1")


def test_what_is_no_image_is_refused() -> None:
    """Before anybody is asked."""
    with pytest.raises(ConfigError, match="'A B' is not the name of an image"):
        digests_of(["A B"])
