"""Does the operator fail on its objects, though it runs? It says so itself, in events on them."""

from collections.abc import AsyncGenerator, Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from kubewright.api.kind_reference import Kind
from kubewright.api.meta import ObjectMeta
from kubewright.application.application import Application
from kubewright.application.calls import Call
from kubewright.application.coverage import allows
from kubewright.application.diagnosis.failure import (
    REASON,
    Failure,
    failures_in,
    reconciled_kinds,
)
from kubewright.application.diagnosis.finding import Finding, error, fine, info, named
from kubewright.application.diagnosis.installation import Installation
from kubewright.application.diagnosis.patient import Patient
from kubewright.application.diagnosis.refusal import Refusal, refusal_in
from kubewright.application.diagnosis.rights import rules_for
from kubewright.application.rights import SYSTEM, missing_rights, rights_in, text_of, user_of
from kubewright.errors import ForbiddenError, KubewrightError, NotFoundError
from kubewright.kinds.authorization.v1 import (
    NonResourceAttributes,
    SubjectAccessReview,
    SubjectAccessReviewSpec,
)
from kubewright.kinds.core.v1 import Event, Pod

__all__ = ["State", "is_over", "judge", "look"]

_MOST = 100  # objects that are read; where more fail, those tell enough
_SHOWN = 5


class State(NamedTuple):
    """What is known about a failure beside its event.

    Attributes:
        meta: The metadata of the object; ``None`` if it is gone.
        granted: Whether the right that it lacked is there now; ``None`` if that is not known, or
            it lacked none.
        declared: Whether the operator declares that right.
        shared: Whether several reconcilers of the operator write such objects.
    """

    meta: ObjectMeta | None = None
    granted: bool | None = None
    declared: bool = False
    shared: bool = False


async def look(patient: Patient) -> AsyncGenerator[Finding, None]:
    """Judge what the operator says on its objects, in all namespaces that we may see."""
    operator = patient.operator
    if operator is None:
        return
    unseen: ForbiddenError | None = None
    try:
        events = await _events(patient, [""])
    except ForbiddenError as refused:
        events, unseen = await _events(patient, _homes(patient)), refused
    recent = list(failures_in(events, operator, patient.now))
    may_ask = bool(recent) and await _may_ask(patient)
    lasting: list[tuple[Failure, State]] = []
    for failure in recent[:_MOST]:
        state = await _state(patient, operator, failure, may_ask=may_ask)
        if not is_over(failure, state, patient):
            lasting.append((failure, state))
    for finding in judge(lasting, patient):
        yield finding
    if unseen is not None:
        raise unseen  # which is told as a hint
    if not lasting:
        yield fine("the operator reports no failure on its objects")


async def _events(patient: Patient, namespaces: Iterable[str]) -> list[Event]:
    fields = {"type": "Warning", "reason": REASON}
    return [
        one
        for where in namespaces
        async for one in patient.client.list(Event, namespace=where, fields=fields)
    ]


def _homes(patient: Patient) -> list[str]:
    """Return where objects of the operator may be that somebody may see who sees not all."""
    place = patient.installation
    if place is None:
        return [patient.client.namespace]
    given = (one for one in place.flags.get("namespace", ()) if one and "$(" not in one)
    return [*dict.fromkeys([*given, place.namespace])]


async def _may_ask(patient: Patient) -> bool:
    """Say whether the server tells us what others may do; if not, no right counts as granted."""
    attributes = NonResourceAttributes(path="/healthz", verb="get")
    spec = SubjectAccessReviewSpec(user="nobody", non_resource_attributes=attributes)
    try:
        await patient.client.create(SubjectAccessReview(spec=spec))
    except KubewrightError:
        return False
    return True


async def _state(
    patient: Patient, operator: Application, failure: Failure, *, may_ask: bool
) -> State:
    meta = await _find(patient, failure)
    if meta is None:
        return State()
    place, refusal = patient.installation, refusal_in(failure.message)
    state = State(
        meta,
        declared=refusal is not None and _is_declared(refusal, operator, place),
        shared=[*reconciled_kinds(operator)].count(failure.mapping) > 1,
    )
    if refusal is None or place is None or refusal.user != user_of(place.account)[0] or not may_ask:
        return state
    missing = await missing_rights(patient.client, refusal.rules, account=place.account)
    return state._replace(granted=not missing)


async def _find(patient: Patient, failure: Failure) -> ObjectMeta | None:
    """Return what is known of the object that failed; ``None`` if it is gone."""
    kind: Kind = Kind(failure.api_version, failure.mapping.kind)
    try:
        found: Any = await patient.client.find(kind, failure.name, namespace=failure.namespace)
    except NotFoundError:
        return None  # that the kind is missing is told elsewhere
    except ForbiddenError:
        return ObjectMeta(name=failure.name, uid=failure.uid)  # it may be there
    return None if found is None else found.metadata


def _is_declared(refusal: Refusal, operator: Application, place: Installation | None) -> bool:
    rules = operator.rules() if place is None else rules_for(operator, place)
    rights = [right for rule in rules for right in rights_in(rule)]
    if place is not None:
        own = (one for one in rights if one.namespace == SYSTEM)
        rights += [one._replace(namespace=place.namespace) for one in own]
    calls = (
        Call(verb, refusal.group, refusal.resource, refusal.namespace, refusal.name)
        for verb in refusal.verbs
    )
    return all(any(allows(right, call) for right in rights) for call in calls)


# --- Judgement ---


def is_over(failure: Failure, state: State, patient: Patient) -> bool:
    """Say whether something shows that the object does not fail any more."""
    meta = state.meta
    if meta is None or (failure.uid and meta.uid != failure.uid):
        return True
    if state.granted:
        return True
    if state.granted is None and _is_changed(meta, failure):
        return True
    if state.granted is None and not state.shared and _is_written(meta, failure, patient):
        return True
    pods = patient.installation.pods if patient.installation is not None else ()
    # A new process reconciles all objects, and says anew what still fails.
    return bool(pods) and all(_is_after(_started(one), failure) for one in pods)


def _is_changed(meta: ObjectMeta, failure: Failure) -> bool:
    """Say whether the spec was changed later, which queues the object at once.

    A change elsewhere, such as another controller's annotation, may not.
    """
    specs = (one for one in meta.managed_fields if not one.subresource and "f:spec" in one.fields)
    return any(_is_after(one.time, failure) for one in specs)


def _is_written(meta: ObjectMeta, failure: Failure, patient: Patient) -> bool:
    """Say whether the operator wrote the object later: a run that fails says so after its writes.

    What others wrote later proves nothing.
    """
    writer = patient.operator.name if patient.operator is not None else ""
    return any(
        one.manager == writer and _is_after(one.time, failure) for one in meta.managed_fields
    )


def _is_after(time: datetime | None, failure: Failure) -> bool:
    return time is not None and time > failure.last


def _started(pod: Pod) -> datetime | None:
    """Return when the last container of *pod* started; ``None`` if none of them runs."""
    states = (one.state.running for one in pod.status.container_statuses if one.state is not None)
    return max((one.started_at for one in states if one and one.started_at), default=None)


def judge(failures: Iterable[tuple[Failure, State]], patient: Patient) -> Iterator[Finding]:
    """Report failures, those of the same cause together."""
    groups: dict[tuple[tuple[str, str], bool], list[tuple[Failure, State]]] = {}
    for failure, state in failures:
        # A right that is still missing needs no further try to be a fault.
        lasts = state.granted is False or not failure.is_due(patient.now)
        groups.setdefault((failure.alike, lasts), []).append((failure, state))
    for (_, lasts), group in islice(groups.items(), _SHOWN):
        (failure, state), more = group[0], len(group) - 1
        yield (
            _lasting(failure, state, more, patient) if lasts else _silent(failure, more, patient)
        )


def _lasting(failure: Failure, state: State, more: int, patient: Patient) -> Finding:
    refusal, place = refusal_in(failure.message), patient.installation
    what = f"It is not reconciled: the operator fails, and says:\n  {failure.message}"
    causes: tuple[str, ...] = ()
    mend = [_describe(failure)]
    if refusal is not None and state.declared and place is not None:
        # The check of the rights tells which of the declared ones are missing, and grants them.
        causes = (named("serviceaccount", place.account.name, place.account.namespace),)
        mend = [patient.commands.deploy]
    elif refusal is not None:
        rules = text_of(refusal.in_every_namespace() if _is_everywhere(place) else refusal.rules)
        what += "\nNothing declares this right:\n" + _indented(rules)
        mend = [
            "# The audit adds the rule to the code if a test of yours does this:",
            *patient.commands.audit,
            patient.commands.deploy,
        ]
    elif place is not None and place.deployment is not None:
        mend.append(f"kubectl logs {place.ref} --tail 50")
    if place is not None and place.subject and not place.works:
        causes = (*causes, place.subject)
    return error(
        failure.subject,
        what,
        why=f"{_others(more)}What its spec asks for is missing, or not up to date.",
        mend=mend,
        causes=causes,
    )


def _silent(failure: Failure, more: int, patient: Patient) -> Finding:
    minutes = round((patient.now - failure.last).total_seconds() / 60)
    ago = f"{minutes} minutes ago" if minutes > 1 else "a minute ago"
    return info(
        failure.subject,
        f"The operator failed on it {ago}, and has not said so again:\n  {failure.message}",
        why=f"{_others(more)}Either it works again, or the operator has given up, as it does after"
        " a TerminalError.",
        mend=[_describe(failure)],
    )


def _is_everywhere(place: Installation | None) -> bool:
    """Say whether the operator looks at all namespaces, so that its rights are for all."""
    return place is None or not any(place.flags.get("namespace", ()))


def _others(more: int) -> str:
    return f"The same happens to {more} more. " if more else ""


def _describe(failure: Failure) -> str:
    where = f" --namespace {failure.namespace}" if failure.namespace else ""
    return f"kubectl describe {failure.resource} {failure.name}{where}"


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
