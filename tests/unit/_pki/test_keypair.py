"""`kubewright._pki.keypair`."""

from kubewright._pki.keypair import KeyPair


def test_the_key_is_not_in_its_representation() -> None:
    """A traceback or log that shows a pair gives no key away."""
    pair = KeyPair(b"certificate", b"secret")

    assert "secret" not in repr(pair)
