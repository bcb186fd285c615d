"""Which objects and namespaces are being deleted, and wait: for which finalizer, and for whom?"""

import json
from collections.abc import AsyncGenerator, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from kubewright import _json
from kubewright.api import requests
from kubewright.api.kind import RESTMapping
from kubewright.api.kind_reference import likely_mapping
from kubewright.api.meta import ListMeta, ObjectMeta
from kubewright.api.requests import METADATA_LIST, Place
from kubewright.application.application import Application
from kubewright.application.diagnosis.finding import Finding, error, fine, named, warning
from kubewright.application.diagnosis.patient import Patient
from kubewright.errors import NotFoundError
from kubewright.kinds.core.v1 import Namespace

__all__ = ["Keeper", "judge", "judge_namespace", "look"]

_MOST_PAGES = 20
_PAGE = 500
_SHOWN = 5
_EACH_KIND = (
    "kubectl api-resources --verbs list --namespaced --output name | xargs -n 1 kubectl get"
)
_FAILURES = (
    "NamespaceDeletionDiscoveryFailure",
    "NamespaceDeletionGroupVersionParsingFailure",
    "NamespaceDeletionContentFailure",
    "NamespaceFinalizersRemaining",
    "NamespaceContentRemaining",
)


class _Item(msgspec.Struct):
    metadata: ObjectMeta


class _Page(msgspec.Struct):
    metadata: ListMeta = msgspec.field(default_factory=ListMeta)
    items: list[_Item] | None = None


class Keeper(NamedTuple):
    """Who keeps objects of a kind until they are cleaned up.

    Attributes:
        finalizers: The finalizers of the operator.
        works: Whether the operator runs.
        deployment: The subject of its Deployment, if there is one.
        ref: The same for kubectl.
    """

    finalizers: frozenset[str] = frozenset()
    works: bool = False
    deployment: str = ""
    ref: str = ""


async def look(patient: Patient) -> AsyncGenerator[Finding, None]:
    """Judge all objects of the kinds that the operator reconciles, and all namespaces."""
    async for one in patient.client.list(Namespace):
        for finding in judge_namespace(one, patient.now, after=patient.stuck_after):
            yield finding
    if patient.operator is None:
        return
    place = patient.installation
    for mapping, finalizers in _kinds(patient.operator).items():
        keeper = Keeper(
            frozenset(finalizers),
            works=place is not None and place.works,
            deployment=place.subject if place is not None else "",
            ref=place.ref if place is not None and place.deployment is not None else "",
        )
        stuck = [
            finding
            async for meta in _deleted(patient, mapping)
            for finding in judge(
                meta, mapping, keeper=keeper, now=patient.now, after=patient.stuck_after
            )
        ]
        for finding in stuck[:_SHOWN]:
            yield finding
        if not stuck:
            yield fine(f"no deletion of {mapping.plural} waits")


def _kinds(operator: Application) -> Mapping[RESTMapping, set[str]]:
    """Return the kinds that are reconciled, with the finalizers of the operator on each."""
    found: dict[RESTMapping, set[str]] = {}
    for one in operator.declarations:
        if one.for_ is None or one.primary.cluster is not None:
            continue
        mine = found.setdefault(likely_mapping(one.kind), set())
        if one.cleanup is not None:
            mine.add(one.cleanup.finalizer)
    return found


async def _deleted(patient: Patient, mapping: RESTMapping) -> AsyncGenerator[ObjectMeta, None]:
    """Yield the metadata of the objects that are being deleted."""
    token = ""
    for _ in range(_MOST_PAGES):
        query = requests.selection(limit=_PAGE, continue_=token)
        request = requests.list_(Place(mapping), query, accept=METADATA_LIST)
        try:
            answer = await patient.client.rest.send(request)
        except NotFoundError:
            return  # that the kind is missing is told elsewhere
        page = _json.decode(answer.body, _Page)
        for one in page.items or ():
            if one.metadata.deletion_timestamp is not None:
                yield one.metadata
        token = page.metadata.continue_ or ""
        if not token:
            return


def judge(
    meta: ObjectMeta, mapping: RESTMapping, *, keeper: Keeper, now: datetime, after: float
) -> Iterator[Finding]:
    """Say whether the deletion of an object is stuck, and who could end it.

    Args:
        meta: The metadata of the object.
        mapping: Its kind.
        keeper: Which finalizers are the operator's, and whether it runs.
        now: The time by the server's clock.
        after: Seconds after which a deletion is stuck.
    """
    began = meta.deletion_timestamp
    if began is None or not meta.finalizers or (now - began).total_seconds() < after:
        return
    resource = f"{mapping.plural}.{mapping.group}" if mapping.group else mapping.plural
    subject = named(resource, meta.name, meta.namespace or "")
    minutes = int((now - began).total_seconds() // 60)
    waits = f"It was deleted {minutes} minutes ago and is still there: it waits for"
    ours = [one for one in meta.finalizers if one in keeper.finalizers]
    if ours and not keeper.works:
        yield error(
            subject,
            f"{waits} the finalizer {ours[0]} of the operator, which does not run.",
            why="Nobody but the operator removes it.",
            mend=[
                "# Let the operator run; it cleans up by itself.",
                "# If it never will again (whatever it would have cleaned up stays):",
                _removal(meta, resource, ours),
            ],
            causes=(keeper.deployment,),
        )
    elif ours:
        yield warning(
            subject,
            f"{waits} the finalizer {ours[0]} of the operator, which runs.",
            why="Its clean-up fails, or takes long.",
            mend=[f"kubectl logs {keeper.ref} --tail 50"] if keeper.ref else [],
        )
    else:
        names = ", ".join(meta.finalizers)
        yield warning(
            subject,
            f"{waits} {names}, which is not the operator's.",
            why="It goes when whoever has set that removes it.",
            mend=[
                "# Find who sets it, and let that run. If it never will again:",
                _removal(meta, resource, meta.finalizers),
            ],
        )


def _removal(meta: ObjectMeta, resource: str, names: list[str]) -> str:
    """Return the command that removes finalizers, and leaves the others."""
    left = [one for one in meta.finalizers if one not in names]
    patch = json.dumps({"metadata": {"finalizers": left or None}})
    where = f" --namespace {meta.namespace}" if meta.namespace else ""
    return f"kubectl patch {resource} {meta.name}{where} --type merge --patch '{patch}'"


def judge_namespace(one: Namespace, now: datetime, *, after: float) -> Iterator[Finding]:
    """Say whether the deletion of a namespace is stuck, and why."""
    began = one.metadata.deletion_timestamp
    if began is None or (now - began).total_seconds() < after:
        return
    name = one.metadata.name
    said: dict[str, Any] = {
        state.type: state.message for state in one.status.conditions if state.status == "True"
    }
    reasons = [text.rstrip(".") for key in _FAILURES if (text := said.get(key))]
    minutes = int((now - began).total_seconds() // 60)
    yield warning(
        named("namespace", name),
        f"It was deleted {minutes} minutes ago and is still there"
        + (f": {'; '.join(reasons)}." if reasons else "."),
        why="Nothing can be created in it, and its name is not free.",
        mend=[
            "# This lists what is left in it:",
            f"{_EACH_KIND} --ignore-not-found --show-kind --namespace {name}",
        ],
    )
