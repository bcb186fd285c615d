from datetime import timedelta

import pytest

from kubewright.api.kind import ObjectKey
from kubewright.controller import Reason, Request, Result


def test_a_request_reads_like_the_object_that_it_names() -> None:
    """It stands in messages."""
    assert str(Request("shop", "web")) == "shop/web"
    assert str(Request("", "node-1", "east")) == "east:node-1"
    assert Request("shop", "web").key == ObjectKey("shop", "web")


@pytest.mark.parametrize(("after", "delay"), [(None, None), (5, 5), (timedelta(minutes=2), 120.0)])
def test_a_delay_is_given_in_seconds_or_as_a_timedelta(
    after: float | timedelta | None, delay: float | None
) -> None:
    """Both are what people write."""
    assert Result(requeue_after=after).delay == delay


def test_a_reason_reads_like_a_line_of_a_watch() -> None:
    """What is not known is left out."""
    assert str(Reason("Pod", "ADDED", ObjectKey("shop", "web-0"))) == "Pod ADDED shop/web-0"
    assert str(Reason("retry")) == "retry"
