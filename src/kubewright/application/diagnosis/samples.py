"""Do the objects that are stored fit the classes of the operator?"""

from collections.abc import AsyncGenerator, Iterator
from itertools import islice
from typing import Any

import msgspec

from kubewright import _json
from kubewright.api import requests
from kubewright.api.requests import Place
from kubewright.api.resource import Resource, definition_of, mapping_of, read
from kubewright.application.diagnosis.finding import Finding, fine, named, warning
from kubewright.application.diagnosis.patient import Patient
from kubewright.crd import resource_schema
from kubewright.crd.conformity import problems
from kubewright.errors import DecodeError, NotFoundError

__all__ = ["judge", "look"]

_SHOWN = 5


class _Page(msgspec.Struct):
    items: list[msgspec.Raw] | None = None


async def look(patient: Patient) -> AsyncGenerator[Finding, None]:
    """Judge some objects of each class of the operator that has a CRD."""
    if patient.operator is None:
        return
    for kind in patient.operator.kinds:
        if not isinstance(kind, type) or definition_of(kind).builtin:
            continue
        mapping = mapping_of(kind)
        query = requests.selection(limit=patient.sample)
        try:
            answer = await patient.client.rest.send(requests.list_(Place(mapping), query))
        except NotFoundError:
            continue  # that the CRD is missing is told elsewhere
        objects = [bytes(one) for one in _json.decode(answer.body, _Page).items or ()]
        wrong = [one for raw in objects for one in judge(raw, kind)]
        for finding in wrong[:_SHOWN]:
            yield finding
        if not wrong:
            yield fine(
                f"{len(objects)} {mapping.plural} of {mapping.gvk.api_version} fit the class"
            )


def judge(raw: bytes, kind: type[Resource]) -> Iterator[Finding]:
    """Say whether an object can be read as *kind*, and keeps the rules of its schema."""
    tree: dict[str, Any] = _json.loads(raw)
    meta, mapping = tree["metadata"], mapping_of(kind)
    resource = f"{mapping.plural}.{mapping.version}.{mapping.group}"
    where = f" --namespace {meta['namespace']}" if meta.get("namespace") else ""
    subject = named(f"{mapping.plural}.{mapping.group}", meta["name"], meta.get("namespace", ""))
    mend = [f"kubectl edit {resource} {meta['name']}{where}"]
    try:
        read(raw, kind)
    except DecodeError as error:
        yield warning(
            subject,
            f"It does not fit the class {kind.__name__}: {error}.",
            why="The operator cannot reconcile it.",
            mend=mend,
        )
        return
    if found := list(islice(problems(tree, resource_schema(kind)), _SHOWN)):
        yield warning(
            subject,
            f"It breaks the rules of its class: {'; '.join(found)}.",
            why="It was stored under older rules; the next change of it may be refused.",
            mend=mend,
        )
