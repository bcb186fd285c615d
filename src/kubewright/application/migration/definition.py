"""CustomResourceDefinitions as a migration sees them: which versions there are and were stored."""

from typing import TYPE_CHECKING

import msgspec

from kubewright import _json
from kubewright.api import requests
from kubewright.api.kind import RESTMapping
from kubewright.api.requests import Place
from kubewright.application.migration.collection import Collection
from kubewright.errors import ConfigError, NoMatchError, NotFoundError

if TYPE_CHECKING:
    from kubewright.client import Client

__all__ = ["CRDS", "Definition", "find_definition", "get_definition"]

CRDS: RESTMapping = RESTMapping(
    "apiextensions.k8s.io",
    "v1",
    "CustomResourceDefinition",
    "customresourcedefinitions",
    namespaced=False,
)
_MOST_SUGGESTIONS = 3


class _Metadata(msgspec.Struct, rename="camel"):
    name: str
    uid: str
    resource_version: str
    generation: int = 0
    deletion_timestamp: str | None = None


class _Names(msgspec.Struct):
    plural: str
    kind: str


class _Version(msgspec.Struct):
    name: str
    served: bool = False
    storage: bool = False


class _Spec(msgspec.Struct):
    group: str
    scope: str
    names: _Names
    versions: list[_Version]


class _Status(msgspec.Struct, rename="camel"):
    stored_versions: list[str] | None = None


class Definition(msgspec.Struct):
    """A CustomResourceDefinition, without its schemas."""

    metadata: _Metadata
    spec: _Spec
    status: _Status = msgspec.field(default_factory=_Status)

    @property
    def name(self) -> str:
        """Its full name, such as ``shops.example.com``."""
        return self.metadata.name

    @property
    def storage_version(self) -> str:
        """The version in which objects are written to the store now."""
        return next(one.name for one in self.spec.versions if one.storage)

    @property
    def stored_versions(self) -> tuple[str, ...]:
        """The versions in which objects may be in the store."""
        return tuple(self.status.stored_versions or ())

    @property
    def is_migrated(self) -> bool:
        """Whether no object can be stored in another version."""
        return self.stored_versions == (self.storage_version,)

    def mapping(self) -> RESTMapping:
        """Return where its objects are read and written: in the storage version if that is served.

        Raises:
            ConfigError: It is being deleted, or no version of it is served.
        """
        if self.metadata.deletion_timestamp:
            raise ConfigError(
                f"cannot migrate {self.name}: it is being deleted, and its objects with it"
            )
        served = sorted((one for one in self.spec.versions if one.served), key=_not_stored)
        if not served:
            raise ConfigError(
                f"cannot migrate {self.name}: none of its versions is served, so that nobody can"
                f" write its objects. Set served: true for {self.storage_version} in the CRD."
            )
        return RESTMapping(
            self.spec.group,
            served[0].name,
            self.spec.names.kind,
            self.spec.names.plural,
            namespaced=self.spec.scope == "Namespaced",
        )


def _not_stored(version: _Version) -> bool:
    return not version.storage


async def get_definition(client: "Client", name: str) -> Definition:
    """Return the CRD of that full name.

    Raises:
        NotFoundError: There is none.
    """
    response = await client.rest.send(requests.get(Place(CRDS, name=name)))
    return _json.decode(response.body, Definition)


async def find_definition(client: "Client", name: str) -> Definition:
    """Return the CRD of what kubectl calls *name*: a plural, a kind, a short name, a full name.

    A built-in kind has no CRD, so it stands in nobody's way: ``cronjobs`` are those of the only
    CRD with that plural.

    Raises:
        NoMatchError: No CRD goes by that name, or several do; the message says which.
    """
    if "." in name:
        try:
            return await get_definition(client, name.lower())
        except NotFoundError:
            pass  # a kind, a short name or a beginning of the group, maybe
    known = await _names_of_all(client)
    try:
        mapping = await client.mapper.resolve(name)
    except NoMatchError as error:
        raise _unknown(name, known, error) from None
    full = f"{mapping.plural}.{mapping.group}"
    fitting = [full] if "." in name else [one for one in known if _plural(one) == mapping.plural]
    fitting = [one for one in fitting if one in known]
    if not fitting:
        raise _without_definition(name, mapping, known)
    if len(fitting) > 1:
        raise NoMatchError(
            f"cannot migrate {name!r}: several custom resources go by that name. Write one of"
            f" {', '.join(sorted(fitting))}."
        )
    return await get_definition(client, fitting[0])


async def _names_of_all(client: "Client") -> list[str]:
    crds, names, token = Collection(client, CRDS), [], ""
    while True:
        page = await crds.page(token)
        names += [key.name for key in page.keys]
        token = page.continue_
        if not token:
            return names


def _plural(name: str) -> str:
    return name.partition(".")[0]


def _unknown(name: str, known: list[str], said: NoMatchError) -> NoMatchError:
    close = _close_to(name, known)
    if not close:
        return NoMatchError(f"cannot migrate {name!r}: {said}")
    return NoMatchError(
        f"cannot migrate {name!r}: no custom resource goes by that name."
        f" Did you mean {' or '.join(close)}? `kubectl get crds` lists them all."
    )


def _close_to(name: str, known: list[str]) -> list[str]:
    """Return the CRDs whose full name, or whose plural, looks like *name*."""
    from difflib import get_close_matches

    text = name.lower()
    full = get_close_matches(text, known, _MOST_SUGGESTIONS) if "." in text else []
    plurals = get_close_matches(_plural(text), [_plural(one) for one in known], _MOST_SUGGESTIONS)
    alike = [one for one in known if _plural(one) in plurals]
    return list(dict.fromkeys([*full, *sorted(alike)]))[:_MOST_SUGGESTIONS]


def _without_definition(name: str, mapping: RESTMapping, known: list[str]) -> NoMatchError:
    title = f"{mapping.plural}.{mapping.group}" if mapping.group else mapping.plural
    message = (
        f"cannot migrate {name!r}: {title} has no CustomResourceDefinition, and so no"
        " storedVersions. It is built in, or comes from another API server, which chooses itself"
        " how to store it; a StorageVersionMigration of Kubernetes writes such objects anew."
    )
    if others := sorted(one for one in known if _plural(one) == mapping.plural):
        message += f" Did you mean {' or '.join(others)}?"
    return NoMatchError(message)
