"""Kopf's webhook server: ``python -m bench.webhook.kopf <port> <certificate>``.

The handlers are coroutines: functions would go through a pool of threads, and cost more.
"""

import logging
import sys
from typing import Any

import kopf  # type: ignore[import-not-found]  # only in .venv-bench

from bench.webhook.data import DEFAULTS, GROUP, PATHS, PLURAL


@kopf.on.startup()  # type: ignore[untyped-decorator]  # as above
def configure(settings: kopf.OperatorSettings, **_: Any) -> None:
    """Listen where the benchmark sends its reviews, and write no configurations."""
    port, certificate = sys.argv[1:]
    settings.posting.enabled = False
    settings.admission.server = kopf.WebhookServer(
        addr="127.0.0.1", port=int(port), certfile=certificate, pkeyfile=certificate
    )


@kopf.on.mutate(GROUP, "v1", PLURAL, id=PATHS["default"][1:])  # type: ignore[untyped-decorator]  # as above
async def default(spec: Any, patch: Any, **_: Any) -> None:
    """Set two fields."""
    for name, value in DEFAULTS.items():
        if name not in spec:
            patch.spec[name] = value


@kopf.on.validate(GROUP, "v1", PLURAL, id=PATHS["validate"][1:])  # type: ignore[untyped-decorator]  # as above
async def validate(spec: Any, old: Any, **_: Any) -> None:
    """Check an update."""
    if spec["region"] != old["spec"]["region"]:
        raise kopf.AdmissionDeniedError("spec.region cannot change")
    if spec["replicas"] < 0:
        raise kopf.AdmissionDeniedError("spec.replicas must not be negative")
    for container in spec["template"]["spec"]["containers"]:
        if not container.get("image"):
            raise kopf.AdmissionDeniedError(f"container {container['name']} has no image")


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    kopf.run(standalone=True, clusterwide=True)
