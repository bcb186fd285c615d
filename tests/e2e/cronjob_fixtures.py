"""Fixtures for the CronJob sample with webhooks; tests name this module in ``pytest_plugins``."""

from collections.abc import AsyncIterator

import pytest

import kubewright as kw
from cronjob import operator
from kubewright.testing.ports import free_ports
from kubewright.webhook import WebhookServing
from tests.e2e.conftest import Start
from tests.e2e.cronjobs import CONFIGURATIONS, CRD, StartCronJob
from tests.e2e.kubectl import Kubectl
from tests.e2e.program import Program

HOST = "127.0.0.1"


@pytest.fixture
async def serving(client: kw.Client, kubectl: Kubectl) -> AsyncIterator[WebhookServing]:
    """Install the CRD with its conversion, and return where the webhooks are to be served.

    Everything is removed at the end. Kubernetes' garbage collector and its namespaces wait for a
    conversion that nobody answers any more, and would do no other work for the next test either.
    """
    (port,) = free_ports(1)
    place = WebhookServing(host=HOST, port=port, url=f"https://{HOST}:{port}")
    await operator.install_crds(client, serve_webhooks=place)
    yield place
    kubectl("delete", "--ignore-not-found", *CONFIGURATIONS, CRD)


@pytest.fixture
def start_cronjob(start: Start, serving: WebhookServing) -> StartCronJob:
    """Start the operator; return when API servers call its webhooks."""

    def begin() -> Program:
        flags = ("--webhook-host", serving.host, "--webhook-port", str(serving.port))
        program = start("cronjob", "--install-webhooks", *flags)
        program.wait_for_line("webhooks registered")
        return program

    return begin
