"""Tell clients, in the TLS handshake, whose certificates the server accepts."""

import _ssl
import ctypes
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl


def announce_authorities(context: "ssl.SSLContext", path: str) -> bool:
    """Let *context* name the authorities in the PEM file at *path*; return whether it can.

    A client with several certificates, such as a browser, chooses by these names. Python's `ssl`
    has no function for them, so this calls OpenSSL directly, through the very library that `ssl`
    has loaded. Where that is impossible (another interpreter, a library without these symbols), no
    names are sent: clients that know which certificate to send are served all the same.
    """
    library = _find_library()
    if library is None:
        return False
    names = library.SSL_load_client_CA_file(path.encode())
    if not names:
        return False
    # An `_ssl` context is an object header followed by its SSL_CTX*, since Python 3.2.
    pointer = ctypes.c_void_p.from_address(id(context) + object.__basicsize__)
    library.SSL_CTX_set_client_CA_list(pointer, names)  # which owns the names from now on
    return True


def _find_library() -> ctypes.CDLL | None:
    """Return OpenSSL as `_ssl` uses it, with the types of the two functions."""
    if sys.implementation.name != "cpython":
        return None
    try:
        # The symbols of a library include those of what it is linked with.
        library = ctypes.CDLL(getattr(_ssl, "__file__", None))
        load, announce = library.SSL_load_client_CA_file, library.SSL_CTX_set_client_CA_list
    except (OSError, AttributeError):
        return None
    load.argtypes, load.restype = [ctypes.c_char_p], ctypes.c_void_p
    announce.argtypes, announce.restype = [ctypes.c_void_p, ctypes.c_void_p], None
    return library
