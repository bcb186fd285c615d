import ssl

from hypothesis import given
from hypothesis import strategies as st

from kubewright._http.certificate import alternative_names
from tests.unit._http.certificates import Authority


def certificate_of(context: ssl.SSLContext) -> bytes:
    """Return the certificate that a server with *context* shows."""
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.verify_mode = ssl.CERT_NONE
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [client.wrap_bio(down, up), context.wrap_bio(up, down, server_side=True)]
    for end in ends * 3:
        try:
            end.do_handshake()
        except ssl.SSLWantReadError:
            continue
    return ends[0].getpeercert(binary_form=True) or b""


def test_names_and_addresses_are_read_in_order(authority: Authority) -> None:
    """The message shows them as `openssl x509 -text` would."""
    names = ["kubernetes", "kubernetes.default.svc", "10.96.0.1", "::1", "*.k8s.example"]

    der = certificate_of(authority.server(*names))

    assert alternative_names(der) == names


def test_many_names_are_read_too(authority: Authority) -> None:
    """More than 127 bytes take the long form of a length."""
    names = [f"node-{number}.k8s.example" for number in range(100)]

    assert alternative_names(certificate_of(authority.server(*names))) == names


@given(start=st.sampled_from([b"", b"\x06\x03\x55\x1d\x11"]), rest=st.binary())
def test_any_bytes_give_a_list(start: bytes, rest: bytes) -> None:
    """The certificate comes from a server that is not trusted."""
    assert isinstance(alternative_names(start + rest), list)


def test_names_that_would_upset_a_terminal_are_left_out() -> None:
    """An error message is no place for escape sequences from the network."""
    names = b"\x82\x04\x1b[2J\x82\x02ok"
    der = b"\x06\x03\x55\x1d\x11\x04%c\x30%c%b" % (len(names) + 2, len(names), names)

    assert alternative_names(der) == ["ok"]
