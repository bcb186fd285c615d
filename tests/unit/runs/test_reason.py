"""Why a reconcile runs, in words."""

from kubewright.api import ObjectKey
from kubewright.runs import Reason


def test_a_reason_says_which_event_of_which_object() -> None:
    """A line in the log answers the question why this was reconciled."""
    assert str(Reason("Pod", "MODIFIED", ObjectKey("shop", "web-0"))) == "Pod MODIFIED shop/web-0"


def test_a_reason_says_what_its_sender_said() -> None:
    """A request from outside has no object; what it was about is for the sender to say."""
    assert str(Reason("payments", detail="order 4711")) == "payments order 4711"
    assert str(Reason("retry")) == "retry"
