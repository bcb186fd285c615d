import asyncio
from collections.abc import AsyncGenerator

import pytest

from kubewright._aio import VirtualClock
from kubewright.application.diagnosis import Check, Finding, Patient, Severity, examine
from kubewright.application.diagnosis.examination import Look, conclude
from kubewright.application.diagnosis.finding import error, fine, info, warning
from kubewright.client import Client, Config
from kubewright.errors import Attempt, ForbiddenError, Status, TransportError
from tests.unit.application.diagnosis.ward import told


def patient(clock: VirtualClock | None = None) -> Patient:
    """Return a patient whose cluster is never asked."""
    return Patient(Client(Config(server="https://127.0.0.1:1"), clock=clock or VirtualClock()))


def failing(failure: BaseException) -> Look:
    """Return a check that finds something, and then fails."""

    async def look(_: Patient) -> AsyncGenerator[Finding, None]:
        yield error("a", "found before")
        raise failure

    return look


async def healthy(_: Patient) -> AsyncGenerator[Finding, None]:
    """Find that something is fine."""
    yield fine("all good")


async def test_a_check_that_may_not_look_says_which_right_it_lacks() -> None:
    """And it is not a fault of the cluster, nor of the other checks."""
    refused = ForbiddenError(
        Attempt("list", "pods", namespace="shops"), Status(message="no", code=403)
    )

    async def look(_: Patient) -> AsyncGenerator[Finding, None]:
        raise refused
        yield

    found = await examine(patient(), [Check("pods", look), Check("other", healthy)])

    assert found.is_healthy
    assert [one.what for one in found.findings] == [
        "This could not be looked at: you may not list pods in namespace shops."
    ]
    assert found.findings[0].mend[-1] == "kubectl auth can-i list pods --namespace shops"
    assert [one.what for one in found.fine] == ["all good"]


@pytest.mark.parametrize(
    ("failure", "text"),
    [
        (TransportError("connection lost"), "connection lost"),
        (KeyError("spec"), "an unexpected KeyError('spec')"),
    ],
)
async def test_what_was_found_before_a_failure_counts(failure: Exception, text: str) -> None:
    """An odd object, or a lost connection, hides nothing."""
    found = await examine(patient(), [Check("odd", failing(failure))])

    assert told(list(found.findings)) == [("error", "a"), ("warning", "check odd")]
    assert text in found.findings[1].what


async def test_a_check_has_a_deadline() -> None:
    """One webhook that never answers must not hold up the report."""
    clock = VirtualClock()
    one = patient(clock)

    async def look(_: Patient) -> AsyncGenerator[Finding, None]:
        yield warning("a", "found before")
        await clock.sleep(3600)

    still: list[tuple[str, ...]] = []

    checks = [Check("slow", look), Check("other", healthy)]
    examining = asyncio.create_task(
        examine(one, checks, timeout=5, progress=lambda left: still.append(tuple(left)))
    )
    await clock.advance(5)
    found = await examining

    assert told(list(found.findings)) == [("warning", "a"), ("warning", "check slow")]
    assert "did not answer within 5 seconds" in found.findings[1].what
    assert still == [("slow",), ()]


def test_what_follows_from_a_fault_is_told_with_it() -> None:
    """One fault, one block, one command, however long the chain."""
    chain = [
        error("service", "nobody answers", causes=["deployment"]),
        warning("deployment", "not ready", causes=["gone", "crd"]),
        error("crd", "missing"),
        warning("lease", "expired", causes=["other"]),
    ]

    found = conclude(chain, checks=3)

    assert told(list(found.findings)) == [("error", "crd"), ("warning", "lease")]
    assert found.findings[0].consequences == (
        "service: nobody answers",
        "deployment: not ready",
    )


def test_two_findings_that_explain_each_other_are_both_told() -> None:
    """A circle must not make both of them vanish."""
    circle = [error("a", "x", causes=["b"]), error("b", "y", causes=["a"])]

    found = conclude(circle, checks=1)

    assert sum(1 + len(one.consequences) for one in found.findings) == 2


def test_background_alone_is_not_told() -> None:
    """Every cluster has warnings in its events; they matter when something is wrong."""
    events = info("namespace/shops", "Warnings of the last hour", background=True)

    assert conclude([events], checks=1).findings == ()
    assert len(conclude([events, error("a", "b")], checks=1).findings) == 2


def test_hints_are_healthy() -> None:
    """A pipeline must not stop for them."""
    found = conclude([info("a", "b"), fine("c")], checks=1)

    assert found.is_healthy
    assert (found.count(Severity.INFO), found.count(Severity.ERROR)) == (1, 0)
