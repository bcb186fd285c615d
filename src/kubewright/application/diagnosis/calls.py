"""Lets the API server call the webhooks of an operator, without storing anything."""

import re
from collections.abc import AsyncGenerator, Iterator
from typing import Any

from kubewright import _json
from kubewright.api import requests
from kubewright.api.kind import RESTMapping
from kubewright.api.kind_reference import likely_mapping
from kubewright.api.requests import Place, WriteOptions
from kubewright.application.application import Application
from kubewright.application.diagnosis.finding import Finding, error, fine, named
from kubewright.application.diagnosis.patient import Patient
from kubewright.errors import APIError, ForbiddenError, NotFoundError
from kubewright.webhook.admission import Admission

__all__ = ["call", "judge", "specimen"]

_NAME = "doctor-"
_FAILED = re.compile(r'failed calling webhook "(?P<name>[^"]+)": (?P<why>.+)', re.DOTALL)
_NOT_CONVERTED = re.compile(r"conversion webhook for [^:]+ failed: (?P<why>.+)", re.DOTALL)


async def call(patient: Patient, operator: Application) -> AsyncGenerator[Finding, None]:
    """Create one object of each admitted kind as a dry run, and read one in each version."""
    mappings = dict.fromkeys(
        likely_mapping(one.kind)
        for one in operator.webhooks.admissions
        if isinstance(one, Admission) and one.kind is not None
    )
    for mapping in mappings:
        said = await _create(patient, mapping)
        if said is None:
            continue
        wrong = list(judge(said, mapping))
        for finding in wrong:
            yield finding
        if not wrong:
            yield fine(f"the webhooks of {mapping.plural} answer")
    for conversion in operator.webhooks.conversions:
        for kind in conversion.kinds.values():
            mapping = likely_mapping(kind)
            failed = await _read(patient, mapping)
            for finding in judge(failed, mapping):
                yield finding


async def _create(patient: Patient, mapping: RESTMapping) -> str | None:
    """Return what the server says to a new object; ``None`` if it does not know the kind."""
    send = patient.client.rest.send
    namespace = patient.client.namespace if mapping.namespaced else ""
    query = requests.selection(limit=1)
    try:
        listed = await send(requests.list_(Place(mapping), query))
        found = (_json.loads(listed.body).get("items") or [None])[0]
        document = specimen(found, mapping, namespace=namespace)
        place = Place(mapping, document["metadata"].get("namespace", ""))
        body = _json.encode(document)
        await send(requests.create(place, body, WriteOptions(dry_run=True)))
    except ForbiddenError as refused:
        if "webhook" in (refused.status.message or ""):
            return ""  # the webhook itself says no, and so it answers
        raise
    except NotFoundError:
        return None  # that is told elsewhere
    except APIError as refused:
        return refused.status.message or str(refused)
    return ""


def specimen(
    found: dict[str, Any] | None, mapping: RESTMapping, *, namespace: str
) -> dict[str, Any]:
    """Return an object to try with: a copy of one that there is, or an empty one."""
    meta: dict[str, Any] = {"generateName": _NAME}
    if mapping.namespaced:
        meta["namespace"] = found["metadata"]["namespace"] if found is not None else namespace
    spec = found.get("spec", {}) if found is not None else {}
    return {
        "apiVersion": mapping.gvk.api_version,
        "kind": mapping.kind,
        "metadata": meta,
        "spec": spec,
    }


async def _read(patient: Patient, mapping: RESTMapping) -> str:
    """Return what the server says to a list in one version; empty if it converts."""
    query = requests.selection(limit=1)
    try:
        await patient.client.rest.send(requests.list_(Place(mapping), query))
    except ForbiddenError:
        raise
    except APIError as failed:
        return failed.status.message or str(failed)
    return ""


def judge(said: str, mapping: RESTMapping) -> Iterator[Finding]:
    """Say whether the server has failed to call a webhook; other refusals are answers.

    Args:
        said: What the server said; empty if it took the object.
        mapping: The kind of the object.
    """
    group = f".{mapping.group}" if mapping.group else ""
    resource = f"{mapping.plural}{group}"
    if found := _FAILED.search(said):
        yield error(
            f"webhook {found['name']}",
            f"The API server cannot call it: {found['why'].strip()}",
            why=f"{mapping.kind} objects cannot be written.",
            mend=[
                "kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations",
                "# Its Service, the pods behind it, and their log tell more.",
            ],
        )
    elif found := _NOT_CONVERTED.search(said):
        yield error(
            named("crd", resource),
            f"Its versions cannot be converted: {found['why'].strip()}",
            why=f"{mapping.kind} objects cannot be read as {mapping.version}.",
            mend=[f"kubectl describe crd {resource}"],
        )
