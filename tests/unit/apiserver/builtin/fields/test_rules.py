from kubewright.apiserver.builtin.fields import rules


def test_choices_are_listed_in_their_order() -> None:
    """Kubernetes sorts some lists and leaves others as they are."""
    (error,) = rules.one_of("c", ("b", "a"), "spec.x")

    assert str(error) == 'spec.x: Unsupported value: "c": supported values: "b", "a"'


def test_a_choice_that_is_missing_is_required() -> None:
    """Nothing is not a wrong choice."""
    (error,) = rules.needed_one_of(None, ("a",), "spec.x")

    assert str(error) == "spec.x: Required value"


def test_an_absent_number_is_zero() -> None:
    """Go cannot tell the two apart."""
    (error,) = rules.port(None, "port")

    assert str(error) == "port: Invalid value: 0: must be between 1 and 65535, inclusive"


def test_only_what_changed_is_immutable() -> None:
    """Each field has an error of its own."""
    found = rules.same({"a": 1, "b": 2}, {"a": 1, "b": 3}, ("a", "b"))

    assert [str(error) for error in found] == ["b: Invalid value: 2: field is immutable"]


def test_amounts_are_compared_as_amounts() -> None:
    """``0`` has many spellings."""
    assert rules.quantity_positive("0m", "x")
    assert not rules.quantity_positive("1m", "x")
    assert rules.quantity_not_negative("-1Ki", "x")


def test_the_first_place_of_an_item_tells_repetitions() -> None:
    """Without comparing each with each."""
    assert rules.first_indexes("abca") == {"a": 0, "b": 1, "c": 2}
