"""Runs the tests of a scorecard, those of its own in the process and the others in pods."""

import asyncio
import secrets
from collections.abc import Mapping, Sequence

from kubewright.api.kind_reference import Kind
from kubewright.api.unstructured import Unstructured
from kubewright.applyset.diagnosis import trouble_of
from kubewright.bundle.document import at
from kubewright.bundle.reading import Bundle
from kubewright.bundle.scoring import Result, Scored, Stage, Wanted, score
from kubewright.bundle.testrun import (
    RUN,
    TEST,
    PodSettings,
    archive_map,
    archive_of,
    pod_of,
    results_of,
)
from kubewright.cli.deploy.screen import Screen
from kubewright.client import Client, wait_for
from kubewright.errors import NotFoundError

__all__ = ["TestRun"]

_POD = Kind("v1", "Pod")
_MAP = Kind("v1", "ConfigMap")
_OVER = frozenset({"Succeeded", "Failed"})


class TestRun:
    """One run of tests on a bundle, in a namespace.

    Args:
        client: The cluster.
        screen: Hears how far it is.
        bundle: The bundle.
        files: Its files.
        settings: How the pods run.
        timeout: Seconds that all tests together may take.
        keep: Whether to leave the pods and the bundle in the cluster.
    """

    __test__ = False  # pytest looks for names that begin so

    def __init__(  # noqa: PLR0913  # what, where, and how
        self,
        client: Client,
        screen: Screen,
        bundle: Bundle,
        files: Mapping[str, str],
        *,
        settings: PodSettings,
        timeout: float,
        keep: bool = False,
    ) -> None:
        self._client = client
        self._screen = screen
        self._bundle = bundle
        self._files = files
        self._settings = settings
        self._timeout = timeout
        self._keep = keep
        self._end = 0.0
        self.name: str = f"scorecard-test-{secrets.token_hex(3)}"

    async def run(self, stages: Sequence[Stage]) -> list[Scored]:
        """Run all tests, stage by stage, and clean up whatever happens.

        Raises:
            ConfigError: The bundle does not fit into a ConfigMap.
            APIError: The cluster refuses what the pods need.
        """
        document = archive_map(self.name, archive_of(self._files), self._settings)
        self._end = self._client.clock.monotonic() + self._timeout
        try:
            await self._client.create(Unstructured(document))
            return [one for stage in stages for one in await self._stage(stage)]
        finally:
            if self._keep:
                self._screen.complain(
                    f"left in {self._settings.namespace}: kubectl get pods -l {RUN}={self.name}"
                )
            else:
                await self._clean()

    async def _stage(self, stage: Stage) -> list[Scored]:
        if not stage.parallel:
            return [one for wanted in stage.tests for one in await self._test(wanted)]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._test(one)) for one in stage.tests]
        return [one for task in tasks for one in task.result()]

    async def _test(self, wanted: Wanted) -> list[Scored]:
        if wanted.is_own:
            return score(self._bundle, [wanted])
        return [Scored(wanted, one) for one in await self._in_pod(wanted)]

    async def _in_pod(self, wanted: Wanted) -> list[Result]:
        name = f"{self.name}-{secrets.token_hex(2)}"
        document = Unstructured(pod_of(wanted, name, self.name, self._settings))
        pod = await self._client.create(document)
        last: list[Unstructured | None] = [pod]

        def is_over(found: Unstructured | None) -> bool:
            last[0] = found
            trouble = trouble_of(found) if found is not None else None
            self._screen.show(f"{wanted.name}: {trouble or at(found, 'status', 'phase')}")
            return found is None or at(found, "status", "phase") in _OVER

        left = max(self._end - self._client.clock.monotonic(), 0.0)
        try:
            await wait_for(
                self._client, _POD, name, is_over,
                namespace=self._settings.namespace, timeout=left,
            )  # fmt: skip
        except TimeoutError:
            why = trouble_of(last[0] or {}) or f"pod {name} still runs"
            late = f"it has not ended within {self._timeout:g} seconds: {why}. See --wait-time"
            return [Result(wanted.name, "error", (late,))]
        return await self._said(wanted, name, last[0])

    async def _said(self, wanted: Wanted, name: str, pod: Unstructured | None) -> list[Result]:
        if pod is None:
            return [Result(wanted.name, "error", (f"somebody has deleted its pod {name}",))]
        statuses = at(pod, "status", "containerStatuses") or []
        started = any(at(one, "state", "terminated", "startedAt") for one in statuses)
        if not started:
            why = trouble_of(pod) or f"pod {name} has ended before it"
            return [Result(wanted.name, "error", (f"it has not run: {why}",))]
        log = await self._client.logs(name, namespace=self._settings.namespace, container=TEST)
        return results_of(wanted, log)

    async def _clean(self) -> None:
        """Delete what carries the label of this run."""
        namespace, labels = self._settings.namespace, f"{RUN}={self.name}"
        for kind in (_POD, _MAP):
            try:
                for one in await self._client.list(kind, namespace=namespace, labels=labels):
                    await self._client.delete(one, missing_ok=True)
            except NotFoundError:
                continue  # the namespace is gone, and all in it
