"""Reads manifests from the files and URLs that a user names."""

from collections.abc import Iterable
from pathlib import Path

from kubewright.bundle.collection import Object
from kubewright.bundle.document import read_documents
from kubewright.cli.generate.download import download, without_secrets
from kubewright.errors import ConfigError

__all__ = ["read_manifests"]

_LARGEST = 32 << 20


def read_manifests(sources: Iterable[str]) -> list[Object]:
    """Return the objects in files and at URLs.

    Raises:
        ConfigError: One cannot be read, or holds what is not an object.
    """
    return [one for source in sources for one in _objects(source)]


def _objects(source: str) -> list[Object]:
    name = without_secrets(source) if _is_url(source) else source
    found: list[Object] = []
    for one in read_documents(name, _text(source, name)):
        if not one.kind or not one.api_version or not one.name:
            raise ConfigError(
                f"{name}, line {one.line()}: this is not an object: it needs apiVersion, kind and"
                " metadata.name"
            )
        found.append(one.content)
    if not found:
        raise ConfigError(f"{name} has no objects in it")
    return found


def _text(source: str, name: str) -> str:
    try:
        if _is_url(source):
            return download(source, limit=_LARGEST).decode()
        return Path(source).read_text("utf-8")
    except UnicodeDecodeError:
        raise ConfigError(f"{name} is not a text in UTF-8") from None
    except OSError as error:
        raise ConfigError(f"cannot read {name}: {error.strerror}") from None


def _is_url(source: str) -> bool:
    return source.startswith(("http://", "https://"))
