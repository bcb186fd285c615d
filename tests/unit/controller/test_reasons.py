from kubewright.api.kind import ObjectKey
from kubewright.controller.reasons import LIMIT, Reasons, text
from kubewright.controller.request import Reason

POD = Reason("Pod", "MODIFIED", ObjectKey("shop", "web-0"))


def test_reasons_gather_until_the_key_is_taken() -> None:
    """A reconcile is told of everything since the last one began."""
    reasons = Reasons[str]()
    reasons.note("a", POD)
    reasons.note("a", Reason("retry"))
    reasons.note("b", POD)

    assert reasons.take("a") == (POD, Reason("retry"))
    assert reasons.take("a") == ()
    assert len(reasons) == 1


def test_the_same_reason_counts_once() -> None:
    """A thousand updates of one pod are one reason."""
    reasons = Reasons[str]()
    for _ in range(1000):
        reasons.note("a", POD)

    assert reasons.take("a") == (POD,)


def test_no_key_gathers_reasons_without_end() -> None:
    """A controller that is paused for a day must not fill the memory."""
    reasons = Reasons[str]()
    for number in range(1000):
        reasons.note("a", Reason("Pod", "ADDED", ObjectKey("shop", f"web-{number}")))

    assert len(reasons.take("a")) == LIMIT


def test_text_names_the_first_and_counts_the_others() -> None:
    """It stands in a log line."""
    reasons = [POD, Reason("retry"), Reason("requeue"), Reason("clock"), Reason("hook")]

    assert text(reasons) == "Pod MODIFIED shop/web-0, retry, requeue and 2 more"
    assert text([]) == ""


def test_reasons_can_be_looked_at_before_the_key_is_taken() -> None:
    """The record of a run says why the next one will come."""
    reasons = Reasons[str]()
    reasons.note("a", POD)

    assert reasons.of("a") == (POD,)
    assert reasons.of("b") == ()
    assert reasons.take("a") == (POD,)
