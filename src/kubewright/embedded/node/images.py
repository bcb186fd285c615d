"""Names of images: whether they are valid, and what the status shows for them."""

import hashlib
import re

__all__ = [
    "full_name",
    "has_no_entrypoint",
    "image_id",
    "is_image_name",
    "name_problem",
    "short_name",
]

_COMPONENT = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_DOMAIN = r"(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\[[0-9a-fA-F:]+\])(?::[0-9]+)?"
_NAME = re.compile(
    rf"(?:{_DOMAIN}/)?{_COMPONENT}(?:/{_COMPONENT})*"
    r"(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@[a-z0-9+._-]+:[0-9a-fA-F]{32,})?"
)
_PLAIN = frozenset(
    {
        "alpine", "amazonlinux", "archlinux", "bash", "busybox", "centos", "debian", "fedora",
        "gcc", "golang", "perl", "python", "rockylinux", "ruby", "ubuntu",
    }
)  # fmt: skip


def is_image_name(image: str) -> bool:
    """Return whether *image* is a valid name of an image."""
    return _NAME.fullmatch(image) is not None


def name_problem(image: str) -> str:
    """Return why *image* is not a valid name, in the words of container runtimes."""
    path = full_name(image).partition("/")[2].partition(":")[0]
    if path != path.lower():
        return f"invalid reference format: repository name ({path}) must be lowercase"
    return "invalid reference format"


def full_name(image: str) -> str:
    """Return the name as a container runtime reports it, with registry and tag.

    Example:
        >>> full_name("nginx")
        'docker.io/library/nginx:latest'
    """
    name, at, digest = image.partition("@")
    first, slash, rest = name.partition("/")
    is_domain = slash and ("." in first or ":" in first or first == "localhost")
    domain, path = (first, rest) if is_domain else ("docker.io", name)
    if domain == "docker.io" and "/" not in path:
        path = f"library/{path}"
    tag = "" if at or ":" in path.rsplit("/", 1)[-1] else ":latest"
    return f"{domain}/{path}{tag}{at}{digest}"


def image_id(image: str) -> str:
    """Return the id that a container runtime would report: the name with a digest."""
    name, at, _ = full_name(image).partition("@")
    if at:
        return full_name(image)
    path, _, _ = name.rpartition(":")
    return f"{path}@sha256:{hashlib.sha256(name.encode()).hexdigest()}"


def has_no_entrypoint(image: str) -> bool:
    """Return whether the image has no entrypoint, so that the arguments of a container are run."""
    return short_name(image) in _PLAIN


def short_name(image: str) -> str:
    """Return the name without registry, folders, tag and digest.

    Example:
        >>> short_name("registry.example.com/base/nginx:1.27")
        'nginx'
    """
    path = full_name(image).partition("@")[0].rsplit("/", 1)[-1]
    return path.partition(":")[0]
