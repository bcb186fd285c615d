"""Tells API servers whom to trust: the ``caBundle`` of our webhooks and conversions."""

import base64
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from kubewright._aio import TaskSet
from kubewright.api.resource import Resource
from kubewright.client import Client
from kubewright.errors import ConflictError, InvalidError, KubewrightError, NotFoundError
from kubewright.log import get_logger
from kubewright.webhook.certificates.following import follow
from kubewright.webhook.certificates.targets import Target, Targets, normal_hosts

__all__ = ["CABundles"]

_TRIES = 5

_log = get_logger(__name__)


class _Entry(NamedTuple):
    """A place in an object where a caBundle of ours belongs."""

    path: str
    bundle: bytes


class CABundles:
    """Keeps the ``caBundle`` of our webhooks equal to a bundle.

    A webhook is ours if API servers reach it by one of our hosts. Others in the same object belong
    to somebody else, and are left alone. Nothing is written where the bundle is right.

    Args:
        client: How to reach the API server.
        targets: The objects; missing ones may come later.
        hosts: The names and addresses that our server is called by.
    """

    def __init__(self, client: Client, targets: Targets, hosts: tuple[str, ...]) -> None:
        self._client = client
        self._targets = tuple(targets)
        self._hosts = frozenset(normal_hosts(hosts))
        self._bundle = b""
        self._unsure: set[Target] = set(self._targets)

    async def publish(
        self, bundle: bytes, *, still_right: Callable[[], Awaitable[bool]] | None = None
    ) -> bool:
        """Write *bundle* wherever it is not yet.

        Args:
            bundle: The authorities, in PEM.
            still_right: Asked before each write; if it says no, nothing is written. A process that
                was paused for a while would else undo what another one has written meanwhile.

        Returns:
            Whether it is everywhere; not if *still_right* said no.

        Raises:
            KubewrightError: It could not be written to one of the objects; the others have it.
        """
        if bundle != self._bundle:
            self._bundle = bundle
            self._unsure.update(self._targets)
        failure: KubewrightError | None = None
        everywhere = True
        for target in self._targets:
            if target not in self._unsure:
                continue
            # Before the look: what a watch tells from here on asks for another one.
            self._unsure.discard(target)
            done = False
            try:
                done = await self._write(target, bundle, still_right)
                everywhere = everywhere and done
            except KubewrightError as error:
                failure = failure or error
            finally:
                if not done:
                    self._unsure.add(target)
        if failure is not None:
            raise failure
        return everywhere

    async def read(self) -> bytes:
        """Return all that is in the bundles now, one after the other."""
        found = [await self._find(target) for target in self._targets]
        return b"\n".join(entry.bundle for one in found if one for entry in self._entries(one))

    async def follow(self, changed: Callable[[], object]) -> None:
        """Call *changed* whenever `publish` has something to do, until cancelled."""
        async with TaskSet() as tasks:
            for target in self._targets:
                tasks.start(self._follow(target, changed), name=f"caBundle of {target}")
            await tasks.wait()

    async def _follow(self, target: Target, changed: Callable[[], object]) -> None:
        def see(found: Resource | None) -> None:
            if found is not None and not self._is_wrong(found, self._bundle):
                return
            self._unsure.add(target)
            changed()

        await follow(self._client, _kind_of(target), target.name, see=see)

    async def _write(
        self, target: Target, bundle: bytes, still_right: Callable[[], Awaitable[bool]] | None
    ) -> bool:
        for tries_left in reversed(range(_TRIES)):
            found = await self._find(target)
            if found is None or not (patch := self._patch(found, bundle)):
                break
            # After the look, and the patch is for what was found only: see `publish`.
            if still_right is not None and not await still_right():
                return False
            try:
                await self._client.patch(_kind_of(target), target.name, patch, patch_type="json")
            except (ConflictError, InvalidError, NotFoundError):  # it has changed: look again
                if not tries_left:
                    raise
                continue
            _log.info("wrote the caBundle", resource=target.resource, name=target.name)
            break
        return True

    def _patch(self, found: Resource, bundle: bytes) -> list[dict[str, Any]]:
        value = base64.b64encode(bundle).decode()
        wrong = [entry.path for entry in self._entries(found) if entry.bundle != bundle]
        if not wrong:
            return []
        version = found.metadata.resource_version
        guard = {"op": "test", "path": "/metadata/resourceVersion", "value": version}
        return [guard, *({"op": "add", "path": path, "value": value} for path in wrong)]

    def _is_wrong(self, found: Resource, bundle: bytes) -> bool:
        return any(entry.bundle != bundle for entry in self._entries(found))

    def _entries(self, found: Any) -> Iterator[_Entry]:
        if hasattr(found, "webhooks"):
            for index, hook in enumerate(found.webhooks):
                yield from self._entry(hook.client_config, f"/webhooks/{index}/clientConfig")
            return
        conversion = found.spec.conversion
        if conversion is not None and conversion.webhook is not None:
            place = "/spec/conversion/webhook/clientConfig"
            yield from self._entry(conversion.webhook.client_config, place)

    def _entry(self, config: Any, place: str) -> Iterator[_Entry]:
        if config is not None and self._hosts.intersection(_hosts_of(config)):
            yield _Entry(f"{place}/caBundle", config.ca_bundle or b"")

    async def _find(self, target: Target) -> Any:
        return await self._client.find(_kind_of(target), target.name)


def _hosts_of(config: Any) -> tuple[str, ...]:
    """Return the name that an API server expects in the certificate; none if it says none."""
    if config.service is not None:
        return normal_hosts((f"{config.service.name}.{config.service.namespace}.svc",))
    host = urlsplit(config.url or "").hostname
    return normal_hosts((host,)) if host else ()


def _kind_of(target: Target) -> type[Resource]:
    if target.resource == "customresourcedefinitions":
        from kubewright.kinds.apiextensions.v1 import CustomResourceDefinition

        return CustomResourceDefinition
    from kubewright.kinds.admissionregistration import v1

    if target.resource == "mutatingwebhookconfigurations":
        return v1.MutatingWebhookConfiguration
    return v1.ValidatingWebhookConfiguration
