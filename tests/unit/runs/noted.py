"""Runs that were noted, without a controller."""

from datetime import UTC, datetime

from kubewright.controller import Request, Run
from kubewright.log import get_logger
from kubewright.runs import Reason
from kubewright.runs.notes import Notes

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def notes(
    name: str = "corner",
    *,
    run_id: str = "a1-1",
    controller: str = "shop",
    namespace: str = "default",
) -> Notes:
    """Return the notes of a run that has just begun."""
    request, why = Request(namespace, name), (Reason("retry"),)
    run = Run(run_id, request, why, 1, controller, get_logger("test"), "Shop")
    return Notes(run, NOON, 10.0, 0.25, lambda: 10.5)
