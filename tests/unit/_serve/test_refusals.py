import pytest

from kubewright._serve.messages import Response
from kubewright._serve.refusals import Refusals

REFUSALS = Refusals()


@pytest.mark.parametrize(
    ("refusal", "code", "text"),
    [
        (REFUSALS.malformed(), 400, b"400 Bad Request"),
        (REFUSALS.malformed(408, "Request Timeout"), 408, b"408 Request Timeout"),
        (REFUSALS.too_large(3), 413, b"413 Request Entity Too Large: limit is 3"),
        (
            REFUSALS.too_many_connections(),
            503,
            b"503 Service Unavailable: too many connections",
        ),
        (
            REFUSALS.too_much_at_once(),
            429,
            b"429 Too Many Requests: too much is being sent at once",
        ),
    ],
)
def test_refusals_are_plain_text(refusal: Response, code: int, text: bytes) -> None:
    """Nothing is known of who asks, so it is said as Go says it: for people."""
    assert (refusal.status, refusal.body) == (code, text)
    assert refusal.content_type.startswith("text/plain")


def test_too_many_clients_are_told_when_to_come_again() -> None:
    """Go's client does, if the answer says when."""
    assert REFUSALS.too_many_connections().headers == (("Retry-After", "1"),)


def test_a_fault_of_ours_shows_its_kind_and_not_its_content() -> None:
    """The text of an exception may hold what the client must not see."""
    refusal = REFUSALS.failed(ValueError("secret"))

    assert (refusal.status, refusal.body) == (500, b"500 Internal Server Error: ValueError")
