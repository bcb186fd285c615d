import json
from base64 import urlsafe_b64decode, urlsafe_b64encode

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from kubewright.apiserver.authentication.jwt import SigningKey, TokenError, read_part

CLAIMS = {"iss": "me", "sub": "ann"}


@pytest.fixture(scope="module", params=["ES256", "RS256"])
def key(request: pytest.FixtureRequest) -> SigningKey:
    if request.param == "ES256":
        return SigningKey.generate()
    return SigningKey(rsa.generate_private_key(65537, 2048))


def part(value: object) -> str:
    return urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def test_what_was_signed_is_believed(key: SigningKey) -> None:
    """Also by the same key read again from its file."""
    token = key.sign(CLAIMS)

    assert key.verify(token) == CLAIMS
    assert SigningKey.load(key.pem).verify(token) == CLAIMS
    assert read_part(token, 0) == {"alg": key.algorithm, "kid": key.id}


def test_what_was_changed_is_not(key: SigningKey) -> None:
    """One byte of the claims, or of the signature, is enough."""
    head, _, signature = key.sign(CLAIMS).split(".")
    forged = f"{head}.{part({**CLAIMS, 'sub': 'root'})}.{signature}"
    turned = "A" if signature[0] != "A" else "B"

    for token in (forged, f"{head}.{part(CLAIMS)}.{turned}{signature[1:]}"):
        with pytest.raises(TokenError, match="error in cryptographic primitive"):
            key.verify(token)


@pytest.mark.parametrize("algorithm", ["none", "HS256", "RS256x"])
def test_the_token_does_not_choose_the_algorithm(key: SigningKey, algorithm: str) -> None:
    """A forger would choose none."""
    for signature in ("", "AAAA", "\u00e4", "!!"):
        with pytest.raises(TokenError):
            key.verify(f"{part({'alg': algorithm})}.{part(CLAIMS)}.{signature}")


def test_another_key_is_not_ours(key: SigningKey) -> None:
    """A token names its key, and we have only one."""
    with pytest.raises(TokenError, match="invalid signature, no keys found"):
        SigningKey.generate().verify(key.sign(CLAIMS))


@pytest.mark.parametrize("token", ["", "a", "a.b", "....", "a.b.c", "e30.W10.x", "e30.\u00fc.x"])
def test_what_is_no_token_has_no_claims(token: str) -> None:
    """A static token may look like anything."""
    assert read_part(token, 1) is None


def test_the_public_key_can_be_read_by_others() -> None:
    """Coordinates are of full length even if they begin with zeros."""
    jwk = SigningKey.generate().jwk

    assert (jwk["kty"], jwk["crv"], jwk["alg"], jwk["use"]) == ("EC", "P-256", "ES256", "sig")
    assert all(len(urlsafe_b64decode(jwk[name] + "=")) == 32 for name in ("x", "y"))


def test_other_kinds_of_keys_are_refused() -> None:
    """P-384 would need another algorithm than the one we announce."""
    from cryptography.hazmat.primitives import serialization

    pem = ec.generate_private_key(ec.SECP384R1()).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )

    with pytest.raises(ValueError, match="use one of RSA, or of the curve P-256"):
        SigningKey.load(pem)
