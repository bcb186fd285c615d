"""Keys that come twice are found, and documents without them are let through quickly."""

import pytest

from kubewright.apiserver.schema.duplicates import (
    duplicate_fields,
    may_repeat,
    strict_problems,
)


def test_repeated_keys_are_named_once_with_their_path() -> None:
    """The messages are those of strict decoding."""
    body = b'{"a":1,"a":2,"a":3,"b":[{"c":{"d":1,"d":1}}]}'

    assert duplicate_fields(body) == ["a", "b[0].c.d"]


@pytest.mark.parametrize(
    ("body", "keys", "may"),
    [
        (b'{"a":1,"b":{"c":2}}', 3, False),
        (b'{"a": 1}', 1, False),
        (b'{"a":1,"a":2}', 1, True),
        (b'{"a" :1}', 1, True),
        (b'{"a\\":":1}', 1, True),
    ],
)
def test_the_quick_check_never_misses_one(body: bytes, keys: int, *, may: bool) -> None:
    """It may be wrong the other way round: then the slow one decides."""
    assert may_repeat(body, keys) is may


def test_a_broken_document_has_no_repeated_keys() -> None:
    """The decoder reports a broken document, so this module need not."""
    assert duplicate_fields(b"{") == []


def test_the_list_ends_after_a_hundred() -> None:
    """A client cannot make the answer grow without bound."""
    body = "{" + ",".join(f'"k{i}":1,"k{i}":1' for i in range(150)) + "}"

    assert len(duplicate_fields(body.encode())) == 100


def test_strict_decoding_tells_all_in_the_order_of_the_server() -> None:
    """Built-in kinds by document, custom ones by sort of problem."""
    body = b'{"a":1,"a":2,"zz":{"q":1,"q":2},"zz":1,"b":[{"c":1,"c":1}]}'

    assert strict_problems(body, ["zz"], custom=False) == [
        'duplicate field "a"',
        'unknown field "zz"',
        'duplicate field "b[0].c"',
    ]
    assert strict_problems(body, ["zz"], custom=True) == [
        'duplicate field "a"',
        'duplicate field "zz.q"',
        'duplicate field "zz"',
        'duplicate field "b[0].c"',
        'unknown field "zz"',
    ]
    assert strict_problems(b"a: 1", ["x"], custom=False) == ['unknown field "x"']
