"""What is asked about a new operator, and the answers as options."""

from collections.abc import Iterable

import typer

from kubewright.bundle.base import Metadata
from kubewright.errors import ConfigError

__all__ = ["ask", "read_maintainers"]


def ask(said: Metadata) -> Metadata:
    """Ask for what *said* does not say."""
    return Metadata(
        said.display_name or _ask("Display name of the operator"),
        said.description or _ask("What it is for"),
        said.provider or _ask("Who provides it"),
        said.provider_url or _ask("Where to find them, as a URL"),
        said.keywords or tuple(_split(_ask("Keywords, with commas between them"))),
        said.maintainers
        or read_maintainers(_split(_ask("Maintainers, as NAME:EMAIL with commas between them"))),
    )


def read_maintainers(words: Iterable[str]) -> dict[str, str]:
    """Return addresses by names.

    Raises:
        ConfigError: A word is not a name, a colon and an address.
    """
    found: dict[str, str] = {}
    for one in words:
        name, colon, email = one.rpartition(":")
        if not colon or not name.strip() or "@" not in email:
            raise ConfigError(
                f"--maintainer: {one!r} should be NAME:EMAIL, such as Ann:ann@example.com"
            )
        found[name.strip()] = email.strip()
    return found


def _ask(what: str) -> str:
    return str(typer.prompt(what, default="", show_default=False)).strip()


def _split(words: str) -> list[str]:
    return [one.strip() for one in words.split(",") if one.strip()]
