import pytest

from kubewright.embedded.node.images import (
    full_name,
    has_no_entrypoint,
    image_id,
    is_image_name,
    name_problem,
)

DIGEST = "sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("image", "full"),
    [
        ("nginx", "docker.io/library/nginx:latest"),
        ("nginx:1.27", "docker.io/library/nginx:1.27"),
        ("me/app", "docker.io/me/app:latest"),
        ("quay.io/me/app:v1", "quay.io/me/app:v1"),
        ("localhost/app", "localhost/app:latest"),
        ("registry:5000/app", "registry:5000/app:latest"),
        (f"nginx@{DIGEST}", f"docker.io/library/nginx@{DIGEST}"),
    ],
)
def test_a_short_name_is_completed(image: str, full: str) -> None:
    """As runtimes report it."""
    assert full_name(image) == full


def test_an_image_id_is_a_name_with_a_digest() -> None:
    """The same name is the same image."""
    assert image_id("nginx").startswith("docker.io/library/nginx@sha256:")
    assert image_id("nginx") == image_id("docker.io/library/nginx:latest")
    assert image_id("nginx") != image_id("nginx:1.27")
    assert image_id(f"nginx@{DIGEST}") == f"docker.io/library/nginx@{DIGEST}"


@pytest.mark.parametrize("image", ["nginx", "a/b/c:tag", "host:5000/x_y-z.w", f"a@{DIGEST}"])
def test_names_of_images_are_accepted(image: str) -> None:
    """Whatever registry they are from."""
    assert is_image_name(image)


@pytest.mark.parametrize("image", ["", "Nginx", "a b", "nginx:", "-x", "a//b", "x:y:z"])
def test_what_cannot_name_an_image_is_refused(image: str) -> None:
    """InvalidImageName, as a runtime says."""
    assert not is_image_name(image)


@pytest.mark.parametrize(
    ("image", "plain"),
    [
        ("busybox", True),
        ("docker.io/library/alpine:3", True),
        ("nginx", False),
        ("x/busybox:1", True),
    ],
)
def test_arguments_of_a_plain_system_are_a_command(image: str, plain: bool) -> None:
    """``args: [sleep, "1"]`` with busybox runs sleep."""
    assert has_no_entrypoint(image) is plain


@pytest.mark.parametrize(
    ("image", "problem"),
    [
        ("registry:5000/App:v1", ": repository name (App) must be lowercase"),
        ("Nginx", ": repository name (library/Nginx) must be lowercase"),
        ("nginx:", ""),
    ],
)
def test_a_name_that_is_refused_says_why(image: str, problem: str) -> None:
    """Most often a letter is too large."""
    assert name_problem(image) == f"invalid reference format{problem}"
