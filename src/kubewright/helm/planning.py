"""`Planner`: what a custom object asks for, and the release that this makes."""

import hashlib
import json
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from kubewright.api.owners import owner_reference
from kubewright.api.unstructured import Unstructured
from kubewright.application.documents import is_too_large
from kubewright.errors import ConfigError
from kubewright.helm.facts import Facts
from kubewright.helm.manifest import (
    Rendering,
    beside_others,
    check_unique,
    hook_objects_in,
    objects_in,
)
from kubewright.helm.objects import Owner
from kubewright.helm.randomness import keep_random
from kubewright.helm.release import Release
from kubewright.helm.renderer import Capabilities, Renderer, Wish
from kubewright.helm.storage import Record, Storage
from kubewright.helm.values import overridden
from kubewright.helm.watches import Watch

if TYPE_CHECKING:
    from kubewright.cluster import Cluster

__all__ = ["PREFIX", "Plan", "Planner", "is_true"]

PREFIX: str = "helm.sdk.operatorframework.io/"


class Plan(msgspec.Struct, frozen=True):
    """What a custom object asks for.

    Attributes:
        owner: The release.
        values: The values, with the overrides.
        capabilities: What the cluster answers to the chart.
        inputs: Identifies all that the manifest depends on.
        force: Whether an upgrade may make objects anew.
        rollback_force: Whether a rollback may.
    """

    owner: Owner
    values: dict[str, Any]
    capabilities: Capabilities
    inputs: str
    force: bool
    rollback_force: bool


class Planner:
    """Plans the releases of one watch.

    Args:
        watch: The kind and its chart.
        cluster: Where the objects are.
        renderer: Makes manifests.
        storage: The revisions that there are.
    """

    def __init__(
        self, watch: Watch, cluster: "Cluster", renderer: Renderer, storage: Storage
    ) -> None:
        self._watch = watch
        self._chart = watch.chart
        self._cluster = cluster
        self._renderer = renderer
        self._storage = storage
        self._facts = Facts(cluster.live, cluster.clock)

    def owner_of(self, obj: Unstructured) -> Owner:
        """Return the release that *obj* stands for."""
        reference = owner_reference(obj, block_owner_deletion=False)
        return Owner(
            obj.name,
            obj.namespace or self._cluster.client.namespace,
            {
                "apiVersion": reference.api_version,
                "kind": reference.kind,
                "name": reference.name,
                "uid": reference.uid,
                "controller": True,
            },
            bool(obj.namespace),
            obj.metadata.generation or 0,
        )

    async def plan(self, obj: Unstructured, owner: Owner) -> Plan:
        """Return what *obj* asks for.

        Raises:
            ConfigError: An override does not fit its values, or these are too deep.
        """
        spec = obj.get("spec") or {}
        if is_too_large(spec):
            raise ConfigError("the spec is nested too deeply for a chart")
        values = overridden(spec, self._watch.override_values)
        capabilities = await self._facts.of(self._chart)
        asked: list[Any] = [self._chart.digest, values, capabilities.apis]
        if self._chart.asks_version:
            asked.append(capabilities.version)
        annotations = obj.metadata.annotations
        return Plan(
            owner,
            values,
            capabilities,
            hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest(),
            is_true(annotations.get(f"{PREFIX}upgrade-force"), default=False),
            is_true(annotations.get(f"{PREFIX}rollback-force"), default=False),
        )

    def look_again(self) -> None:
        """Ask the cluster anew what it serves, since that has just changed."""
        self._facts.forget()

    async def release(
        self, plan: Plan, records: list[Record], before: Release | None, known: str
    ) -> Release:
        """Render the next revision.

        Args:
            plan: What is asked for.
            records: The revisions that there are.
            before: The one that is replaced.
            known: The manifest that the status of the object shows as deployed.

        Raises:
            RenderError: The chart does not accept the values.
        """
        last = records[-1] if records else None
        # A revision that we have begun is gone on with; for all others there is a new number.
        resumed = last is not None and last.is_pending and bool(last.inputs)
        version = 1 if last is None else last.version + (0 if resumed else 1)
        latest = self._storage.get(last) if last is not None and resumed else before
        # Without its Secrets a release still has its passwords, and programs that know them.
        manifest = known if latest is None else latest.manifest
        wish = replace(
            self._wish(plan, version, is_upgrade=before is not None),
            with_definitions=before is None,
        )
        rendering = await self._render(wish, manifest)
        now = self._storage.now()
        return Release(
            name=plan.owner.name,
            namespace=plan.owner.namespace,
            version=version,
            status="pending-install",
            notes=rendering.notes,
            first_deployed=now if before is None else before.first_deployed,
            last_deployed=now,
            chart=self._chart.record(),
            config=plan.values,
            manifest=rendering.manifest,
            hooks=rendering.hooks,
            inputs=plan.inputs,
            definitions=rendering.definitions or [],
        )

    async def is_same(self, plan: Plan, before: Release) -> bool:
        """Say whether *before*, which helm has installed, is what *plan* would install."""
        wish = self._wish(plan, before.version, is_upgrade=before.version > 1)
        rendering = await self._render(wish, before.manifest)
        return objects_in(rendering.manifest) == objects_in(before.manifest)

    async def _render(self, wish: Wish, before: str) -> Rendering:
        rendering = await self._renderer.render(wish)
        if wish.with_definitions and rendering.definitions is None:
            rendering.definitions = wish.chart.definitions
        await beside_others(check_unique, rendering.manifest, wish.namespace)
        for hook in rendering.hooks:
            hook_objects_in(hook.manifest)  # which refuses what is not an object
        if not (before and wish.chart.is_random):
            return rendering
        again = await self._renderer.render(wish)
        return await beside_others(keep_random, before, rendering, again)

    def _wish(self, plan: Plan, version: int, *, is_upgrade: bool) -> Wish:
        asks = self._chart.asks_cluster or self._watch.dry_run_option == "server"
        return Wish(
            self._chart,
            plan.owner.name,
            plan.owner.namespace,
            plan.values,
            version,
            is_upgrade,
            plan.capabilities,
            self._facts.kubeconfig() if asks else None,
        )


def is_true(text: str | None, *, default: bool) -> bool:
    """Return what an annotation says."""
    return default if text is None else text.strip().lower() in {"true", "1", "t"}
