"""Names of images."""

import pytest

from kubewright.cli.deploy.image import Image, parse_image
from kubewright.errors import ConfigError

DIGEST = f"sha256:{'0' * 64}"


@pytest.mark.parametrize(
    ("text", "image"),
    [
        ("shop", Image("shop")),
        ("controller:latest", Image("controller", "latest")),
        ("localhost:5000/shop:v1", Image("localhost:5000/shop", "v1")),
        ("Registry.example.com/a/b_c__d-e:V1.0", Image("Registry.example.com/a/b_c__d-e", "V1.0")),
        (f"a/b@{DIGEST}", Image("a/b", "", DIGEST)),
        (f"a/b:v1@{DIGEST}", Image("a/b", "v1", DIGEST)),
        ("[::1]:5000/shop:v1", Image("[::1]:5000/shop", "v1")),
    ],
)
def test_registry_tag_and_digest_are_told_apart(text: str, image: Image) -> None:
    """A port is not a tag."""
    assert parse_image(text) == image
    assert str(image) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "--image is empty: which image? Write it as"),
        ("Shop:v1", "it has capital letters. Repositories are in lower case"),
        ("a.b/Shop/c:v1", "it has capital letters"),
        ("shop v1", "it has a blank in it"),
        ("shop:v1 ", "it has a blank in it"),
        ("https://a.b/shop", "it begins with https://. Leave that out"),
        ("shop@v1", "what is behind the @ is not a digest"),
        ("shop:", "Write it as registry.example.com/shop/operator:v1"),
        ("shop:a/b:c:d", "Write it as"),
        ("-shop", "Write it as"),
        ("a//b", "Write it as"),
        (f"shop:{'a' * 129}", "Write it as"),
    ],
)
def test_what_no_registry_takes_is_refused(text: str, said: str) -> None:
    """Now, and not by a node that tries to pull it for ever."""
    with pytest.raises(ConfigError) as refused:
        parse_image(text)

    assert said in str(refused.value)
