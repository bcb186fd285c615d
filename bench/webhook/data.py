"""The reviews that the servers answer: Shops, typed objects with a pod template inside.

Everything comes from numbers, so that each run and each server gets the same bytes.
"""

import json
import random
from typing import Any

from bench.pod import managed, pod

GROUP = "bench.kubewright.dev"
KIND, PLURAL = "Shop", "shops"
DEFAULTS = {"concurrencyPolicy": "Allow", "historyLimit": 3}
"""What the mutating webhook sets."""

_NAME = f"{GROUP.replace('.', '-')}-v1-{KIND.lower()}"
PATHS = {"default": f"/mutate-{_NAME}", "validate": f"/validate-{_NAME}", "convert": "/convert"}

CONVERTED = 100
"""How many objects one conversion review has."""

Json = dict[str, Any]


def shop(number: int, *, small: bool = False) -> Json:
    """Return Shop *number* in v1: 7 kB as after its creation, or 2 kB with one short container."""
    dice = random.Random(number)
    source = pod(number, dice)
    metadata = source["metadata"]
    kept = ("name", "namespace", "uid", "creationTimestamp", "labels", "annotations")
    spec = {
        "schedule": f"{number % 60} */2 * * 1-5",
        "region": f"region-{number % 7}",
        "replicas": number % 5 + 1,
        "suspend": False,
        "template": {
            "metadata": {"labels": metadata["labels"], "annotations": metadata["annotations"]},
            "spec": _small(source["spec"]) if small else _large(source["spec"]),
        },
    }
    fields = [] if small else metadata["managedFields"][:1]
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": KIND,
        "metadata": {name: metadata[name] for name in kept}
        | {"generation": 1, "managedFields": [managed("kubectl", {"f:spec": {}}), *fields]},
        "spec": spec,
    }


def _large(spec: Json) -> Json:
    main, proxy = spec["containers"]
    more = [main | {"name": f"worker-{number}"} for number in range(3)]
    return {name: spec[name] for name in spec if name != "nodeName"} | {
        "containers": [main, proxy, *more]
    }


def _small(spec: Json) -> Json:
    main = spec["containers"][0]
    return {
        "containers": [{name: main[name] for name in main if name != "volumeMounts"}],
        "restartPolicy": "OnFailure",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "tolerations": spec["tolerations"],
    }


def body(scenario: str, number: int) -> bytes:
    """Return the review *number* of a scenario, as a server of Kubernetes writes it."""
    review = _conversion(number) if scenario == "convert" else _admission(scenario, number)
    return json.dumps(review, separators=(",", ":")).encode()


def refused(number: int) -> bytes:
    """Return a review that the validating webhook must refuse: the region has changed."""
    review = _admission("validate", number)
    review["request"]["object"]["spec"]["region"] = "elsewhere"
    return json.dumps(review, separators=(",", ":")).encode()


def uid(number: int) -> str:
    """Return the uid of review *number*."""
    return f"00000000-0000-4000-8000-{number:012d}"


def _admission(scenario: str, number: int) -> Json:
    update = scenario == "validate"
    new, old = shop(number), shop(number) if update else None
    if update:
        new["spec"] |= {**DEFAULTS, "replicas": 7}
        new["metadata"]["generation"] = 2
    kind = {"group": GROUP, "version": "v1", "kind": KIND}
    resource = {"group": GROUP, "version": "v1", "resource": PLURAL}
    options = "UpdateOptions" if update else "CreateOptions"
    return {
        "kind": "AdmissionReview",
        "apiVersion": "admission.k8s.io/v1",
        "request": {
            "uid": uid(number),
            "kind": kind,
            "resource": resource,
            "requestKind": kind,
            "requestResource": resource,
            "name": new["metadata"]["name"],
            "namespace": new["metadata"]["namespace"],
            "operation": "UPDATE" if update else "CREATE",
            "userInfo": {"username": "admin", "groups": ["system:masters", "system:authenticated"]},
            "object": new,
            "oldObject": old,
            "dryRun": False,
            "options": {
                "kind": options,
                "apiVersion": "meta.k8s.io/v1",
                "fieldManager": "kubectl-client-side-apply",
                "fieldValidation": "Strict",
            },
        },
    }


def _conversion(number: int) -> Json:
    first = number * CONVERTED
    return {
        "kind": "ConversionReview",
        "apiVersion": "apiextensions.k8s.io/v1",
        "request": {
            "uid": uid(number),
            "desiredAPIVersion": f"{GROUP}/v2",
            "objects": [shop(first + index, small=True) for index in range(CONVERTED)],
        },
    }
