import errno
import http.client
import inspect
import socket
import ssl
import sys

import httptools.parser.errors
import pytest

from kubewright._http.errors import is_parser_error, transport_error
from kubewright.errors import TransportError, TransportTimeoutError

TRIED = "GET https://k8s.example:6443"
HOST = "k8s.example:6443"


def exceptions_of(*modules: object) -> list[type[Exception]]:
    """Return every exception class that the modules define or show."""
    found = {
        member
        for module in modules
        for name, member in inspect.getmembers(module, inspect.isclass)
        if not name.startswith("_")
        if issubclass(member, Exception) and not issubclass(member, Warning)
    }
    return sorted(found, key=lambda kind: f"{kind.__module__}.{kind.__qualname__}")


FOREIGN = exceptions_of(httptools.parser.errors, ssl, socket)
OS_ERRORS = [kind for kind in OSError.__subclasses__() if kind.__module__ == "builtins"]


def explained(error: BaseException) -> str:
    return str(transport_error(error, TRIED, host=HOST))


def reason(error: BaseException) -> str:
    """Return what comes after the attempt, which names the host in any case."""
    text = explained(error)
    assert text.startswith(f"cannot {TRIED}: ")
    return text.removeprefix(f"cannot {TRIED}: ")


@pytest.mark.parametrize("kind", FOREIGN, ids=lambda kind: kind.__name__)
def test_every_exception_of_the_libraries_is_mapped(kind: type[Exception]) -> None:
    """A new class in httptools or ssl must get words of its own, not fall through."""
    assert HOST in reason(kind("said so"))


@pytest.mark.parametrize("kind", OS_ERRORS, ids=lambda kind: kind.__name__)
def test_every_error_of_the_system_names_the_host(kind: type[OSError]) -> None:
    """Whatever the kernel says, the reader must learn about which server."""
    assert HOST in reason(kind(errno.EIO, "said so"))


def test_the_walk_sees_the_classes_that_matter() -> None:
    """A walk over nothing would pass, and prove nothing."""
    names = {kind.__name__ for kind in FOREIGN}

    assert {"HttpParserError", "HttpParserUpgrade", "SSLError", "gaierror"} <= names


def test_a_foreign_error_of_no_known_library_is_still_ours() -> None:
    """Callers catch `TransportError` and nothing else."""
    error = transport_error(http.client.HTTPException("odd"), TRIED, host=HOST)

    assert type(error) is TransportError


def test_our_own_error_stays_as_it_is() -> None:
    """An error that was explained once is not explained again."""
    ours = TransportTimeoutError("late")

    assert transport_error(ours, TRIED, host=HOST) is ours


@pytest.mark.parametrize("error", [TimeoutError(), TimeoutError(110, "x")])
def test_a_timeout_is_a_timeout(error: Exception) -> None:
    """Retries treat a time-out differently from a refusal."""
    assert isinstance(transport_error(error, TRIED, host=HOST), TransportTimeoutError)


def unverified(code: int, message: str) -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError(1, "certificate verify failed")
    error.verify_code = code
    error.verify_message = message
    return error


def test_a_wrong_name_in_the_certificate_hints_at_tls_server_name() -> None:
    """The text is pinned: everybody who connects through a tunnel meets it."""
    error = unverified(62, "Hostname mismatch, certificate is not valid for 'k8s.example'.")

    assert explained(error) == (
        "cannot GET https://k8s.example:6443: the certificate of k8s.example:6443 is for another"
        " name: Hostname mismatch, certificate is not valid for 'k8s.example'. Use a name that the"
        " certificate holds, or set tls-server-name to one of them."
    )


def test_an_unknown_authority_hints_at_the_one_of_the_cluster() -> None:
    """The text is pinned: a kubeconfig without its CA gives it."""
    error = unverified(19, "self-signed certificate in certificate chain")

    assert explained(error) == (
        "cannot GET https://k8s.example:6443: the certificate of k8s.example:6443 is signed by an"
        " authority that is not trusted here: self-signed certificate in certificate chain. Set"
        " certificate-authority (or certificate-authority-data) to the CA of the cluster."
    )


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        (unverified(10, "certificate has expired"), "has expired. Renew it"),
        (unverified(9, "certificate is not yet valid"), "Check the time of this machine"),
        (unverified(23, "certificate revoked"), "was refused: certificate revoked"),
        (ConnectionRefusedError(111, "refused"), "Is the API server running at k8s.example:6443?"),
        (socket.gaierror(-2, "Name or service not known"), "Check the server address and the DNS"),
        (OSError(errno.EHOSTUNREACH, "No route to host"), "Check the network"),
        (OSError(errno.EMFILE, "Too many open files"), "ulimit -n"),
        (OSError("Multiple exceptions: [Errno 111] Connect call failed"), "API server running?"),
        (ConnectionResetError(104, "reset by peer"), "closed the connection"),
        (UnicodeError("label too long"), "not an address that can be connected to"),
    ],
)
def test_each_common_failure_says_what_to_do(error: Exception, hint: str) -> None:
    """These are the errors of the first day with a cluster."""
    assert hint in explained(error)


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("WRONG_VERSION_NUMBER", "does not speak TLS"),
        ("TLSV13_ALERT_CERTIFICATE_REQUIRED", "Check the client certificate"),
        ("NO_SHARED_CIPHER", "TLS with k8s.example:6443 failed (NO_SHARED_CIPHER)"),
    ],
)
def test_each_failure_of_tls_says_whose_fault_it_is(said: str, hint: str) -> None:
    """OpenSSL's words mean nothing to most readers."""
    error = ssl.SSLError(1, "said so")
    error.reason = said

    assert hint in explained(error)


def test_a_parser_that_is_not_loaded_has_raised_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """To load it for the text of an error could raise another one."""
    monkeypatch.setitem(sys.modules, "httptools.parser.errors", None)

    assert not is_parser_error(RuntimeError("x"))
