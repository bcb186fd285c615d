"""The verbs on one object: get, create, update, patch, apply; on itself or on a subresource."""

from typing import Any, Literal, TypeVar, overload

import msgspec

from kubewright import _json
from kubewright.api import requests
from kubewright.api.changes import applied_document, merge_patch, updated_document
from kubewright.api.kind import ObjectKey
from kubewright.api.requests import FieldValidation, Place, Request, WriteOptions
from kubewright.api.resource import Resource, raw_of
from kubewright.api.unstructured import Unstructured
from kubewright.client.identity import identity_of, send_patch, told
from kubewright.client.rest import RESTClient, decode_error
from kubewright.client.target import (
    Dynamic,
    Mapper,
    Object,
    ServedKind,
    checked,
    key_of,
    resolve,
    typed,
)
from kubewright.client.transport import Response
from kubewright.errors import ConflictError, DecodeError, NotFoundError

T = TypeVar("T")
R = TypeVar("R", bound=Resource)
O = TypeVar("O", bound=Object)  # noqa: E741  # an object, as it came in

DiffType = Literal["json", "merge", "strategic"]
"""The patches that `Verbs.patch` sends; a server-side apply is `Verbs.apply`."""

_IDENTITY = ("name", "namespace", "resourceVersion")


class Defaults(msgspec.Struct, frozen=True):
    """The client's settings for requests that do not override them.

    Attributes:
        namespace: The default namespace of objects; empty if each must name one.
        field_owner: Our name in managedFields.
        dry_run: Whether writes are only checked.
        field_validation: What the server does about unknown fields.
        scope: The default namespace of lists and watches; empty for all.
    """

    namespace: str = "default"
    field_owner: str = ""
    dry_run: bool = False
    field_validation: FieldValidation | None = None
    scope: str = ""


class Verbs:
    """The verbs on one object, or on one of its subresources."""

    def __init__(
        self, rest: RESTClient, mapper: Mapper, defaults: Defaults, *, subresource: str = ""
    ) -> None:
        self._rest = rest
        self._mapper = mapper
        self._defaults = defaults
        self._subresource = subresource

    @overload
    async def get(
        self, kind: type[R], name: str | ObjectKey, *,
        namespace: str | None = None, resource_version: str = "",
    ) -> R: ...  # fmt: skip
    @overload
    async def get(
        self, kind: Dynamic, name: str | ObjectKey, *,
        namespace: str | None = None, resource_version: str = "",
    ) -> Unstructured: ...  # fmt: skip
    async def get(
        self,
        kind: type[R] | Dynamic,
        name: str | ObjectKey,
        *,
        namespace: str | None = None,
        resource_version: str = "",
    ) -> R | Unstructured:
        """Read one object.

        Args:
            kind: The class, a `Kind`, or a name such as ``"deploy"``.
            name: The name, ``namespace/name``, or an `ObjectKey`.
            namespace: The namespace; the client's own by default.
            resource_version: ``"0"`` lets the server answer from its cache.

        Raises:
            NotFoundError: There is no such object; `find` returns ``None`` instead.
        """
        target = await self._target(kind)
        place = self._place(target, key_of(name, namespace))
        return await self._read(requests.get(place, resource_version=resource_version), target)

    @overload
    async def find(
        self, kind: type[R], name: str | ObjectKey, *, namespace: str | None = None
    ) -> R | None: ...
    @overload
    async def find(
        self, kind: Dynamic, name: str | ObjectKey, *, namespace: str | None = None
    ) -> Unstructured | None: ...
    async def find(self, kind: Any, name: str | ObjectKey, *, namespace: str | None = None) -> Any:
        """Read one object, or return ``None`` if there is none of that name."""
        try:
            return await self.get(kind, name, namespace=namespace)
        except NotFoundError as error:
            if not error.is_about_object:
                raise  # the server does not have the kind
            return None

    async def create(
        self, obj: O, *, dry_run: bool | None = None, field_owner: str | None = None
    ) -> O:
        """Create *obj* and return it as the server stored it.

        Raises:
            AlreadyExistsError: There is an object of that name.
            InvalidError: The server refused its content.
        """
        target = await self._target(checked(obj))
        # A new object is posted to the collection, a subresource to the object it belongs to.
        key = obj.key if self._subresource else ObjectKey(obj.key.namespace, "")
        place = self._place(target, key)
        body = _json.encode(updated_document(obj))
        return await self._read(
            requests.create(place, body, self._options(dry_run, field_owner)), target
        )

    async def update(
        self, obj: O, *, dry_run: bool | None = None, field_owner: str | None = None
    ) -> O:
        """Replace the object on the server by *obj* and return it as it was stored.

        Fields that the class of *obj* does not know keep the value they had when it was read.
        An object that was created with the same name meanwhile is never changed: that is a
        conflict, too, whose ``is_about_identity`` is true.

        Raises:
            ConflictError: The object has changed since *obj* was read; see `retry_on_conflict`.
        """
        target = await self._target(checked(obj))
        place = self._place(target, obj.key)
        body = _json.encode(updated_document(obj))
        request = requests.update(place, body, self._options(dry_run, field_owner))
        try:
            return await self._read(request, target)
        except ConflictError as error:
            if (meaning := told(error)) is error:
                raise
            raise meaning from error

    @overload
    async def patch(
        self, obj: O, *, optimistic: bool | None = None,
        dry_run: bool | None = None, field_owner: str | None = None,
    ) -> O: ...  # fmt: skip
    @overload
    async def patch(
        self, obj: type[R], name: str | ObjectKey, patch: object, *,
        patch_type: DiffType = "merge", namespace: str | None = None,
        dry_run: bool | None = None, field_owner: str | None = None,
    ) -> R: ...  # fmt: skip
    @overload
    async def patch(
        self, obj: Dynamic, name: str | ObjectKey, patch: object, *,
        patch_type: DiffType = "merge", namespace: str | None = None,
        dry_run: bool | None = None, field_owner: str | None = None,
    ) -> Unstructured: ...  # fmt: skip
    async def patch(  # noqa: PLR0913  # two forms: an object that was changed, or a patch by name
        self,
        obj: Any,
        name: str | ObjectKey | None = None,
        patch: object = None,
        *,
        patch_type: DiffType = "merge",
        optimistic: bool | None = None,
        namespace: str | None = None,
        dry_run: bool | None = None,
        field_owner: str | None = None,
    ) -> Any:
        """Send only what changed: of an object that was read, or as a patch given by hand.

        ``patch(pod)`` compares *pod* with what was read and sends the difference; if there is none,
        nothing is sent. ``patch(Pod, "web", {"metadata": {...}})`` sends the patch as it is.

        The first writes the very object that was read, never another one that was made under the
        same name meanwhile; the second writes whatever has the name. It is one request, unless
        something is in the way: then the object is read, to see whether it is the same one. The
        status of a custom resource can be guarded by its version only, so a patch of it that has
        met another change is sent again with the new version, up to five times in all; without the
        right to read the object, it ends in a `ConflictError`.

        Args:
            obj: The changed object, or the kind to patch an object of.
            name: With a kind: which object.
            patch: With a kind: the patch, a dict (for ``"json"`` a list of operations) or bytes.
            patch_type: ``"merge"``, ``"json"`` or ``"strategic"``.
            optimistic: With an object: whether the server refuses it if the object has changed
                since it was read. Unless given, it does if a list is among what changed: a merge
                patch holds lists whole, and would undo what others did to them.
            namespace: With a kind: the namespace, the client's own by default.
            dry_run: Check and answer, but store nothing.
            field_owner: The name in managedFields.

        Raises:
            NotFoundError: There is no such object.
            ConflictError: With an object: it has changed, and the patch is optimistic; or it was
                replaced by another one of its name, and ``is_about_identity`` says so.
        """
        target = await self._target(obj)
        options = self._options(dry_run, field_owner)
        if isinstance(obj, (Resource, Unstructured)):
            difference = self._part(merge_patch(obj, optimistic=optimistic))
            if not difference:
                return obj
            return await self._patch_read(target, obj, difference, options)
        if name is None or patch is None:
            raise ValueError(f"to patch a {target.mapping.kind}, give its name and the patch")
        place = self._place(target, key_of(name, namespace))
        request = requests.patch(place, _body(patch), options, patch_type=patch_type)
        return await self._read(request, target)

    async def apply(
        self,
        obj: O,
        *,
        field_owner: str | None = None,
        force: bool = False,
        dry_run: bool | None = None,
    ) -> O:
        """Make the server's object agree with *obj* (server-side apply) and return the result.

        *obj* has only the fields that you want to own: build it each time, do not apply an object
        that was read. Fields that you applied before and leave out now are removed. Defaults of
        your class are sent, so they are yours; a field that others may set is ``X | None = None``.
        The status is left out; use ``client.status.apply`` for it.

        Args:
            obj: The wanted state.
            field_owner: The name of the owner; the client's by default.
            force: Take over fields that another owner has set to another value.
            dry_run: Check and answer, but store nothing.

        Raises:
            ConflictError: Another owner has one of the fields; the message says who and which.
            ValueError: *obj* was read from a server, or there is no field owner.
        """
        owner = field_owner or self._defaults.field_owner
        if not owner:
            raise ValueError(
                "apply needs to know who owns the fields:"
                " say field_owner='my-operator' here, or where the client or the cluster is made:"
                " Client(config, field_owner=...), Cluster(config, field_owner=...)"
            )
        body = applied_document(checked(obj), status=self._subresource == "status")
        if (body.get("metadata") or {}).get("managedFields") or _was_read(obj):
            raise ValueError(
                f"cannot apply {obj.kind} {str(obj.key)!r}: it was read from a server, so it holds"
                " fields of others, too. Build a new object with only the fields you want to own."
            )
        target = await self._target(obj)
        request = requests.patch(
            self._place(target, obj.key), _json.encode(self._part(body)),
            self._options(dry_run, owner), patch_type="apply", force=force,
        )  # fmt: skip
        return await self._read(request, target)

    async def _patch_read(
        self, target: ServedKind[T], obj: Object, patch: dict[str, Any], options: WriteOptions
    ) -> T:
        place = self._place(target, obj.key)
        return _decoded(
            *await send_patch(self._rest, place, patch, options, identity_of(obj)), target
        )

    async def _target(self, kind: Any) -> ServedKind[Any]:
        if isinstance(kind, type):
            return typed(kind)
        return await resolve(kind, self._mapper)

    def _place(self, target: ServedKind[Any], key: ObjectKey) -> Place:
        namespace = key.namespace or self._defaults.namespace
        return target.place(key.name, namespace, self._subresource)

    def _options(self, dry_run: bool | None, field_owner: str | None) -> WriteOptions:
        defaults = self._defaults
        return WriteOptions(
            defaults.dry_run if dry_run is None else dry_run,
            field_owner or defaults.field_owner,
            defaults.field_validation,
        )

    def _part(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the part of *body* for this subresource; the server would ignore the rest."""
        if self._subresource != "status" or not body:
            return body
        if "status" not in body:
            return {}
        metadata = body.get("metadata") or {}
        named = {name: metadata[name] for name in _IDENTITY if name in metadata}
        part = {name: body[name] for name in body if name in {"apiVersion", "kind", "status"}}
        return {**part, "metadata": named} if named else part

    async def _read(self, request: Request, target: ServedKind[T]) -> T:
        return _decoded(request, await self._rest.send(request), target)


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


async def patch_object(verbs: Verbs, kind: Any, obj: Object, patch: dict[str, Any]) -> Any:
    """Merge *patch* into the object that was read as *obj*, never into a namesake.

    Args:
        verbs: A client, or a subresource of one.
        kind: The class that the answer is decoded into.
        obj: The object; local changes to it are not sent.
        patch: A merge patch; with a ``resourceVersion`` it is optimistic.

    Raises:
        NotFoundError: The object is gone.
        ConflictError: It was replaced by another one of its name, or is in another version than the
            patch wants.
    """
    target = await verbs._target(kind)  # noqa: SLF001  # a verb, but for our own use only
    options = verbs._options(None, None)  # noqa: SLF001  # as above
    return await verbs._patch_read(target, obj, patch, options)  # noqa: SLF001  # as above


def _decoded(request: Request, response: Response, target: ServedKind[T]) -> T:
    try:
        return target.decode(response.body)
    except DecodeError as error:
        raise decode_error(request, response, error) from error


def _body(patch: object) -> bytes:
    return patch if isinstance(patch, bytes) else _json.encode(patch)


def _was_read(obj: Object) -> bool:
    # A cache drops managedFields, so they prove nothing.
    return isinstance(obj, Resource) and raw_of(obj) is not None
