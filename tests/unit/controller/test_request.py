from datetime import timedelta
from typing import Any

import pytest

from kubewright.api.kind import ObjectKey
from kubewright.controller import Reason, Request, Result


def test_a_request_reads_like_the_object_that_it_names() -> None:
    """It stands in messages."""
    assert str(Request("shop", "web")) == "shop/web"
    assert str(Request("", "node-1", "east")) == "east:node-1"
    assert Request("shop", "web").key == ObjectKey("shop", "web")


@pytest.mark.parametrize(
    ("after", "delay"), [(None, None), (0, None), (5, 5), (timedelta(minutes=2), 120.0)]
)
def test_a_delay_is_given_in_seconds_or_as_a_timedelta(
    after: float | timedelta | None, delay: float | None
) -> None:
    """Both are what people write."""
    assert Result(requeue_after=after).delay == delay


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"requeue_after": "10"}, TypeError),
        ({"requeue_after": True}, TypeError),
        ({"requeue_after": float("nan")}, ValueError),
        ({"requeue_after": float("inf")}, ValueError),
        ({"requeue_after": -0.1}, ValueError),
        ({"requeue_after": timedelta(seconds=-1)}, ValueError),
        ({"requeue_after": 1, "priority": "high"}, TypeError),
        ({"requeue_after": 1, "priority": 0.5}, TypeError),
    ],
)
def test_what_the_queue_could_not_take_is_refused_where_it_is_written(
    wrong: dict[str, Any], error: type[Exception]
) -> None:
    """So the reconcile fails that made it, and no worker or timer that handles it later."""
    with pytest.raises(error, match=r"requeue_after|priority"):
        Result(**wrong)


def test_a_reason_reads_like_a_line_of_a_watch() -> None:
    """What is not known is left out."""
    assert str(Reason("Pod", "ADDED", ObjectKey("shop", "web-0"))) == "Pod ADDED shop/web-0"
    assert str(Reason("retry")) == "retry"
