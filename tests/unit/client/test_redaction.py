import msgspec
import pytest

from kubewright.client.redaction import redacted_repr, redacted_url


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


class Address(msgspec.Struct, kw_only=True):
    at: str
    proxy: str | None = None


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://me:secret@proxy:3128", "http://***@proxy:3128"),
        ("http://me:se@cret@proxy", "http://***@proxy"),
        ("me:secret@proxy", "***@proxy"),
        ("http://proxy:3128", "http://proxy:3128"),
    ],
)
def test_a_url_is_shown_without_its_password(url: str, shown: str) -> None:
    """The address of a proxy helps; who may use it is nobody's business."""
    assert redacted_url(url) == shown
    assert redacted_repr(Address(at="x", proxy=url), urls=("proxy",)) == (
        f"Address(at='x', proxy={shown!r})"
    )
