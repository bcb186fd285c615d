from kubewright.apiserver.admission.reinvocation import Reinvocation


def test_a_change_calls_those_before_it_again() -> None:
    """They asked to see what others make of the object."""
    again = Reinvocation()
    turn = again.begin("webhooks", {"a": 1})
    turn.add("first")

    again.note_change(turn)
    turn.add("last")
    turn.output = {"a": 2}
    again.is_second = True
    turn = again.begin("webhooks", {"a": 2})

    assert again.is_wanted
    assert not again.skips(turn, "first")
    assert again.skips(turn, "last")


def test_a_change_by_another_plugin_calls_all_of_them_again() -> None:
    """Between the rounds the built-in plugins have seen the object, too."""
    again = Reinvocation()
    turn = again.begin("webhooks", {})
    turn.add("only")
    turn.output = {}
    again.is_second = True

    turn = again.begin("webhooks", {"a": 1})

    assert not again.skips(turn, "only")
    assert again.skips(turn, "never called")


def test_nothing_is_skipped_in_the_first_round() -> None:
    """Everybody is asked once."""
    again = Reinvocation()

    assert not again.skips(again.begin("webhooks", {}), "any")
    assert not again.is_wanted
