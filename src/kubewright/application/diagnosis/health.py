"""What the operator says about itself: its readiness, and its page of metrics."""

from collections.abc import AsyncGenerator, Iterator

from kubewright.api.requests import Request
from kubewright.application.diagnosis.finding import Finding, fine, warning
from kubewright.application.diagnosis.installation import Installation
from kubewright.application.diagnosis.patient import Patient
from kubewright.errors import APIError, Attempt, ForbiddenError
from kubewright.kinds.core.v1 import Pod

__all__ = ["judge", "look", "readiness_port"]

_MOST = 3


async def look(patient: Patient) -> AsyncGenerator[Finding, None]:
    """Ask the pods of the operator, through the API server."""
    place = patient.installation
    port = readiness_port(place) if place is not None else None
    if place is None or port is None:
        return
    for pod in [one for one in place.pods if _runs(one)][:_MOST]:
        path = f"{_proxy(pod, port)}/readyz?verbose"
        said, failed = "", False
        try:
            said = await _ask(patient, path, pod)
        except ForbiddenError:
            raise
        except APIError as error:
            said, failed = error.status.message or str(error), True
        for one in judge(place, pod, said, failed=failed, suspects=patient.suspects):
            yield one
        if not failed:
            yield fine(f"pod {pod.metadata.name} says that it is ready")


async def _ask(patient: Patient, path: str, pod: Pod) -> str:
    where, name = pod.metadata.namespace or "", pod.metadata.name
    attempt = Attempt("get", "pods", subresource="proxy", namespace=where, name=name)
    answer = await patient.client.rest.send(Request("GET", path, attempt, accept="*/*"))
    return answer.body.decode("utf-8", "replace")


def _proxy(pod: Pod, port: int) -> str:
    meta = pod.metadata
    return f"/api/v1/namespaces/{meta.namespace}/pods/{meta.name}:{port}/proxy"


def _runs(pod: Pod) -> bool:
    return pod.status.phase == "Running" and pod.metadata.deletion_timestamp is None


def readiness_port(place: Installation) -> int | None:
    """Return the port of ``/readyz``, as the readiness probe of the container names it."""
    container = place.container
    probe = container.readiness_probe if container is not None else None
    if container is None or probe is None or probe.http_get is None:
        return None
    if (probe.http_get.path or "").rstrip("/") != "/readyz":
        return None
    port = probe.http_get.port
    if isinstance(port, int):
        return port
    return next((one.container_port for one in container.ports if one.name == port), None)


def judge(
    place: Installation, pod: Pod, said: str, *, failed: bool, suspects: tuple[str, ...] = ()
) -> Iterator[Finding]:
    """Say which of the operator's own checks fail.

    Args:
        place: How the operator is deployed.
        pod: The pod that was asked.
        said: Its answer, one line for each of its checks.
        failed: Whether it says that it is not ready.
        suspects: What else could be the cause.
    """
    if not failed:
        return
    lines = [line for line in said.splitlines() if line.startswith("[-]")] or said.splitlines()[:3]
    shown = "\n".join(f"  {line}" for line in lines)
    yield warning(
        f"pod/{pod.metadata.name} in namespace {pod.metadata.namespace}",
        f"The operator says that it is not ready:\n{shown}",
        why="It gets no requests of webhooks, and probably does not reconcile.",
        mend=[f"kubectl logs {place.ref} --tail 50"],
        causes=(place.subject, *suspects),
    )
