import pytest

from kubewright.api.kind import ObjectKey
from kubewright.embedded.controllers.refusal import Refusals
from kubewright.log import get_logger

WEB = ObjectKey("default", "web")


def test_a_refusal_is_said_once_until_the_server_takes_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """After that, the next one is news."""
    refusals = Refusals(get_logger(__name__))

    said = [refusals.note(WEB, ValueError("no"), kind="Endpoints") for _ in range(3)]
    refusals.forget(WEB)
    again = refusals.note(WEB, ValueError("no"), kind="Endpoints")

    assert said == [True, False, False]
    assert again
    assert len(caplog.records) == 2
