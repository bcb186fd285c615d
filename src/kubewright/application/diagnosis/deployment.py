"""Is the operator deployed, available, and as many times as it can be?"""

from collections.abc import AsyncGenerator, Iterator, Mapping

from kubewright.api.kind import ObjectKey
from kubewright.application.diagnosis.finding import Finding, error, fine, info, named, warning
from kubewright.application.diagnosis.installation import Installation
from kubewright.application.diagnosis.patient import Patient
from kubewright.application.diagnosis.pods import Trouble, troubles
from kubewright.errors import APIError
from kubewright.kinds.apps.v1 import Deployment

__all__ = ["judge", "look"]

_LINES = 8
_LONGEST = 4000


async def look(patient: Patient) -> AsyncGenerator[Finding, None]:
    """Judge the Deployment of the operator, with the last words of pods that crash."""
    place = patient.installation
    if place is None:
        return
    found = [*troubles(place)] if place.deployment is not None else []
    words = {one.pod: await _last_words(patient, one) for one in found if one.crashed}
    wrong = list(
        judge(place, found, words, deploy=patient.commands.deploy, suspects=patient.suspects)
    )
    for finding in wrong:
        yield finding
    if not wrong:
        ready = place.deployment.status.ready_replicas if place.deployment is not None else 0
        yield fine(f"{place.subject} has {ready or 0} ready pods")


async def _last_words(patient: Patient, trouble: Trouble) -> str:
    """Return the end of the log of the container that crashed; empty if there is none."""
    for previous in (True, False):
        try:
            text = await patient.client.logs(
                trouble.pod,
                container=trouble.container,
                previous=previous,
                tail=_LINES,
                limit_bytes=_LONGEST,
            )
        except APIError:
            continue
        if text.strip():
            return text.rstrip()
    return ""


def judge(
    place: Installation,
    found: list[Trouble],
    words: Mapping[ObjectKey, str],
    *,
    deploy: str,
    suspects: tuple[str, ...] = (),
) -> Iterator[Finding]:
    """Say what is wrong with the Deployment of an operator.

    Args:
        place: How the operator is deployed.
        found: What is wrong with its pods.
        words: The last words of the pods that crashed.
        deploy: The command that deploys the operator.
        suspects: What else could be the cause.
    """
    if place.deployment is None:
        yield _missing(place, deploy)
        return
    spec = place.deployment.spec
    wanted = 1 if spec.replicas is None else spec.replicas
    if wanted == 0:
        yield error(
            place.subject,
            "It is scaled to 0: the operator does not run.",
            why="Nothing is reconciled, and its webhooks do not answer.",
            mend=[f"kubectl scale {place.ref} --replicas 1"],
        )
        return
    if spec.paused:
        yield warning(
            place.subject,
            "Its rollout is paused: changes of it have no effect.",
            mend=[f"kubectl rollout resume {place.ref}"],
        )
    yield from _judge_pods(place, found, words, suspects=suspects)
    if wanted > 1 and not place.is_on("leader-elect"):
        yield warning(
            place.subject,
            f"It has {wanted} replicas, and is not started with --leader-elect.",
            why="All of them reconcile the same objects at the same time.",
            mend=[
                f"kubectl scale {place.ref} --replicas 1",
                "# or add --leader-elect to the arguments of its container",
            ],
        )


def _judge_pods(
    place: Installation,
    found: list[Trouble],
    words: Mapping[ObjectKey, str],
    *,
    suspects: tuple[str, ...],
) -> Iterator[Finding]:
    assert place.deployment is not None
    state, replicas = place.deployment.status, place.deployment.spec.replicas
    wanted = 1 if replicas is None else replicas
    refused = next((one for one in state.conditions if one.type == "ReplicaFailure"), None)
    if refused is not None and refused.status == "True":
        yield error(
            place.subject,
            f"Its pods cannot be created: {refused.message}.",
            why="The operator does not run, or with fewer pods than it should.",
            mend=[f"kubectl describe replicasets --namespace {place.namespace}"],
            causes=suspects,
        )
    elif found:
        for one in found:
            yield one.finding(place, words.get(one.pod, ""), suspects)
    elif _is_new(place.deployment):
        yield _unseen(place)
    elif (state.available_replicas or 0) < wanted:
        yield _unavailable(place, wanted)
    elif _is_stuck(place.deployment):
        yield warning(
            place.subject,
            "Its rollout does not go on: pods of the version before still run.",
            why="Two versions of the operator may be at work.",
            mend=[
                f"kubectl rollout status {place.ref} --timeout 10s",
                "# Back to the version before:",
                f"kubectl rollout undo {place.ref}",
            ],
        )


def _missing(place: Installation, deploy: str) -> Finding:
    if not place.exists:
        subject = named("namespace", place.namespace)
        what = "There is no such namespace: the operator is not deployed there."
    elif place.wanted:
        subject = named("deployment", place.wanted, place.namespace)
        what = "There is no such Deployment."
    else:
        subject = named("namespace", place.namespace)
        what = "There is no Deployment in it: the operator is not deployed there."
    why = "What belongs to a Deployment could not be looked at: pods, rights, Lease, Service."
    return (error if place.wanted else info)(subject, what, why=why, mend=[deploy])


def _unavailable(place: Installation, wanted: int) -> Finding:
    assert place.deployment is not None
    ready = place.deployment.status.available_replicas or 0
    return error(
        place.subject,
        f"{ready} of {wanted} pods are available."
        + ("" if place.pods else " There are no pods at all."),
        why="The operator does not run, or with fewer pods than it should.",
        mend=[f"kubectl describe {place.ref}", f"kubectl get pods --namespace {place.namespace}"],
    )


def _unseen(place: Installation) -> Finding:
    return info(
        place.subject,
        "The cluster has not taken it up yet as it is now.",
        why="If it stays like this, kube-controller-manager does not run.",
        mend=["kubectl get leases --namespace kube-system", f"kubectl describe {place.ref}"],
    )


def _is_new(deployment: Deployment) -> bool:
    """Say whether its controller has not seen the Deployment as it is now."""
    seen = deployment.status.observed_generation or 0
    return seen < (deployment.metadata.generation or 0)


def _is_stuck(deployment: Deployment) -> bool:
    state = deployment.status
    progress = next((one for one in state.conditions if one.type == "Progressing"), None)
    late = progress is not None and progress.reason == "ProgressDeadlineExceeded"
    return late and (state.updated_replicas or 0) < (state.replicas or 0)
