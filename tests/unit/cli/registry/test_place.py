"""Where an image is."""

import pytest

from kubewright.cli.deploy.image import parse_image
from kubewright.cli.registry.place import is_local, place_of


@pytest.mark.parametrize(
    ("image", "server", "repository", "reference"),
    [
        ("nginx", "https://registry-1.docker.io", "library/nginx", "latest"),
        ("me/shop:v1", "https://registry-1.docker.io", "me/shop", "v1"),
        ("docker.io/nginx:1", "https://registry-1.docker.io", "library/nginx", "1"),
        ("a.b/c/d:v1", "https://a.b", "c/d", "v1"),
        ("localhost:5000/c", "http://localhost:5000", "c", "latest"),
        ("127.0.0.1:5000/c", "http://127.0.0.1:5000", "c", "latest"),
        ("[::1]:5000/c", "http://[::1]:5000", "c", "latest"),
        ("host:80/c", "https://host:80", "c", "latest"),
        (f"a.b/c:v1@sha256:{'0' * 64}", "https://a.b", "c", f"sha256:{'0' * 64}"),
    ],
)
def test_names_are_read_as_docker_reads_them(
    image: str, server: str, repository: str, reference: str
) -> None:
    """People write them so everywhere."""
    found = place_of(parse_image(image))

    assert found[1:] == (server, repository, reference)


def test_tls_can_be_left_out() -> None:
    """For a registry in one's own network."""
    found = place_of(parse_image("a.b/c"), use_http=True)

    assert (found.server, found.scope) == ("http://a.b", "repository:c:pull")
    assert not is_local("a.b")
