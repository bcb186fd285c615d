import pytest

import kubewright as kw
from kubewright.api.kind import ObjectKey
from kubewright.client import EventRecorder
from kubewright.embedded.controllers.refusal import Refusals
from kubewright.errors import APIError, Attempt, InvalidError, ServerError, Status
from kubewright.kinds.core.v1 import ConfigMap
from kubewright.log import get_logger
from tests.unit.embedded.controllers.stage import staged

WEB = ObjectKey("default", "web")
ABOUT = ConfigMap(metadata=kw.ObjectMeta(name="web", namespace="default", uid="web-uid"))
FINAL = InvalidError(Attempt("create", "endpoints"), Status(message="no", code=422))
FOR_NOW = ServerError(Attempt("create", "endpoints"), Status(message="not now", code=500))


def refusals_of(recorder: EventRecorder) -> Refusals:
    return Refusals("Endpoints", recorder, get_logger(__name__))


def tell(refusals: Refusals, error: APIError) -> None:
    refusals.tell(WEB, error, about=ABOUT, reason="Refused", message="no")


async def test_a_refusal_is_said_once_until_the_server_takes_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """After that, the next one is news."""
    async with staged() as stage:
        refusals = refusals_of(stage.cluster.recorder("test"))

        for _ in range(3):
            tell(refusals, FINAL)
        said = len(caplog.records)
        refusals.forget(WEB)
        tell(refusals, FINAL)

        assert said == 1
        assert len(caplog.records) == 2


async def test_what_may_go_better_the_next_time_is_told_and_raised() -> None:
    """The queue tries it again."""
    async with staged() as stage:
        refusals = refusals_of(stage.cluster.recorder("test"))

        with pytest.raises(ServerError):
            tell(refusals, FOR_NOW)

        assert await stage.events("Refused") == ["no"]
