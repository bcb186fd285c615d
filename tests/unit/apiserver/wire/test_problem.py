"""Refusals as answers."""

import msgspec

from kubewright.apiserver.meta import status
from kubewright.apiserver.wire import problem


def test_a_refusal_is_a_status_with_its_code() -> None:
    """Clients read the Status, and proxies the code."""
    answer = problem.response(status.bad_request("é"))

    assert (answer.status, answer.headers) == (400, ())
    assert msgspec.json.decode(answer.body)["message"] == "é"


def test_who_should_come_again_is_told_when() -> None:
    """Clients wait as long as the header says."""
    answer = problem.response(status.too_many_requests("later", retry_after=7))

    assert (answer.status, answer.headers) == (429, (("Retry-After", "7"),))
