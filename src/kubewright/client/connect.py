"""From a `Config` to a transport."""

from typing import TYPE_CHECKING

from kubewright._aio import Clock

if TYPE_CHECKING:
    from kubewright.client.config import Config
    from kubewright.client.http_transport import HTTPTransport


def connect(config: "Config", *, clock: Clock | None = None) -> "HTTPTransport":
    """Return a transport to the server that *config* names; nothing is sent yet.

    Raises:
        ConfigError: The configuration cannot be used; the message says which entry and why.
    """
    from kubewright._http.endpoint import Limits  # noqa: PLC0415  # as below
    from kubewright.client.http_transport import (  # noqa: PLC0415  # loads TLS and HTTP
        HTTPOptions,
        HTTPTransport,
    )

    clock = clock or Clock()
    connection = config.connection(clock)
    return HTTPTransport(
        connection.url,
        HTTPOptions(
            user_agent=connection.user_agent,
            proxy=connection.proxy,
            limits=Limits(connections=config.connections or None),
        ),
        credentials=connection.credentials,
        tls=connection.tls,
        clock=clock,
    )
