import pytest

from kubewright.application.diagnosis.refusal import Refusal, refusal_in
from kubewright.crd import PolicyRule

USER = "system:serviceaccount:shops:shop"
APPLIED = "cannot apply widgets.example.com/scale 'a' in namespace 'x': widgets.example.com \"a\""
SAID = (
    f'{APPLIED} is forbidden: User "{USER}" cannot patch resource "widgets/scale" in API group'
    ' "example.com" in the namespace "x"'
)
FOUND = Refusal(USER, ("create", "patch"), "example.com", "widgets/scale", "x", "a")


def test_the_missing_right_is_read_from_the_words_of_the_server() -> None:
    """An apply needs two verbs, and the server names the first one that is missing."""
    assert refusal_in(SAID) == FOUND
    assert FOUND.rules == [
        PolicyRule(("example.com",), ("widgets/scale",), ("create", "patch"), namespace="x")
    ]


@pytest.mark.parametrize("end", [" in the namespace", ' "example.com"', " in API", "cannot patch"])
def test_what_was_cut_off_is_read_from_our_own_words(end: str) -> None:
    """An event has 256 characters, and names of accounts are long."""
    assert refusal_in(SAID[: SAID.index(end) + len(end) - 3]) == FOUND


def test_words_of_others_are_understood_too() -> None:
    """A reconciler may raise an error of its own with what the server said in it."""
    said = f'no way: is forbidden: User "{USER}" cannot watch resource "nodes" in API group ""'

    assert refusal_in(said) == Refusal(USER, ("list", "watch"), "", "nodes")


@pytest.mark.parametrize(
    "said",
    [
        "no such region",
        'pods "a" is forbidden: exceeded quota: few',
        f'something is forbidden: User "{USER}"',
    ],
)
def test_other_failures_are_not_about_rights(said: str) -> None:
    """A quota is mended elsewhere; and half a sentence names no right."""
    assert refusal_in(said) is None
