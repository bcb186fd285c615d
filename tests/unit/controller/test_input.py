from kubewright.controller import Channel
from kubewright.controller.input import Input


def test_an_input_names_what_it_waits_for_until_it_is_ready() -> None:
    """This is what the health page shows."""
    channel = Channel("payments")
    one = Input(channel, channel)
    before = one.waits_for

    one.is_ready = True

    assert (before, one.waits_for) == ("payments", "")
