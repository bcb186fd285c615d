"""Addresses to listen on, as Kubernetes' flags write them."""

import msgspec

from kubewright.errors import ConfigError

_LAST_PORT = 65535


class BindAddress(msgspec.Struct, frozen=True):
    """Where to listen; an empty host is every address of the machine, port 0 any that is free."""

    host: str
    port: int


def bind_address(text: str, *, option: str) -> BindAddress | None:
    """Return what *text* says: ``:8080``, ``127.0.0.1:0``, ``[::1]:8080``; ``None`` for off.

    Args:
        text: The value; ``"0"`` and the empty text turn the server off.
        option: The name of the option, for the message.

    Raises:
        ConfigError: It is not an address.

    Example:
        >>> bind_address(":8080", option="metrics_bind_address")
        BindAddress(host='', port=8080)
    """
    if text in {"", "0"}:
        return None
    host, colon, port = text.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    is_port = port.isascii() and port.isdigit() and int(port) <= _LAST_PORT
    if not colon or not is_port or (":" in host and not bracketed):
        raise ConfigError(
            f"{option}: {text!r} is not an address to listen on. Write host and port, such as"
            " ':8080', '127.0.0.1:8080' or '[::1]:8080', or '0' to listen on none."
        )
    return BindAddress(host[1:-1] if bracketed else host, int(port))
