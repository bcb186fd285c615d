"""The operator as a whole."""

from guestbook.main import operator


def test_the_operator_has_the_name_of_the_project() -> None:
    """Its lease, its Service and its certificate are called after it, also in config/."""
    assert operator.name == "guestbook"


def test_all_modules_fit_together() -> None:
    """What is declared twice, or only in part, would end the operator when it starts."""
    names = [one.name for one in operator.declarations]

    assert len(names) == len(set(names))
