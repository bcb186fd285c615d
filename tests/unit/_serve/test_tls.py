import ssl
import tempfile
from pathlib import Path

import pytest

from kubewright._pki.authority import Authority
from kubewright._serve.tls import ServerTLS


def test_clients_may_come_without_a_certificate_but_not_with_a_wrong_one() -> None:
    """Tokens need none; a wrong one is a mistake that somebody should hear of."""
    authority = Authority()
    pair = authority.serving("localhost")

    asks = ServerTLS(pair.certificate, pair.key, authority.certificate).context()
    silent = ServerTLS(pair.certificate, pair.key).context()

    assert asks.verify_mode == ssl.CERT_OPTIONAL
    assert silent.verify_mode == ssl.CERT_NONE
    assert asks.minimum_version >= ssl.TLSVersion.TLSv1_2


def test_the_key_is_left_in_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenSSL reads keys from files only; ours is gone afterwards, and in no log either."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    pair = Authority().serving("localhost")
    tls = ServerTLS(pair.certificate, pair.key)

    tls.context()

    assert not list(tmp_path.iterdir())
    assert pair.key.decode() not in repr(tls)
