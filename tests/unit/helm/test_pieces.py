"""Texts of which only some pieces are random."""

from time import monotonic

import pytest

from kubewright.helm.pieces import kept_text

DRAWN = [
    ("Xk29dQ", "pW7aa1", "zzT0o9"),
    ("1f3a-99-c0", "aa01-b7-22", "0e0e-41-9d"),
    ("$2a$10$ab.cd/e", "$2a$10$x/yz.0", "$2a$10$o.o/o"),
    ("aB+c/d==", "zz/y+x==", "k+l/m+n="),
    tuple(
        f"-----BEGIN A-----\nMII{one}\nsame\nin+all\n{one}\n-----END A-----"
        for one in ("ab+c", "kl+=", "x/==")
    ),
]


@pytest.mark.parametrize(("new", "other", "old"), DRAWN)
@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("token: {}\nhost: new\n", "token: {}\nhost: old\n"),
        ("token: {}\nhost: new\n", "token: {}\nextra: 1\nhost: old\n"),
        ("token: {}\nextra: 1", "token: {}"),
        ("postgres://app:{}@new:5432/shop", "postgres://app:{}@old/shop"),
        ("admin:{}", "root1:{}"),
    ],
)
def test_only_what_is_random_is_kept(
    text: str, before: str, new: str, other: str, old: str
) -> None:
    """A new host counts, and the password beside it stays."""
    kept = kept_text(text.format(new), text.format(other), before.format(old))

    assert kept == text.format(old)


def test_text_that_is_random_as_a_whole_is_the_old_one() -> None:
    """Whatever its letters, some of which are the same by chance."""
    assert kept_text("a-b/c", "a-d/e", "f+g") == "f+g"


def test_piece_without_a_place_before_is_new() -> None:
    """There is nothing to keep."""
    assert kept_text("token: x\nhost: a\n", "token: y\nhost: a\n", "host: a\n") == (
        "token: x\nhost: a\n"
    )


def test_long_text_is_compared_in_a_moment() -> None:
    """The event loop waits for it; lines that are there often would take minutes."""
    lines = "".join(f"line {number}\n\n" for number in range(5000))
    began = monotonic()

    kept = kept_text(f"{lines}a: 1\nb: 2\n", f"{lines}a: 3\nb: 2\n", f"{lines}a: 4\nb: 5\n")

    assert kept.endswith("\nb: 2\n")
    assert monotonic() - began < 5
