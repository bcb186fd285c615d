"""Waits until OLM has planned and installed a version, and finds out why it does not."""

from collections.abc import Callable
from typing import Any

from kubewright.api.kind import GroupVersionKind, ObjectKey
from kubewright.api.kind_reference import Kind
from kubewright.api.unstructured import Unstructured
from kubewright.applyset import ObjectName, find_unready
from kubewright.bundle.document import at, items, text
from kubewright.bundle.subscription.status import (
    csv_text,
    missing_of,
    phase_of,
    plan_name,
    plan_problem,
    subscription_problem,
)
from kubewright.cli.deploy.screen import Screen
from kubewright.cli.olm.installed import CSV
from kubewright.client import Client, wait_for
from kubewright.errors import WaitTimeoutError

__all__ = ["PLAN", "SUBSCRIPTION", "Waiting"]

SUBSCRIPTION: Kind = Kind("operators.coreos.com/v1alpha1", "Subscription")
PLAN: Kind = Kind("operators.coreos.com/v1alpha1", "InstallPlan")
_DEPLOYMENT = GroupVersionKind("apps", "v1", "Deployment")


class Waiting:
    """Waits for OLM, in one namespace.

    Args:
        client: The cluster.
        screen: Hears how far OLM is.
        namespace: Where the operator is installed.
        timeout: Seconds that each wait may take.
    """

    def __init__(self, client: Client, screen: Screen, namespace: str, timeout: float) -> None:
        self._client = client
        self._screen = screen
        self._namespace = namespace
        self._timeout = timeout

    async def plan(self, name: str, version: str, *, before: str = "") -> str:
        """Wait until the Subscription *name* has a plan for *version*; return the plan's name.

        It is empty if OLM has carried it out already.

        Args:
            name: The Subscription.
            version: The version that should be planned.
            before: The plan that it had before; not what is waited for.

        Raises:
            WaitTimeoutError: OLM has made none in time; the message says what it says.
        """

        def is_planned(found: Unstructured | None) -> bool:
            self._screen.show(
                f"waiting until OLM has planned {version}: {subscription_problem(found) or '...'}"
            )
            if found is None or at(found, "status", "installedCSV") == version:
                return True
            is_new = at(found, "status", "currentCSV") in {None, "", version}
            return is_new and plan_name(found) not in {"", before}

        found, is_late = await self._wait(SUBSCRIPTION, name, is_planned)
        if found is None:
            raise WaitTimeoutError(f"subscription/{name} in {self._namespace} is gone")
        if is_late:
            why = subscription_problem(found) or (
                "it does not say why. Does the pod of catalog-operator run?"
            )
            raise WaitTimeoutError(
                f"OLM has not planned {version} within {self._timeout:g} seconds: {why}"
            )
        return "" if at(found, "status", "installedCSV") == version else plan_name(found)

    async def completed(self, plan: str) -> None:
        """Wait until an approved InstallPlan is done.

        Raises:
            WaitTimeoutError: It has failed, or is not done in time.
        """

        def is_over(found: Unstructured | None) -> bool:
            said = plan_problem(found)
            self._screen.show(
                f"installplan/{plan}: {phase_of(found)}{f' ({said})' if said else ''}"
            )
            return found is None or phase_of(found) in {"Complete", "Failed"}

        found, is_late = await self._wait(PLAN, plan, is_over)
        if phase_of(found) == "Complete":
            return
        how = f"is not complete within {self._timeout:g} seconds" if is_late else "has failed"
        why = plan_problem(found) or f"its phase is {phase_of(found) or 'empty'}"
        raise WaitTimeoutError(f"installplan/{plan} in {self._namespace} {how}: {why}")

    async def succeeded(self, version: str) -> None:
        """Wait until a ClusterServiceVersion has succeeded.

        Raises:
            WaitTimeoutError: It has failed, or is not ready in time; the message says what is
                wrong with its requirements and its pods.
        """

        def is_over(found: Unstructured | None) -> bool:
            self._screen.show(f"{version}: {csv_text(found)}")
            return phase_of(found) in {"Succeeded", "Failed"}

        found, is_late = await self._wait(CSV, version, is_over)
        if phase_of(found) == "Succeeded":
            return
        late = f" after {self._timeout:g} seconds" if is_late else ""
        lines = [f"{version} in {self._namespace}: {csv_text(found)}{late}", *missing_of(found)]
        lines += await self._unready(found)
        raise WaitTimeoutError("\n  ".join(lines))

    async def _unready(self, csv: Unstructured | None) -> list[str]:
        deployments = items(at(csv, "spec", "install", "spec", "deployments"))
        names = [
            ObjectName(_DEPLOYMENT, ObjectKey(self._namespace, text(at(one, "name"))))
            for one in deployments
        ]
        there = [one for one in names if await self._client.find(one.gvk, one.key) is not None]
        return [str(one) for one in await find_unready(self._client, there, timeout=0)]

    async def _wait(
        self, kind: Kind, name: str, until: Callable[[Unstructured | None], bool]
    ) -> tuple[Unstructured | None, bool]:
        """Return what the object was at the end, and whether the time was over before that."""
        last: list[Any] = [None]

        def noted(found: Unstructured | None) -> bool:
            last[0] = found
            return until(found)

        try:
            await wait_for(
                self._client, kind, name, noted, namespace=self._namespace, timeout=self._timeout
            )
        except TimeoutError:
            return last[0], True
        return last[0], False
