"""Are the CRDs there, accepted, and what the classes of the operator say?"""

from collections.abc import AsyncGenerator, Iterator, Mapping
from typing import Any

from kubewright.api.kind_reference import Kind
from kubewright.application.diagnosis.finding import Finding, error, fine, info, named, warning
from kubewright.application.diagnosis.patient import Patient
from kubewright.crd.comparison.change import Change
from kubewright.crd.comparison.definition import compare
from kubewright.webhook.serving import WebhookServing

__all__ = ["judge", "judge_state", "judge_stored_versions", "look"]

CRD: Kind = Kind("apiextensions.k8s.io/v1", "CustomResourceDefinition")
_SHOWN = 5
_LACKED = frozenset({"field-added", "version-added"})
_REMOVED = frozenset({"stored-version-removed", "version-removed"})
_COSMETIC = frozenset(
    {
        "description-changed",
        "column-added",
        "column-removed",
        "column-changed",
        "short-names-added",
        "short-names-removed",
        "categories-added",
        "categories-removed",
    }
)
"""Rules of `compare` about what only people see."""
_FINALIZERS = (
    "custom-columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name,"
    "FINALIZERS:.metadata.finalizers"
)
_NAMES = (
    "custom-columns=NAME:.metadata.name,KIND:.spec.names.kind,PLURAL:.spec.names.plural,"
    "SHORT:.spec.names.shortNames"
)

Document = Mapping[str, Any]


async def look(patient: Patient) -> AsyncGenerator[Finding, None]:
    """Judge the CRDs of the operator; without one, the state of all CRDs of the cluster."""
    if patient.operator is None:
        found = [one async for one in patient.client.list(CRD)]
        for other in found:
            for finding in judge_state(other):
                yield finding
        yield fine(f"{len(found)} CRDs are installed")
        return
    place = patient.installation
    serving = WebhookServing(namespace=place.namespace if place is not None else "")
    for ours in patient.operator.crds(serve_webhooks=serving):
        theirs = await patient.client.find(CRD, ours["metadata"]["name"])
        wrong = list(judge(ours, theirs, install=patient.commands.install))
        for finding in wrong:
            yield finding
        if not wrong:
            yield fine(f"{named('crd', ours['metadata']['name'])} is installed, as declared")


def judge(ours: Document, theirs: Document | None, *, install: str) -> Iterator[Finding]:
    """Compare a CRD as the classes say it with that of the cluster.

    Args:
        ours: What the classes say.
        theirs: What is in the cluster, if anything.
        install: The command that installs ours.
    """
    name = ours["metadata"]["name"]
    kind = ours["spec"]["names"]["kind"]
    if theirs is None:
        yield error(
            named("crd", name),
            f"There is no CustomResourceDefinition for {kind}: nobody can store an object of it.",
            why=f"The operator cannot watch {kind}, and waits.",
            mend=[install],
        )
        return
    bad = list(judge_state(theirs))
    yield from bad
    if not bad:
        yield from _judge_schema(ours, theirs, install=install)
        yield from judge_stored_versions(ours, theirs)


def judge_state(crd: Document) -> Iterator[Finding]:
    """Say whether the server serves a CRD, or why not."""
    name = crd["metadata"]["name"]
    subject = named("crd", name)
    conditions = {one["type"]: one for one in (crd.get("status") or {}).get("conditions") or ()}
    if crd["metadata"].get("deletionTimestamp"):
        said = conditions.get("Terminating", {}).get("message", "")
        yield error(
            subject,
            "It is being deleted, and with it all of its objects." + (f" {said}" if said else ""),
            why="No object can be created any more. It goes when the last object is gone, which"
            " may wait for finalizers.",
            mend=[
                "# These objects are left; those with finalizers wait for whoever removes them:",
                f"kubectl get {name} --all-namespaces --output {_FINALIZERS}",
            ],
        )
        return
    names = conditions.get("NamesAccepted", {})
    if names.get("status") == "False":
        yield error(
            subject,
            f"The server does not accept its names: {names.get('message') or names.get('reason')}.",
            why="Another CRD has them, so that it is not served.",
            mend=[
                "# Find the other CRD, and delete or rename one of the two:",
                f"kubectl get crds --output {_NAMES}",
            ],
        )
    elif conditions.get("Established", {}).get("status") != "True":
        said = conditions.get("NonStructuralSchema", {}).get("message", "")
        yield error(
            subject,
            "The server has not established it, so that it is not served."
            + (f" {said}" if said else ""),
            mend=[f"kubectl describe crd {name}"],
        )


def _judge_schema(ours: Document, theirs: Document, *, install: str) -> Iterator[Finding]:
    name = ours["metadata"]["name"]
    stored = (theirs.get("status") or {}).get("storedVersions") or ()
    found = [
        one
        for one in compare({name: dict(theirs)}, {name: dict(ours)})
        if not (one.rule in _REMOVED and one.version in stored)  # see `judge_stored_versions`
    ]
    real = [one for one in found if one.rule not in _COSMETIC]
    if not real:
        if found:
            yield info(
                named("crd", name),
                "Descriptions, columns or short names in it are not those of the classes.",
                why="`kubectl explain` and `kubectl get` show old ones.",
                mend=[install],
            )
        return
    lost = any(one.rule in _LACKED for one in real)
    yield (error if lost else warning)(
        named("crd", name),
        "It is not the CRD of the classes:\n" + _listed(real),
        why=(
            "Fields that the cluster does not know are dropped from every object that is written."
            if lost
            else "Objects are checked by other rules than those that the operator counts on."
        ),
        mend=[install],
    )


def _listed(found: list[Change]) -> str:
    # What is lost comes first: it is why the block is there.
    lines = [_line(one) for one in sorted(found, key=lambda one: one.rule not in _LACKED)]
    if len(lines) > _SHOWN:
        lines[_SHOWN:] = [f"  and {len(lines) - _SHOWN} more"]
    return "\n".join(lines)


def _line(change: Change) -> str:
    place = " ".join(part for part in (change.version, change.path) if part)
    if change.rule in _LACKED:
        return f"  {place}: the cluster does not have it"
    text = f"if you install that, {change.text}"
    return f"  {place}: {text}" if place else f"  {text}"


def judge_stored_versions(ours: Document, theirs: Document) -> Iterator[Finding]:
    """Say whether objects may be stored in versions that are on their way out."""
    name = ours["metadata"]["name"]
    stored = list((theirs.get("status") or {}).get("storedVersions") or ())
    known = {one["name"] for one in ours["spec"]["versions"]}
    current = next((one["name"] for one in theirs["spec"]["versions"] if one.get("storage")), "")
    mend = [f"kubewright migrate-storage {name}"]
    if gone := [one for one in stored if one not in known]:
        yield warning(
            named("crd", name),
            f"Objects may still be stored as {', '.join(gone)}, which the classes do not know any"
            f" more (status.storedVersions is {', '.join(stored)}).",
            why="The version cannot be removed from the CRD before they are stored anew.",
            mend=mend,
        )
    elif old := [one for one in stored if one != current]:
        yield info(
            named("crd", name),
            f"Objects may still be stored as {', '.join(old)}; new ones are stored as {current}.",
            why="It does no harm until you want to remove the old version.",
            mend=mend,
        )
