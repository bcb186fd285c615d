"""Objects for the tests of checks, written as YAML."""

import json
from datetime import UTC, datetime
from typing import Any, TypeVar

import yaml

from kubewright import _json
from kubewright.api.kind import ObjectKey
from kubewright.application.diagnosis import Installation
from kubewright.application.diagnosis.finding import Finding
from kubewright.kinds.apps.v1 import Deployment
from kubewright.kinds.core.v1 import Pod

T = TypeVar("T")

NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)


def made(kind: type[T], text: str) -> T:
    """Return an object of *kind*."""
    return _json.convert(loaded(text), kind)


def loaded(text: str) -> dict[str, Any]:
    """Return a document; times stay texts, as they are in JSON."""
    found = yaml.load(text, Loader=yaml.BaseLoader)  # strings only
    return {key: _typed(value) for key, value in found.items()}


def _typed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _typed(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_typed(one) for one in value]
    if value in {"true", "false"}:
        return value == "true"
    return int(value) if isinstance(value, str) and value.isdigit() else value


def installed(
    *, flags: str = "", env: str = "[]", replicas: int = 1, ready: int = 1, pods: str = ""
) -> Installation:
    """Return an operator that is deployed in the namespace ``shops``.

    Args:
        flags: What it is started with.
        env: The environment of its container, as YAML.
        replicas: How many pods there should be.
        ready: How many of them are ready.
        pods: The status of its pod, as YAML; without it there is none.
    """
    variables = json.dumps(yaml.safe_load(env))
    deployment = made(
        Deployment,
        f"""
        metadata: {{name: shop, namespace: shops, generation: 1}}
        spec:
          replicas: {replicas}
          template:
            metadata: {{labels: {{app: shop}}}}
            spec: {{containers: [{{name: manager, args: [{flags}], env: {variables}}}]}}
        status: {{observedGeneration: 1, readyReplicas: {ready}, availableReplicas: {ready}}}
        """,
    )
    meta = "metadata: {name: shop-1, namespace: shops, uid: u1}"
    found = (made(Pod, f"{meta}\nspec: {{containers: []}}\nstatus: {pods}"),) if pods else ()
    return Installation(
        namespace="shops",
        account=ObjectKey("shops", "shop"),
        deployment=deployment,
        pods=found,
    )


def told(found: list[Finding]) -> list[tuple[str, str]]:
    """Return how bad each finding is, and what it is about."""
    return [(one.severity.value, one.subject) for one in found]
