import asyncio
import datetime as dt
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from kubewright._pki.trust import Trust

HOST = "hook.shop.svc"


class Party:
    """A certificate with the fewest extensions that Go takes, and its key."""

    def __init__(self, name: str, issuer: "Party | None" = None, *, ca: bool = True) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        by, now = issuer or self, dt.datetime.now(dt.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(self.name)
            .issuer_name(by.name)
            .public_key(self.key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(hours=1))
            .not_valid_after(now + dt.timedelta(hours=1))
        )
        part: x509.ExtensionType = x509.BasicConstraints(ca=True, path_length=None)
        if not ca:
            part = x509.SubjectAlternativeName([x509.DNSName(HOST), x509.DNSName("localhost")])
        self.certificate = builder.add_extension(part, critical=ca).sign(by.key, hashes.SHA256())

    @property
    def pem(self) -> str:
        return self.certificate.public_bytes(serialization.Encoding.PEM).decode()

    def serving(self, folder: Path, *chain: "Party") -> ssl.SSLContext:
        """Return the context of a server that shows this certificate, and *chain* after it."""
        key = self.key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        file = folder / "server.pem"
        file.write_text("".join([self.pem, *(one.pem for one in chain), key.decode()]))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context


def shake_hands(server: ssl.SSLContext, client: ssl.SSLContext, host: str = HOST) -> None:
    """Let the two talk until both are content; no network is needed for that."""
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    sides = [
        client.wrap_bio(back, there, server_hostname=host),
        server.wrap_bio(there, back, server_side=True),
    ]
    for _ in range(4):
        for side in sides:
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
    assert sides[0].version() is not None


def test_a_bundle_may_be_the_leaf_or_an_intermediate(tmp_path: Path) -> None:
    """OLM and many charts put the serving certificate itself into caBundle, and Go takes it."""
    root = Party("root")
    middle = Party("middle", root)
    leaf = Party("leaf", middle, ca=False)
    server = leaf.serving(tmp_path, middle)

    for trusted in (leaf, middle, root):
        shake_hands(server, Trust(trusted.pem).context)


@asynccontextmanager
async def listening(context: ssl.SSLContext) -> AsyncIterator[int]:
    """Serve TLS at a port of this machine."""
    server = await asyncio.start_server(
        lambda _, writer: writer.transport.abort(), "127.0.0.1", 0, ssl=context
    )
    async with server:
        yield server.sockets[0].getsockname()[1]


async def test_a_leaf_may_bear_the_name_of_its_issuer(tmp_path: Path) -> None:
    """Go's library makes such certificates, and OpenSSL takes them for self-signed."""
    root = Party("same")
    server = Party("same", root, ca=False).serving(tmp_path)
    trust = Trust(root.pem)
    with pytest.raises(ssl.SSLCertVerificationError) as caught:
        shake_hands(server, trust.context)

    async with listening(server) as port:
        learned = await trust.learn(caught.value, "127.0.0.1", port, name=HOST)

    assert learned
    shake_hands(server, trust.context)


async def test_who_only_bears_the_name_of_an_authority_is_not_trusted(tmp_path: Path) -> None:
    """Names can be copied, signatures cannot."""
    server = Party("same", ca=False).serving(tmp_path)
    trust = Trust(Party("same").pem)
    with pytest.raises(ssl.SSLCertVerificationError) as caught:
        shake_hands(server, trust.context)

    async with listening(server) as port:
        learned = await trust.learn(caught.value, "127.0.0.1", port, name=HOST)

    assert not learned


def test_strangers_are_not_trusted(tmp_path: Path) -> None:
    """What Go refuses is refused: another authority of the same name, and another host."""
    leaf = Party("same", Party("same"), ca=False)
    server = leaf.serving(tmp_path)

    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(server, Trust(Party("same").pem).context)
    with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
        shake_hands(server, Trust(leaf.pem).context, "other.shop.svc")


def test_extensions_that_few_write_are_not_demanded() -> None:
    """Python 3.13 wants key usages and key identifiers of everybody, Go and Kubernetes do not."""
    assert not Trust(Party("root").pem).context.verify_flags & ssl.VERIFY_X509_STRICT
