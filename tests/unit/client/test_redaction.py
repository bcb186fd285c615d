import msgspec

from kubewright.client.redaction import redacted_repr


class Settings(msgspec.Struct):
    name: str = ""
    qps: float = -1.0
    token: str = ""
    certificate: bytes = b""


def shown(settings: Settings) -> str:
    """Return the repr with a secret token and a long certificate."""
    return redacted_repr(settings, secret=("token",), long=("certificate",))


def test_only_what_was_set_is_shown() -> None:
    """Twenty defaults would hide the one thing that somebody changed."""
    assert shown(Settings(name="a", qps=0.0)) == "Settings(name='a', qps=0.0)"


def test_secrets_are_masked_and_long_data_is_counted() -> None:
    """A repr ends in a log or a bug report."""
    text = shown(Settings(token="hunter2", certificate=b"12345"))

    assert text == "Settings(token=***, certificate=<5 bytes>)"
