import copy

from kubewright.embedded.node.access import AccessError, LogOptions, Output


def test_an_error_is_what_it_says() -> None:
    """It is printed to people, and copied like any other."""
    error = AccessError(404, 'pod "web" not found')

    assert str(error) == 'pod "web" not found'
    assert copy.copy(error).code == 404


def test_options_ask_for_the_whole_log_unless_they_say_otherwise() -> None:
    """As ``kubectl logs`` without flags."""
    options = LogOptions()

    assert not options.follow
    assert options.tail_lines is None
    assert Output("stdout", b"x").stream == "stdout"
