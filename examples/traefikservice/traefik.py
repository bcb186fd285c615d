"""Routes in the etcd that Traefik reads its configuration from.

Traefik takes over the whole configuration whenever anything changes below its prefix. So a route is
written in one transaction, or it would see half of one.

Beside Traefik's keys stands a record for each object, which lists the keys that were written for
it::

    traefik/http/routers/<owner>.<namespace>.<name>/…     what Traefik reads
    traefik/http/services/<owner>.<namespace>.<name>/…
    kubewright/<owner>/<namespace>/<name>                 which of these are ours

A key that stands in no record of ours is never written and never deleted, and every write checks
that the record is as it was read. Whatever is killed in between, the next run goes on from there.
"""

import json
import os
import re
import ssl
from collections.abc import Iterator, Mapping
from typing import NamedTuple, Self

from etcd import Etcd, EtcdError, Value
from kubewright import ObjectKey

__all__ = ["Route", "Routes", "default_rule"]

BATCH = 120
"""Keys in a transaction: etcd accepts 128 by default, and the record is one more."""
ATTEMPTS = 5
"""How often a write may lose a race before it fails."""


class Route(NamedTuple):
    """One way through Traefik: a router, and the servers behind it.

    Attributes:
        rule: Which requests take it, as Traefik writes rules.
        servers: Their addresses, such as ``http://10.0.0.1:8080``, each by a name that stays; with
            none of them Traefik answers 503.
        entrypoint: Where the requests come in; at Traefik's default entry points if empty.
    """

    rule: str
    servers: Mapping[str, str]
    entrypoint: str = ""

    def keys(self, prefix: str, name: str) -> dict[str, str]:
        """Return the keys in etcd for this route."""
        router, service = _router(prefix, name), _service(prefix, name)
        keys = {
            # Traefik's own default. Without it, a service without servers would not exist.
            f"{service}loadbalancer/passhostheader": "true",
            **{
                f"{service}loadbalancer/servers/{one}/url": self.servers[one]
                for one in self.servers
            },
            f"{router}rule": self.rule,
            f"{router}service": name,
        }
        if self.entrypoint:
            keys[f"{router}entrypoints/0"] = self.entrypoint
        return keys


def default_rule(key: ObjectKey) -> str:
    """Return the default rule of a route: requests for ``/<namespace>/<name>``."""
    return f"PathPrefix(`/{key.namespace}/{key.name}`)"


class Routes:
    """The routes that one operator keeps in etcd.

    Args:
        etcd: Where they are.
        owner: Who keeps them. Two with the same name would take the routes of the other for theirs.
        prefix: Where Traefik looks: its ``providers.etcd.rootKey``.
    """

    def __init__(self, etcd: Etcd, *, owner: str, prefix: str = "traefik") -> None:
        if not re.fullmatch("[a-z0-9]([a-z0-9-]*[a-z0-9])?", owner):
            raise ValueError(f"an owner is lower-case letters, digits and dashes, not {owner!r}")
        self.etcd = etcd
        self._owner = owner
        self._records = f"kubewright/{owner}/"
        self._prefix = prefix.strip("/")  # Traefik does not see keys that begin with one
        # Traefik cannot watch a prefix without keys, and does not notice when the last route goes.
        self._anchor = f"{self._prefix}/http/middlewares/kubewright-anchor/addprefix/prefix"

    @classmethod
    def from_environment(cls, operator: str) -> Self:
        """Return the routes of *operator* in the etcd that the environment names.

        ``ETCD_ENDPOINTS`` has the members of etcd with commas between them, ``ETCD_CACERT``,
        ``ETCD_CERT`` and ``ETCD_KEY`` the files for TLS, ``TRAEFIK_PREFIX`` what Traefik calls its
        root key, and ``TRAEFIK_OWNER`` another owner than *operator*, where several clusters share
        one etcd.
        """
        given = os.environ
        etcd = Etcd(
            given.get("ETCD_ENDPOINTS", "http://127.0.0.1:2379").split(","), tls=_tls(given)
        )
        owner = given.get("TRAEFIK_OWNER", operator)
        return cls(etcd, owner=owner, prefix=given.get("TRAEFIK_PREFIX", "traefik"))

    async def write(self, key: ObjectKey, route: Route) -> bool:
        """Set the route of the object *key*; return whether anything changed.

        Raises:
            EtcdError: etcd does not answer, or somebody else wrote one of the keys.
        """
        return await self._settle(key, route.keys(self._prefix, self._name(key)))

    async def remove(self, key: ObjectKey) -> bool:
        """Remove the route of the object *key*; return whether there was one.

        Raises:
            EtcdError: etcd does not answer.
        """
        return await self._settle(key, {})

    async def list_recorded(self) -> list[ObjectKey]:
        """Return the objects that have a route; for `kubewright.Interval`.

        Raises:
            EtcdError: etcd does not answer.
        """
        found = await self.etcd.read(self._records, self._anchor)
        if self._anchor not in found:
            await self.etcd.commit({self._anchor: "/"}, (), unless={self._anchor: 0})
        found.pop(self._anchor, None)
        return [ObjectKey.parse(one.removeprefix(self._records)) for one in found]

    async def _settle(self, key: ObjectKey, wanted: Mapping[str, str]) -> bool:
        """Change the keys of *key* to those that are *wanted*."""
        name, record = self._name(key), self._record(key)
        own = _router(self._prefix, name), _service(self._prefix, name)
        for _ in range(ATTEMPTS):
            found = await self.etcd.read(record, *own)
            done = await self._change(record, found, wanted)
            if done is not None:
                return done
        raise EtcdError(
            f"others change the keys of {key} all the time: is there a second operator?"
        )

    async def _change(
        self, record: str, found: Mapping[str, Value], wanted: Mapping[str, str]
    ) -> bool | None:
        """Change *found* to *wanted*; return ``None`` if another write came first."""
        ours = set(json.loads(found[record].text)) if record in found else set[str]()
        revision = found[record].revision if record in found else 0
        _check(found, ours, wanted)
        changed = False
        for step in _steps(record, found, ours, wanted=wanted):
            unless = {record: revision, **dict.fromkeys(step.new, 0)}
            revision = await self.etcd.commit(step.puts, step.deletes, unless=unless)
            if not revision:
                return None
            changed = True
        return changed

    def _name(self, key: ObjectKey) -> str:
        # Neither an owner nor a namespace has a dot in it, so no two objects have the same name.
        return f"{self._owner}.{key.namespace}.{key.name}"

    def _record(self, key: ObjectKey) -> str:
        return f"{self._records}{key.namespace}/{key.name}"


class Step(NamedTuple):
    """One transaction.

    Attributes:
        puts: What to write, the record included.
        deletes: What to delete.
        new: Those that must not be there yet.
    """

    puts: dict[str, str]
    deletes: list[str]
    new: list[str]


def _steps(
    record: str, found: Mapping[str, Value], ours: set[str], *, wanted: Mapping[str, str]
) -> Iterator[Step]:
    """Yield the transactions; nearly always there is only one.

    A router comes after its servers, and goes before them.
    """
    new = [one for one in wanted if one not in found or found[one].text != wanted[one]]
    stale = sorted(ours - wanted.keys(), key=_is_router, reverse=True)
    changes = [*sorted(new, key=_is_router), *stale]
    while changes or ours != wanted.keys():
        batch, changes = changes[:BATCH], changes[BATCH:]
        puts = {one: wanted[one] for one in batch if one in wanted}
        deletes = [one for one in batch if one not in wanted]
        unseen = [one for one in puts if one not in found]
        # Until the last step the record has old and new keys, to find a half-done change again.
        ours = ours | wanted.keys() if changes else set(wanted)
        if ours:
            puts[record] = json.dumps(sorted(ours))
        else:
            deletes.append(record)
        yield Step(puts, deletes, unseen)


def _check(found: Mapping[str, Value], ours: set[str], wanted: Mapping[str, str]) -> None:
    foreign = sorted(one for one in wanted if one in found and one not in ours)
    if foreign:
        raise EtcdError(
            f"somebody else wrote {foreign[0]}: it is left as it is. Delete it there, or choose"
            " another name."
        )


def _is_router(key: str) -> bool:
    return "/http/routers/" in key


def _router(prefix: str, name: str) -> str:
    return f"{prefix}/http/routers/{name}/"


def _service(prefix: str, name: str) -> str:
    return f"{prefix}/http/services/{name}/"


def _tls(environment: Mapping[str, str]) -> ssl.SSLContext | None:
    if not {"ETCD_CACERT", "ETCD_CERT"} & environment.keys():
        return None
    context = ssl.create_default_context(cafile=environment.get("ETCD_CACERT"))
    if "ETCD_CERT" in environment:
        context.load_cert_chain(environment["ETCD_CERT"], environment.get("ETCD_KEY"))
    return context
