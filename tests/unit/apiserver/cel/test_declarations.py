"""Functions and their signatures."""

from kubewright.apiserver.cel.celtype import INT, STRING
from kubewright.apiserver.cel.declarations import Overload, find_overloads


def test_a_signature_says_target_arguments_and_result() -> None:
    """The target before the dot is optional."""
    member = Overload("m", "string.(int, list(T)) -> T", print)
    plain = Overload("p", "() -> int", print)

    assert (member.is_member, member.args[:2], member.params) == (
        True,
        (STRING, INT),
        frozenset("T"),
    )
    assert (plain.is_member, plain.args, plain.result) == (False, (), INT)


def test_values_fit_by_the_types_that_they_show() -> None:
    """An empty list fits any list."""
    overload = Overload("o", "(list(int), dyn) -> int", print)

    assert overload.takes(([1], "x"))
    assert overload.takes(([], None))
    assert not overload.takes((["a"], "x"))
    assert not overload.takes(([1],))


def test_functions_of_libraries_are_found_when_they_are_asked_for() -> None:
    """Unknown functions are not found."""
    assert find_overloads("quantity")
    assert find_overloads("_+_")
    assert find_overloads("noSuchFunction") is None
