"""Where API servers reach the webhooks of an operator that runs on this machine."""

import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kubewright.errors import ConfigError
from kubewright.log import Logger

if TYPE_CHECKING:
    from kubewright.webhook.webhooks import Webhooks

__all__ = ["tell_what_stays", "url_of_this_machine", "way_out"]

_HTTPS = 443


def tell_what_stays(log: Logger, webhooks: "Webhooks") -> None:
    """Log, at the end of an operator, what API servers go on to ask, and how to undo that."""
    log.warning(
        "the webhooks stay registered, and what they are asked about fails while nobody serves"
        " them",
        hint=f"run the operator again, or: {way_out(webhooks)}",
    )


def way_out(webhooks: "Webhooks") -> str:
    """Return the commands after which API servers ask *webhooks* nothing any more."""
    targets = webhooks.targets()
    kinds = (
        ("mutatingwebhookconfiguration", targets.mutating),
        ("validatingwebhookconfiguration", targets.validating),
    )
    commands = [f"kubectl delete {kind} {name}" for kind, names in kinds for name in names]
    patch = '{"spec":{"conversion":{"strategy":"None","webhook":null}}}'
    commands += [f"kubectl patch crd {name} --type=merge -p '{patch}'" for name in targets.crds]
    return " && ".join(commands)


def url_of_this_machine(server: str, port: int) -> str:
    """Return the URL under which the API server at *server* is likely to reach *port* here.

    It is the address that this machine's connections to the server come from.

    Raises:
        ConfigError: There is no way to the server, or the port is not known yet.
    """
    if not port:
        raise ConfigError("webhook_port: API servers must know the port; choose one but 0")
    try:
        parts = urlsplit(server)
        host, known = parts.hostname or "", parts.port or _HTTPS
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, known, type=socket.SOCK_DGRAM
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.connect(address)  # chooses the way, and sends nothing
            found = str(probe.getsockname()[0])
    except (OSError, ValueError) as error:  # a name that is none is no OSError
        raise ConfigError(
            f"cannot tell under which address {server} reaches this machine: {error}. Name it with"
            " --webhook-url https://ADDRESS:PORT"
        ) from error
    return f"https://[{found}]:{port}" if ":" in found else f"https://{found}:{port}"
