"""Formats of strings, as the real server judged each of these."""

import pytest

from kubewright.apiserver.schema.formats import CHECKS, known

GOOD = {
    "bsonobjectid": ["507f1f77bcf86cd799439011"],
    "byte": ["YWJj"],
    "cidr": ["10.0.0.1/8", "fe80::/10"],
    "creditcard": ["4111-1111-1111-1111"],
    "date": ["2026-01-01", "0000-02-29"],
    "date-time": [
        "2026-01-01T00:00:00Z",
        "2026-01-01t00:00:00.123z",
        "2026-01-01T00:00:00,5Z",
        "2026-01-01T00:00:00+99:99",
        "0000-01-01T00:00:00Z",
    ],
    "duration": ["1h30m", "3 days", "-1s", "0", "22 ns", "1d"],
    "email": ["a@b.c", "a b <a@b.c>", "a@b"],
    "hexcolor": ["#FFFFFF"],
    "hostname": ["a.b.com", "localhost"],
    "ipv4": ["1.2.3.4", "1.2.3.04"],
    "ipv6": ["::1"],
    "isbn": ["0321751043", "978-0321751041"],
    "isbn10": ["0321751043"],
    "isbn13": ["978-0321751041"],
    "k8s-long-name": ["a.b"],
    "k8s-short-name": ["a-b"],
    "mac": ["01:23:45:67:89:ab", "0123.4567.89ab"],
    "password": [""],
    "rgbcolor": ["rgb(1,2,3)"],
    "ssn": ["111-11-1111"],
    "uri": ["https://a.b/c", "/a/b", "a:b"],
    "uuid": ["a8098c1a-f86e-11da-bd1a-00112444be1e"],
    "uuid3": ["bcd02e22-68f0-3046-a512-327cca9def8f"],
    "uuid4": ["025b0d74-00a2-4048-bf57-227c5111bb34"],
    "uuid5": ["886313e1-3b8a-5372-9b90-0c9aee199e5d"],
}
BAD = {
    "byte": ["YW", "!", ""],
    "cidr": ["10.0.0.0/33", "10.0.0.0"],
    "creditcard": ["4111111111111112", "1"],
    "date": ["2026-02-30", "26-1-1", "2026-1-01"],
    "date-time": [
        "2026-13-01T00:00:00Z",
        "2026-01-01T00:00:00",
        "2026-01-01T25:00:00Z",
        "2026-01-01T23:59:60Z",
        "2026-01-01 00:00:00Z",
        "2026-01-01T00:00:00.Z",
    ],
    "duration": ["1", "!!", ""],
    "email": ["a@b@c", "a..b@c.d", ""],
    "hostname": ["-a", "", "a" * 64 + ".com"],
    "ipv4": ["::1", "!"],
    "ipv6": ["1.2.3.4"],
    "isbn": ["1", "0321751044"],
    "isbn10": ["x"],
    "isbn13": ["x"],
    "k8s-short-name": ["A"],
    "rgbcolor": ["rgb(256,0,0)"],
    "uri": ["a", "http://[::1", "http://a b/", "", "a\n"],
}


@pytest.mark.parametrize(("name", "texts"), GOOD.items())
def test_good_texts_pass(name: str, texts: list[str]) -> None:
    """Go's parsers are generous in places."""
    assert [text for text in texts if not CHECKS[known(name)](text)] == []


@pytest.mark.parametrize(("name", "texts"), BAD.items())
def test_bad_texts_do_not(name: str, texts: list[str]) -> None:
    """The checks are those of Kubernetes, which are strict in these respects."""
    assert [text for text in texts if CHECKS[known(name)](text)] == []


def test_unheard_of_formats_are_not_checked() -> None:
    """An unknown format is only documentation."""
    assert known("color-of-the-sky") == ""
    assert {known(name) for name in GOOD} == set(CHECKS)
