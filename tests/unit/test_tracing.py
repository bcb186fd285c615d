"""Tracing: spans for those who have OpenTelemetry, nothing for others."""

import asyncio
import subprocess
import sys

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from kubewright.api import ObjectKey
from kubewright.tracing import is_enabled, span


@pytest.fixture
def exporter(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """Set a provider for one test; the API itself lets it be set only once per process."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    return exporter


def finished(exporter: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    """Return the finished spans by name."""
    return {found.name: found for found in exporter.get_finished_spans()}


def test_a_span_has_its_attributes(exporter: InMemorySpanExporter) -> None:
    """Those that OpenTelemetry has no type for become text; what is not known is left out."""
    with span("reconcile", kind="At", attempt=2, key=ObjectKey("shop", "a"), uid=None) as running:
        running.set_attribute("outcome", "changed")
        running.add_event("applied", {"kind": "Pod"})
        assert running.is_recording()

    found = finished(exporter)["reconcile"]
    assert dict(found.attributes or {}) == {
        "kind": "At",
        "attempt": 2,
        "key": "shop/a",
        "outcome": "changed",
    }
    assert [event.name for event in found.events] == ["applied"]
    assert found.status.is_unset
    assert found.instrumentation_scope is not None
    assert found.instrumentation_scope.name == "kubewright"


def test_a_list_becomes_a_list_of_text(exporter: InMemorySpanExporter) -> None:
    """Such as the reasons of a reconcile."""
    with span("reconcile", reasons=(ObjectKey("shop", "a"), "retry")):
        pass

    attributes = finished(exporter)["reconcile"].attributes or {}
    assert attributes["reasons"] == ("shop/a", "retry")


def test_the_parent_is_the_span_that_runs(exporter: InMemorySpanExporter) -> None:
    """A user's own span may stand between two of ours."""
    with span("reconcile"):
        business = trace.get_tracer("user").start_as_current_span("business")
        with business, span("apply"):
            pass

    found = finished(exporter)
    assert found["reconcile"].parent is None
    for child, parent in (("business", "reconcile"), ("apply", "business")):
        assert found[child].parent == found[parent].context


async def test_the_spans_of_two_tasks_do_not_mix(exporter: InMemorySpanExporter) -> None:
    """Two reconciles run in turns on one thread."""

    async def work(name: str) -> None:
        with span(name):
            await asyncio.sleep(0)
            with span(f"{name}-inner"):
                await asyncio.sleep(0)

    await asyncio.gather(work("a"), work("b"))

    found = finished(exporter)
    for name in "ab":
        assert found[f"{name}-inner"].parent == found[name].context


def test_an_error_is_recorded_and_passes_through(exporter: InMemorySpanExporter) -> None:
    """The trace shows what the caller saw."""
    with pytest.raises(KeyError), span("reconcile"):
        raise KeyError("web")

    found = finished(exporter)["reconcile"]
    assert found.status.status_code is trace.StatusCode.ERROR
    (event,) = found.events
    assert (event.attributes or {})["exception.type"] == "KeyError"


async def test_a_cancellation_ends_the_span_without_an_error(
    exporter: InMemorySpanExporter,
) -> None:
    """Nothing went wrong when a program is stopped."""

    async def work() -> None:
        with span("reconcile"):
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])

    found = finished(exporter)["reconcile"]
    assert task.cancelled()
    assert found.status.is_unset
    assert not found.events


def test_a_new_provider_is_used(
    exporter: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tracer is kept, but not longer than its provider."""
    with span("first"):
        pass
    second = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(second))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)

    with span("second"):
        pass

    assert set(finished(exporter)) == {"first"}
    assert set(finished(second)) == {"second"}


def test_without_a_provider_a_span_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Always the same object, which takes everything and keeps nothing."""
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", None)

    with span("reconcile", kind="At") as running:
        running.set_attribute("outcome", "changed")
        running.add_event("applied")

    assert not is_enabled()
    assert not running.is_recording()
    assert span("a") is span("b")


def test_without_a_provider_errors_pass_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is nothing."""
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", None)

    with pytest.raises(KeyError), span("reconcile"):
        raise KeyError


def test_opentelemetry_is_not_loaded_by_a_program_that_does_not_use_it() -> None:
    """It is an extra, and most do not have it."""
    code = (
        "import sys; from kubewright.tracing import span\n"
        "with span('a', b=1): print('opentelemetry' in sys.modules)"
    )

    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert result.stdout.strip() == "False"
