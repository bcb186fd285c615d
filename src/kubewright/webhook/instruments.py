"""The metrics of webhooks, under the names that controller-runtime gave them."""

from kubewright.metrics import Counter, Gauge, Histogram

__all__ = ["IN_FLIGHT", "LATENCY", "PANICS", "REQUESTS"]

LATENCY: Histogram = Histogram(
    "controller_runtime_webhook_latency_seconds",
    "How long webhooks take to answer.",
    ("webhook",),
)
REQUESTS: Counter = Counter(
    "controller_runtime_webhook_requests_total",
    "Requests to webhooks, by the HTTP status of the answer.",
    ("webhook", "code"),
)
IN_FLIGHT: Gauge = Gauge(
    "controller_runtime_webhook_requests_in_flight",
    "Requests to webhooks that are being answered.",
    ("webhook",),
)
PANICS: Counter = Counter(
    "controller_runtime_webhook_panics_total",
    "Webhooks that failed because of a fault in the program.",
)
