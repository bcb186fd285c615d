"""Do the API servers behind this one answer? One that does not breaks discovery for everybody."""

from collections.abc import AsyncGenerator, Iterator

from kubewright.application.diagnosis.finding import Finding, error, fine, named
from kubewright.application.diagnosis.patient import Patient
from kubewright.kinds.apiregistration.v1 import APIService

__all__ = ["judge", "look"]


async def look(patient: Patient) -> AsyncGenerator[Finding, None]:
    """Judge every APIService that another server stands for."""
    found = [one async for one in patient.client.list(APIService)]
    for one in found:
        for finding in judge(one):
            yield finding
    yield fine(f"{len(found)} API services are registered")


def judge(one: APIService) -> Iterator[Finding]:
    """Say whether *one* is available."""
    service = one.spec.service
    state = next((c for c in one.status.conditions if c.type == "Available"), None)
    if service is None or state is None or state.status != "False":
        return
    name = one.metadata.name
    yield error(
        named("apiservice", name),
        f"The API server of {one.spec.group}/{one.spec.version}, Service {service.name} in"
        f" namespace {service.namespace}, does not answer: {state.message or state.reason}.",
        why="Discovery is incomplete for every client, and no namespace can be deleted until it"
        " answers.",
        mend=[
            f"kubectl get service,endpoints,pods --namespace {service.namespace}",
            "# If nothing provides it any more:",
            f"kubectl delete apiservice {name}",
        ],
    )
