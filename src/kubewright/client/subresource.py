"""A subresource: the verbs on it, and objects of its own kind that are posted to it."""

from typing import TypeVar

import msgspec

from kubewright import _json
from kubewright.api import requests
from kubewright.api.changes import updated_document
from kubewright.api.kind import ObjectKey
from kubewright.api.resource import Resource
from kubewright.client.target import Dynamic, Object, key_of
from kubewright.client.verbs import Verbs

O = TypeVar("O", bound=Object)  # noqa: E741  # an object, as it came in


class _TypeMeta(msgspec.Struct):
    kind: str = ""


class Subresource(Verbs):
    """The verbs on one subresource, such as ``status`` or ``token``."""

    async def post(
        self,
        kind: type[Resource] | Dynamic,
        name: str | ObjectKey,
        body: O,
        *,
        namespace: str | None = None,
        dry_run: bool | None = None,
    ) -> O:
        """Post *body*, an object of another kind, to this subresource of an object.

        Returns:
            The server's answer if it is of the kind of *body*; *body* itself if the server only
            said that all is well.

        Example:
            >>> token = await client.subresource("token").post(  # doctest: +SKIP
            ...     ServiceAccount, "robot", TokenRequest()
            ... )
        """
        target = await self._target(kind)
        place = self._place(target, key_of(name, namespace))
        if not place.name:
            raise ValueError(f"which of the {place.mapping.plural}? The name is empty")
        data = _json.encode(updated_document(body))
        request = requests.create(place, data, self._options(dry_run, None))
        response = await self._rest.send(request)
        if _json.decode(response.body, _TypeMeta).kind != body.kind:
            return body
        answered: O = (await self._target(body)).decode(response.body)
        return answered
