"""Converts foreign exceptions to ours: what was tried, what came back, what to do.

This is the only place that converts errors of asyncio, ssl, sockets and httptools.
"""

import errno
import socket
import ssl
import sys
from collections.abc import Callable, Sequence
from typing import Any

from kubewright.errors import TransportError, TransportTimeoutError

FOREIGN = (OSError, EOFError, ValueError)
"""What the standard library raises while it connects; `ssl.SSLError` is an `OSError`."""

_NAMES_SHOWN = 20
_HOSTNAME_MISMATCH = 62
_IP_MISMATCH = 64
_EXPIRED = 10
_NOT_YET_VALID = 9
_UNKNOWN_ISSUER = frozenset({2, 18, 19, 20, 21})

_NOT_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE", "PACKET_LENGTH")
_CLIENT_CERTIFICATE = (
    "CERTIFICATE_REQUIRED",
    "ALERT_BAD_CERTIFICATE",
    "ALERT_UNKNOWN_CA",
    "ALERT_CERTIFICATE_EXPIRED",
    "ALERT_CERTIFICATE_UNKNOWN",
    "ALERT_CERTIFICATE_REVOKED",
    "ALERT_HANDSHAKE_FAILURE",
    "ALERT_ACCESS_DENIED",
)


def transport_error(
    error: BaseException, tried: str, *, host: str, names: Sequence[str] = (), lost: bool = False
) -> TransportError:
    """Return *error* as one of ours.

    Args:
        error: What asyncio, ssl, a socket or httptools raised.
        tried: What was attempted, such as ``GET https://10.0.0.1:6443``.
        host: The host and port that the attempt went to.
        names: The names in the certificate of the server, where they are known.
        lost: Whether the request was sent before the error.
    """
    if isinstance(error, TransportError):
        return error
    if isinstance(error, TimeoutError):
        return timeout_error(tried, f"{host} did not answer in time")
    for kind, explain in _EXPLANATIONS:
        if isinstance(error, kind):
            said = explain(error, host)
            break
    else:
        foreign = f"{host} did not answer in HTTP ({_text(error)})"
        said = foreign if is_parser_error(error) else _text(error)
    known = f" The certificate is for {', '.join(names[:_NAMES_SHOWN])}." if names else ""
    return TransportError(f"cannot {tried}: {said}{known}", lost)


def timeout_error(tried: str, what: str) -> TransportTimeoutError:
    """Return the error for an attempt that took too long."""
    return TransportTimeoutError(
        f"cannot {tried}: {what}. Look whether the server is overloaded and whether a firewall"
        " drops the packets."
    )


def is_name_mismatch(error: BaseException) -> bool:
    """Tell whether *error* is about a certificate for another name."""
    return getattr(error, "verify_code", None) in {_HOSTNAME_MISMATCH, _IP_MISMATCH}


def is_parser_error(error: BaseException) -> bool:
    """Tell whether *error* comes from httptools."""
    parser = sys.modules.get("httptools.parser.errors")
    if parser is None:  # not loaded, so it cannot have raised anything
        return False
    return isinstance(error, parser.HttpParserError | parser.HttpParserUpgrade)


def _text(error: BaseException) -> str:
    return str(error) or type(error).__name__


def _unverified(error: ssl.SSLCertVerificationError, host: str) -> str:
    # Errors from OpenSSL have both attributes; those raised by Python code may not.
    said = str(getattr(error, "verify_message", "") or _text(error)).rstrip(".")
    code = getattr(error, "verify_code", None)
    if code in {_HOSTNAME_MISMATCH, _IP_MISMATCH}:
        return (
            f"the certificate of {host} is for another name: {said}. Use a name that the"
            " certificate holds, or set tls-server-name to one of them."
        )
    if code in _UNKNOWN_ISSUER:
        return (
            f"the certificate of {host} is signed by an authority that is not trusted here: {said}."
            " Set certificate-authority (or certificate-authority-data) to the CA of the cluster."
        )
    if code == _EXPIRED:
        return (
            f"the certificate of {host} has expired. Renew it, and check the time of this machine."
        )
    if code == _NOT_YET_VALID:
        return f"the certificate of {host} is not valid yet. Check the time of this machine."
    return f"the certificate of {host} was refused: {said}. Check certificate-authority."


def _tls(error: ssl.SSLError, host: str) -> str:
    reason = str(getattr(error, "reason", "") or _text(error))
    if any(part in reason for part in _NOT_TLS):
        return f"{host} does not speak TLS ({reason}). Is its address meant to begin with http://?"
    if any(part in reason for part in _CLIENT_CERTIFICATE):
        return (
            f"{host} refused the TLS handshake ({reason}). Check the client certificate and key of"
            " the user, and whether they have expired."
        )
    return f"TLS with {host} failed ({reason})."


def _lookup(error: socket.gaierror, host: str) -> str:
    said = error.strerror or _text(error)
    return f"the name in {host} was not found ({said}). Check the server address and the DNS."


def _refused(error: BaseException, host: str) -> str:
    return f"the connection was refused. Is the API server running at {host}?"


def _cut(error: BaseException, host: str) -> str:
    said = _text(error)
    return f"{host} closed the connection ({said}). The server, or a proxy on the way, restarted?"


def _other(error: OSError, host: str) -> str:
    said = error.strerror or _text(error)
    if error.errno in {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN}:
        return f"there is no way to {host} ({said}). Check the network, and any VPN or proxy."
    if error.errno in {errno.EMFILE, errno.ENFILE}:
        return f"{said}. Raise the limit of open files (ulimit -n), or use fewer connections."
    if "Connect call failed" in said or error.errno == errno.ECONNREFUSED:
        return f"no address of {host} took the connection ({said}). Is the API server running?"
    return f"talking to {host} failed ({said})."


def _unloaded(error: BaseException, host: str) -> str:
    return f"the HTTP parser cannot be loaded ({_text(error)}). Install kubewright again."


def _strange(error: BaseException, host: str) -> str:
    return f"{host} is not an address that can be connected to ({_text(error)})."


# The first matching class explains the error, so special classes come before general ones.
_EXPLANATIONS: tuple[tuple[type[BaseException], Callable[[Any, str], str]], ...] = (
    (ssl.SSLCertVerificationError, _unverified),
    (ssl.SSLZeroReturnError, _cut),
    (ssl.SSLEOFError, _cut),
    (ssl.SSLError, _tls),
    (socket.gaierror, _lookup),
    (ConnectionRefusedError, _refused),
    (ConnectionError, _cut),
    (EOFError, _cut),
    (UnicodeError, _strange),
    (ImportError, _unloaded),
    (OSError, _other),
)
