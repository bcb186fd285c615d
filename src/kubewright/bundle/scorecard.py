"""The configuration of operator-sdk's scorecard, which runs tests on a bundle."""

from typing import Any

__all__ = ["configuration"]

_IMAGE = "quay.io/operator-framework/scorecard-test:v1.42.3"
_TESTS = (
    ("basic", "basic-check-spec"),
    ("olm", "olm-bundle-validation"),
    ("olm", "olm-crds-have-validation"),
    ("olm", "olm-crds-have-resources"),
    ("olm", "olm-spec-descriptors"),
    ("olm", "olm-status-descriptors"),
)


def configuration() -> dict[str, Any]:
    """Return a configuration with all the tests that the scorecard brings."""
    return {
        "apiVersion": "scorecard.operatorframework.io/v1alpha3",
        "kind": "Configuration",
        "metadata": {"name": "config"},
        "stages": [{"parallel": True, "tests": [_test(*one) for one in _TESTS]}],
    }


def _test(suite: str, name: str) -> dict[str, Any]:
    return {
        "entrypoint": ["scorecard-test", name],
        "image": _IMAGE,
        "labels": {"suite": suite, "test": f"{name}-test"},
        "storage": {"spec": {"mountPath": {}}},
    }
