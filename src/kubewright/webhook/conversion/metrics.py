"""The metric of conversions, under the name that controller-runtime gave it."""

from kubewright.metrics import Counter, CounterValue

PANICS: CounterValue = Counter(
    "controller_runtime_conversion_webhook_panics_total",
    "Conversions that failed because a function raised.",
).labels()
