"""The Guestbook of kubebuilder's quick start as a process: the scaffold, as it comes."""

import asyncio
from contextlib import suppress

import pytest

import kubewright as kw
from guestbook.api.v1.guestbook import Guestbook
from tests.e2e.conftest import Start
from tests.e2e.kubectl import Kubectl
from tests.e2e.program import EXAMPLES, crds_of
from tests.e2e.traefik import eventually

NAME = "guestbook-sample"
SAMPLES = EXAMPLES / "guestbook" / "config" / "samples"


@pytest.fixture(autouse=True)
def _crd(kubectl: Kubectl) -> None:
    """Install the CRD as users of kubectl do."""
    kubectl("apply", "--filename", str(crds_of("guestbook")))
    kubectl("wait", "--for=condition=established", "--filename", str(crds_of("guestbook")))


async def test_the_sample_is_reconciled_and_ready(
    client: kw.Client, kubectl: Kubectl, start: Start
) -> None:
    """What everybody tries first: the log line of the reconciler, and its condition."""
    program = start("guestbook")

    kubectl("apply", "--kustomize", str(SAMPLES))

    line = await asyncio.to_thread(program.wait_for_line, '"reconciled"')
    assert NAME in line
    kubectl("wait", "--for=condition=Ready", f"guestbook/{NAME}", "--timeout=60s")
    stored = await client.get(Guestbook, NAME)
    assert (stored.spec.foo, stored.status.observed_generation) == ("bar", 1)
    assert kubectl("get", "guestbook", NAME).split()[:5] == ["NAME", "READY", "AGE", NAME, "True"]


async def test_kubectl_explains_the_field_that_is_an_example(kubectl: Kubectl) -> None:
    """The text under a field in the class is what its users read."""

    def explanation() -> str:
        with suppress(AssertionError):  # servers publish schemas a moment after the CRD is there
            return kubectl("explain", "guestbooks.spec.foo")
        return ""

    assert "An example of a field." in await eventually(explanation)
