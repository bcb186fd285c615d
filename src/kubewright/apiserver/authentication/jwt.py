"""JSON Web Tokens, signed with the one key of this server."""

import binascii
from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

    PrivateKey = EllipticCurvePrivateKey | RSAPrivateKey

Claims = dict[str, Any]

_PARTS = 3
_URL_SAFE = str.maketrans({"-": "+", "_": "/", "+": "!", "/": "!"})
_COORDINATE = 32
"""Bytes of each of the two numbers in a signature by P-256."""


class TokenError(ValueError):
    """A token is ours, and is not valid; the text says why."""


class SigningKey:
    """Signs tokens with RS256 or ES256, by the kind of its key, and checks what it has signed."""

    def __init__(self, key: "PrivateKey") -> None:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import rsa

        self._key = key
        self._rsa = isinstance(key, rsa.RSAPrivateKey)
        self.algorithm: str = "RS256" if self._rsa else "ES256"
        der = key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        self.id: str = _encode(sha256(der).digest())
        self._head = _encode(_json({"alg": self.algorithm, "kid": self.id}))

    @classmethod
    def generate(cls) -> "SigningKey":
        """Return a new key; it takes a millisecond."""
        from cryptography.hazmat.primitives.asymmetric import ec

        return cls(ec.generate_private_key(ec.SECP256R1()))

    @classmethod
    def load(cls, pem: bytes) -> "SigningKey":
        """Read a private key from PEM.

        Raises:
            ValueError: It is not a key, or neither of RSA nor of P-256.
        """
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ec, rsa

        key = serialization.load_pem_private_key(pem, None)
        if isinstance(key, rsa.RSAPrivateKey):
            return cls(key)
        if isinstance(key, ec.EllipticCurvePrivateKey) and key.curve.name == "secp256r1":
            return cls(key)
        raise ValueError("cannot sign tokens with this key: use one of RSA, or of the curve P-256")

    @property
    def pem(self) -> bytes:
        """The private key, to be loaded again."""
        from cryptography.hazmat.primitives import serialization

        return self._key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )

    @property
    def jwk(self) -> dict[str, str]:
        """The public key as a JSON Web Key."""
        numbers: Any = self._key.public_key().public_numbers()
        found = {"use": "sig", "kty": "RSA" if self._rsa else "EC", "kid": self.id}
        if self._rsa:
            values = {"n": _number(numbers.n), "e": _number(numbers.e)}
        else:
            x, y = _number(numbers.x, _COORDINATE), _number(numbers.y, _COORDINATE)
            values = {"crv": "P-256", "x": x, "y": y}
        return {**found, "alg": self.algorithm, **values}

    def sign(self, claims: Claims) -> str:
        """Return a token that makes these claims."""
        text = f"{self._head}.{_encode(_json(claims))}"
        return f"{text}.{_encode(self._signature(text.encode()))}"

    def verify(self, token: str) -> Claims:
        """Return the claims of a token that this key has signed.

        Raises:
            TokenError: Another key has signed it.
        """
        text, _, signature = token.rpartition(".")
        header = read_part(token, 0) or {}
        if header.get("kid") not in (None, "", self.id):
            raise TokenError("invalid signature, no keys found")
        claims = read_part(token, 1)
        genuine = header.get("alg") == self.algorithm and self._is_genuine(text, signature)
        if not genuine or claims is None:
            raise TokenError("go-jose/go-jose: error in cryptographic primitive")
        return claims

    def _signature(self, data: bytes) -> bytes:
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec, padding, utils

        key: Any = self._key
        if self._rsa:
            signature: bytes = key.sign(data, padding.PKCS1v15(), hashes.SHA256())
            return signature
        r, s = utils.decode_dss_signature(key.sign(data, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(_COORDINATE, "big") + s.to_bytes(_COORDINATE, "big")

    def _is_genuine(self, text: str, signature: str) -> bool:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec, padding, utils

        public: Any = self._key.public_key()
        raw = _decode(signature)
        try:
            if self._rsa:
                public.verify(raw, text.encode(), padding.PKCS1v15(), hashes.SHA256())
                return True
            if len(raw) != 2 * _COORDINATE:
                return False
            r, s = (int.from_bytes(half, "big") for half in (raw[:_COORDINATE], raw[_COORDINATE:]))
            der = utils.encode_dss_signature(r, s)
            public.verify(der, text.encode(), ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            return False
        return True


def read_part(token: str, index: int) -> dict[str, Any] | None:
    """Return the header (0) or the claims (1) of a token, unverified; ``None`` if it has none."""
    parts = token.split(".")
    if len(parts) != _PARTS:
        return None
    try:
        found = msgspec.json.decode(_decode(parts[index]))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _json(value: dict[str, Any]) -> bytes:
    return msgspec.json.encode(value, order="sorted")


def _encode(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    padded = text.translate(_URL_SAFE) + "=" * (-len(text) % 4)
    try:
        # Strictly, since one signature must not have several spellings.
        return binascii.a2b_base64(padded.encode("ascii"), strict_mode=True)
    except (UnicodeEncodeError, binascii.Error):
        return b""


def _number(value: int, size: int | None = None) -> str:
    return _encode(value.to_bytes(size or (value.bit_length() + 7) // 8, "big"))
