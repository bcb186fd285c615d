"""References to images, such as ``registry.example.com:5000/shop/operator:v1``."""

import re
from typing import NamedTuple

from kubewright.errors import ConfigError

__all__ = ["Image", "parse_image"]

_PART = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_HOST = r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:]+\])(?::[0-9]+)?"
_WHOLE = re.compile(
    rf"(?P<name>(?:{_HOST}/)?{_PART}(?:/{_PART})*)"
    r"(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?"
    r"(?:@(?P<digest>[a-z0-9]+:[0-9a-f]{32,}))?"
)
_HINT = "Write it as registry.example.com/shop/operator:v1"


class Image(NamedTuple):
    """An image.

    Attributes:
        name: The registry and the repository.
        tag: The tag; empty for none.
        digest: The digest; empty for none.
    """

    name: str
    tag: str = ""
    digest: str = ""

    def __str__(self) -> str:
        tag = f":{self.tag}" if self.tag else ""
        return f"{self.name}{tag}{f'@{self.digest}' if self.digest else ''}"


def parse_image(text: str, *, option: str = "--image") -> Image:
    """Return what *text* names.

    Args:
        text: What the user gave.
        option: Where, for the message.

    Raises:
        ConfigError: No registry would take it.

    Example:
        >>> parse_image("localhost:5000/shop:v1").tag
        'v1'
    """
    if not text:
        raise ConfigError(
            f"{option} is empty: which image? {_HINT}; with make, `make deploy IMG=...`"
        )
    found = _WHOLE.fullmatch(text)
    if found is None:
        raise ConfigError(f"{option}: {text!r} is not the name of an image: {_problem(text)}")
    return Image(found["name"], found["tag"] or "", found["digest"] or "")


def _problem(text: str) -> str:
    """Return what is wrong with a name that is none, as far as that is plain."""
    if any(sign.isspace() for sign in text):
        return f"it has a blank in it. {_HINT}"
    if "://" in text:
        return f"it begins with {text.partition('://')[0]}://. Leave that out"
    name = text.partition("@")[0]
    host, slash, rest = name.rpartition("/")
    repository = f"{host.partition('/')[2]}/{rest.partition(':')[0]}" if slash else name
    if any(sign.isupper() for sign in repository):
        return "it has capital letters. Repositories are in lower case"
    if "@" in text:
        return "what is behind the @ is not a digest, such as sha256:… with 64 digits"
    return _HINT
