from kubewright.client.http_transport import HTTPTransport
from kubewright.client.tls import TLSContexts
from kubewright.client.transport import Response, TLSProvider, Transport


def test_header_returns_the_first_of_a_name() -> None:
    """A repeated header keeps every value; most readers want the first."""
    response = Response(200, (("warning", "a"), ("warning", "b")), b"")

    assert response.header("warning") == "a"
    assert response.header("retry-after") is None


def test_the_implementations_fit_the_protocols() -> None:
    """Mypy checks these lines; a signature that drifts fails the types, not a user."""

    def transport(real: HTTPTransport) -> Transport:
        return real

    def tls(real: TLSContexts) -> TLSProvider:
        return real

    assert callable(transport)
    assert callable(tls)
