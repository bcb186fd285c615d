"""The ``scale`` subresource: how many replicas there are, whatever the kind."""

from typing import TYPE_CHECKING, Any

from kubewright import _json
from kubewright.api import requests
from kubewright.api.kind import ObjectKey
from kubewright.api.requests import Request, WriteOptions
from kubewright.api.resource import Resource, read
from kubewright.client.rest import RESTClient
from kubewright.client.target import Dynamic, Mapper, key_of, resolve
from kubewright.client.verbs import Defaults

if TYPE_CHECKING:
    from kubewright.kinds.autoscaling.v1 import Scale


class ScaleVerbs:
    """Reads and sets the number of replicas of anything that has a ``scale`` subresource."""

    def __init__(self, rest: RESTClient, mapper: Mapper, defaults: Defaults) -> None:
        self._rest = rest
        self._mapper = mapper
        self._defaults = defaults

    async def get(
        self,
        kind: type[Resource] | Dynamic,
        name: str | ObjectKey,
        *,
        namespace: str | None = None,
    ) -> "Scale":
        """Read how many replicas an object wants and has.

        Raises:
            NotFoundError: There is no such object, or its kind cannot be scaled.
        """
        return await self._send(requests.get(await self._place(kind, name, namespace)))

    async def set(
        self,
        kind: type[Resource] | Dynamic,
        name: str | ObjectKey,
        replicas: int,
        *,
        namespace: str | None = None,
    ) -> "Scale":
        """Ask for *replicas*, whatever there were before.

        Raises:
            NotFoundError: There is no such object, or its kind cannot be scaled.
        """
        place = await self._place(kind, name, namespace)
        body = _json.encode({"spec": {"replicas": replicas}})
        return await self._send(requests.patch(place, body, self._options(), patch_type="merge"))

    async def update(
        self,
        kind: type[Resource] | Dynamic,
        scale: "Scale",
        *,
        namespace: str | None = None,
    ) -> "Scale":
        """Write back a *scale* that was read from an object of *kind* and changed.

        Raises:
            ConflictError: The object has changed since.
        """
        place = await self._place(kind, scale.key, namespace)
        return await self._send(requests.update(place, _json.encode(scale), self._options()))

    async def _place(
        self, kind: Any, name: str | ObjectKey, namespace: str | None
    ) -> requests.Place:
        target = await resolve(kind, self._mapper)
        key = key_of(name, namespace)
        return target.place(key.name, key.namespace or self._defaults.namespace, "scale")

    def _options(self) -> WriteOptions:
        defaults = self._defaults
        return WriteOptions(defaults.dry_run, defaults.field_owner, defaults.field_validation)

    async def _send(self, request: Request) -> "Scale":
        from kubewright.kinds.autoscaling.v1 import Scale

        response = await self._rest.send(request)
        return read(response.body, Scale)
