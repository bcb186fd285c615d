"""Metrics of roles."""

from typing import Any

import pytest

from kubewright import _json
from kubewright._serve.messages import Request, Response
from kubewright.ansible.proxy import metrics
from kubewright.metrics import exposition


def post(name: str, **wish: Any) -> Response:
    """Ask for a metric."""
    body = _json.encode({"name": name, "description": "d", **wish})
    return metrics.answer(Request("POST", metrics.PATH, body=body))


def test_each_sort_of_metric_is_on_the_page() -> None:
    """With what was added, set and seen."""
    for wish in ({"increment": True}, {"add": 2.5}, {}):
        assert post("role_a_total", counter=wish).status == 200
    post("role_b", gauge={"set": 5.0})
    post("role_b", gauge={"subtract": 2.0, "increment": True})
    post("role_c", histogram={"observe": 2.0})
    post("role_d", summary={"observe": 4.0})
    post("role_e", gauge={"set_to_current_time": True})

    page = exposition().decode()

    for line in ("role_a_total 3.5", "role_b 4.0", "role_c_sum 2.0", "role_d_sum 4.0"):
        assert f"\n{line}\n" in page
    assert "\nrole_e 1." in page


@pytest.mark.parametrize(
    ("name", "wish", "message"),
    [
        ("not a name", {"counter": {}}, "cannot be the name"),
        ("role_f_total", {"counter": {"add": -1}}, "a counter only grows"),
        ("role_f_total", {}, "is neither a counter"),
        ("role_f_total", {"counter": {"add": "x"}}, "Expected `float"),
    ],
)
def test_what_cannot_be_is_refused(name: str, wish: dict[str, Any], message: str) -> None:
    """The task fails with the reason."""
    answer = post(name, **wish)

    assert answer.status == 400
    assert message in _json.loads(answer.body)["message"]


def test_metric_keeps_its_sort() -> None:
    """Two roles may use one name."""
    post("role_g", gauge={})

    assert b"is a gauge already" in post("role_g", counter={}).body
    assert metrics.answer(Request("GET", metrics.PATH)).status == 405
