"""Listens on all addresses of a machine, whichever kinds of addresses it has."""

import errno
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from kubewright.errors import ConfigError

if TYPE_CHECKING:
    from kubewright._serve.server import HTTPServer

# Every address is, on Linux, one IPv6 socket that IPv4 clients reach, too. A machine without IPv6
# refuses it in one of these ways, and is asked for IPv4 then.
_NO_IPV6 = {errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL, errno.EINVAL}


async def listen_everywhere(make: "Callable[[str], HTTPServer]", host: str) -> "HTTPServer":
    """Start the server that *make* makes for *host*; for every address if it is empty.

    In a pod of the embedded cluster, every address is that of the pod: its processes share the
    machine with those of other pods, which listen at the same ports.

    Raises:
        ConfigError: The address is taken, not on this machine, or invalid.
    """
    host = host or pod_address(os.environ)
    try:
        return await make(host or "::").start()
    except ConfigError as error:
        cause = error.__cause__
        if host or not isinstance(cause, OSError) or cause.errno not in _NO_IPV6:
            raise
    return await make("0.0.0.0").start()  # noqa: S104  # what the user asked for


def pod_address(environ: Mapping[str, str]) -> str:
    """Return the address of the pod that we are a process of; empty in a container, or in none."""
    return environ.get("POD_IP", "") if "KUBEWRIGHT_ROOT" in environ else ""
