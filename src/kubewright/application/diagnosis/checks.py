"""All checks, in the order of a report."""

from kubewright.application.diagnosis import (
    apiservices,
    definitions,
    deletion,
    deployment,
    events,
    failures,
    health,
    lease,
    rights,
    samples,
    server,
    versions,
    webhooks,
)
from kubewright.application.diagnosis.examination import Check

__all__ = ["CHECKS"]

CHECKS: tuple[Check, ...] = (
    Check("server", server.look),
    Check("API services", apiservices.look),
    Check("deployment", deployment.look),
    Check("health", health.look),
    Check("CRDs", definitions.look),
    Check("versions", versions.look),
    Check("rights", rights.look),
    Check("webhooks", webhooks.look),
    Check("leader election", lease.look),
    Check("deletions", deletion.look),
    Check("objects", samples.look),
    Check("reconciles", failures.look),
    Check("events", events.look),
)
"""What is looked for."""
