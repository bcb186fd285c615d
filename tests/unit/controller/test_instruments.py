from kubewright.controller.instruments import Instruments
from kubewright.metrics import exposition
from tests.unit.controller.world import metric

NAMES = [
    'controller_runtime_reconcile_total{controller="fresh",result="success"}',
    'controller_runtime_reconcile_total{controller="fresh",result="error"}',
    'controller_runtime_reconcile_total{controller="fresh",result="requeue"}',
    'controller_runtime_reconcile_total{controller="fresh",result="requeue_after"}',
    'controller_runtime_reconcile_errors_total{controller="fresh"}',
    'controller_runtime_terminal_reconcile_errors_total{controller="fresh"}',
    'controller_runtime_reconcile_panics_total{controller="fresh"}',
    'controller_runtime_reconcile_timeouts_total{controller="fresh"}',
    'controller_runtime_reconcile_time_seconds_count{controller="fresh"}',
    'controller_runtime_max_concurrent_reconciles{controller="fresh"}',
    'controller_runtime_active_workers{controller="fresh"}',
]


def test_every_metric_is_on_the_page_before_anything_has_run() -> None:
    """An alert on a rate needs the zero that comes before the first error."""
    instruments = Instruments("fresh", [])

    page = exposition().decode()

    assert [name for name in NAMES if f"{name} 0.0" not in page] == []
    assert instruments.time.count == 0


def test_active_workers_are_looked_up_and_added_over_controllers_of_one_name() -> None:
    """Counting up and down would cost more, and drift."""
    running = {"a": 1}
    both = [Instruments("twins", running), Instruments("twins", {"b": 1, "c": 2})]

    running["d"] = 4

    assert metric("controller_runtime_active_workers", "twins") == 4
    assert len(both) == 2
