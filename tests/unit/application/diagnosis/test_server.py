from datetime import date, timedelta

import pytest

from kubewright.application.diagnosis.finding import Severity
from kubewright.application.diagnosis.server import (
    greet,
    judge_clock,
    judge_kubectl,
    judge_version,
)
from kubewright.testing import EmbeddedServer


@pytest.mark.parametrize(
    ("version", "severity", "text"),
    [
        ("v1.36.1", Severity.FINE, "supported until 2027-06-28"),
        ("v1.35.0", Severity.FINE, "supported until 2027-02-28"),
        ("v1.34.0", Severity.WARNING, "out of support since 2026-10-27"),
        ("v1.19.0", Severity.ERROR, "older than 1.20"),
        ("v1.99.0", Severity.FINE, "newer than our table"),
        ("v2.0.0", Severity.FINE, "newer than our table"),
        ("strange", Severity.INFO, "cannot be read"),
    ],
)
def test_a_version_is_compared_with_the_table(version: str, severity: Severity, text: str) -> None:
    """The date decides, not the number of versions since."""
    (found,) = judge_version(version, date(2026, 11, 1))

    assert found.severity is severity
    assert text in found.what


def test_the_end_of_support_is_told_two_months_before() -> None:
    """An upgrade takes time."""
    (found,) = judge_version("v1.35.0", date(2027, 1, 10))

    assert (found.severity, "ends on 2027-02-28" in found.what) == (Severity.INFO, True)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(30, "30 seconds ahead of"), (-90, "2 minutes behind"), (9000, "2 hours ahead of")],
)
def test_clocks_that_are_apart_are_told(seconds: float, text: str) -> None:
    """Tokens, certificates and leases are all judged by them."""
    (found,) = judge_clock(timedelta(seconds=seconds))

    assert found.severity is Severity.WARNING
    assert text in found.what


@pytest.mark.parametrize("seconds", [0, 5, -5])
def test_a_few_seconds_are_nothing(seconds: float) -> None:
    """The answer takes a moment, and its header has whole seconds only."""
    (found,) = judge_clock(timedelta(seconds=seconds))

    assert found.severity is Severity.FINE


def test_kubectl_may_be_one_version_apart() -> None:
    """That is what Kubernetes promises."""
    assert [one.severity for one in judge_kubectl("v1.30.0", "v1.31.0")] == [Severity.FINE]
    assert [one.severity for one in judge_kubectl("v1.29.0", "v1.31.0")] == [Severity.INFO]
    assert list(judge_kubectl("", "v1.31.0")) == []


async def test_the_first_answer_tells_the_version_and_the_time() -> None:
    """Everything else is judged by them."""
    async with EmbeddedServer() as server, server.client() as client:
        found = await greet(client)

    assert found.version.git_version.startswith("v1.")
    assert abs(found.ahead) <= timedelta(seconds=5)
