"""The key that signs the tokens of service accounts: made when first needed, kept if we keep."""

import os
from pathlib import Path

from kubewright.apiserver.authentication.jwt import SigningKey

FILE: str = "service-account.key"


def signing_key(folder: Path | None) -> SigningKey:
    """Return the key in *folder*, made if it is not there; a new one without a folder."""
    if folder is None:
        return SigningKey.generate()
    path = folder / FILE
    if path.exists():
        return SigningKey.load(path.read_bytes())
    key = SigningKey.generate()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(key.pem)
    return key
