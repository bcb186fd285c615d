"""What a server serves, as values, and the two JSON formats of discovery.

The aggregated format holds all groups with their resources in two documents. The old format, which
every server knows and kubectl writes to its cache, has one list of groups and one list of resources
for each group version; there a subresource is an entry of its own, named ``pods/log``.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec

from kubewright import _json
from kubewright.api.kind import GroupVersion, GroupVersionResource, RESTMapping
from kubewright.api.names import check_dns_label, check_dns_subdomain
from kubewright.errors import Attempt, DecodeError, ServerError, Status


class APISubresource(msgspec.Struct, frozen=True):
    """A subresource, such as ``status`` or ``scale``.

    Its group, version and kind are those of the objects it takes and gives: ``deployments/scale``
    speaks ``autoscaling/v1 Scale``.
    """

    name: str
    kind: str
    group: str
    version: str
    verbs: tuple[str, ...] = ()


class APIResource(msgspec.Struct, frozen=True):
    """A resource in one group version: what it is called, and what can be done with it.

    A resource without a kind only carries subresources, as in the custom metrics API.
    """

    name: str
    singular_name: str
    namespaced: bool
    kind: str
    group: str
    version: str
    verbs: tuple[str, ...] = ()
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subresources: tuple[APISubresource, ...] = ()

    @property
    def mapping(self) -> RESTMapping:
        """Where its kind lives."""
        return RESTMapping(
            self.group, self.version, self.kind, self.name, namespaced=self.namespaced
        )

    def find_subresource(self, name: str) -> APISubresource | None:
        """Return the subresource *name*, or ``None``."""
        return next((sub for sub in self.subresources if sub.name == name), None)


class APIGroup(msgspec.Struct, frozen=True):
    """An API group and its versions, in the server's order; the core group has no name."""

    name: str
    versions: tuple[str, ...]
    preferred_version: str

    @property
    def group_versions(self) -> tuple[GroupVersion, ...]:
        """Its versions with the group's name."""
        return tuple(GroupVersion(self.name, version) for version in self.versions)


Resources = dict[GroupVersion, tuple[APIResource, ...]]
Failures = dict[GroupVersion, Exception]


class Discovery(msgspec.Struct, frozen=True):
    """All that a server serves, as far as it could be read.

    A group version is either in `resources` or, with the reason, in `failures`: one extension API
    server that is down does not hide the rest of the cluster.
    """

    groups: tuple[APIGroup, ...] = ()
    resources: Resources = {}
    failures: Failures = {}

    def find_group(self, name: str) -> APIGroup | None:
        """Return the group *name*, or ``None``."""
        return next((group for group in self.groups if group.name == name), None)

    def find_resource(self, resource: GroupVersionResource) -> APIResource | None:
        """Return what is known about *resource*, or ``None``."""
        known = self.resources.get(resource.group_version, ())
        return next((each for each in known if each.name == resource.resource), None)

    def group_versions(self) -> list[GroupVersion]:
        """Return every group version that was read, most important first.

        That is the core group's v1, then group by group as the server orders them, each with its
        preferred version before the others.
        """
        core = GroupVersion("", "v1")
        ordered = [core] + [
            GroupVersion(group.name, version)
            for group in self.groups
            for version in (group.preferred_version, *group.versions)
        ]
        return [gv for gv in dict.fromkeys(ordered) if gv in self.resources]


# Resources have DNS labels as names, but those of the metrics APIs are the names of metrics, which
# may hold nearly anything. None of them may lead a URL to somewhere else.
# What ASCII prints but for / ? # % and the backslash. Said the other way round, with all of Unicode
# in the set, it would take milliseconds to compile.
_is_segment = re.compile(r"(?!\.{1,2}$)[!\"$&-.0->@-\[\]-~]+").fullmatch


def checked(found: Discovery) -> Discovery:
    """Return *found* with all entries whose names do not fit into a URL moved to its failures.

    The names come from servers, an extension's own among them, and requests are built from them.
    """
    groups: list[APIGroup] = []
    failures: Failures = {}
    for group in found.groups:
        bad = {gv: error for gv in group.group_versions if (error := _bad_name(gv))}
        failures |= bad
        if len(bad) < len(group.versions) or not group.versions:
            groups.append(_without(group, {gv.version for gv in bad}) if bad else group)
    for gv, listed in found.resources.items():
        if error := _bad_name(gv) or _bad_resource(gv, listed):
            failures[gv] = error
    resources = {gv: each for gv, each in found.resources.items() if gv not in failures}
    return Discovery(tuple(groups), resources, found.failures | failures)


def _without(group: APIGroup, bad: set[str]) -> APIGroup:
    versions = tuple(each for each in group.versions if each not in bad)
    preferred = versions[0] if group.preferred_version in bad else group.preferred_version
    return APIGroup(group.name, versions, preferred)


def _bad_name(gv: GroupVersion) -> DecodeError | None:
    try:
        if gv.group:
            check_dns_subdomain(gv.group)
        check_dns_label(gv.version)
    except ValueError as error:
        return DecodeError(f"cannot use the group version {str(gv)!r} of the server: {error}")
    return None


def _bad_resource(gv: GroupVersion, resources: Iterable[APIResource]) -> DecodeError | None:
    for each in resources:
        if not _is_segment(each.name):
            return DecodeError(
                f"cannot use the resources of {gv}: {each.name!r} among them cannot stand in a URL"
            )
    return None


# The structs below are the wire formats. Each document must name its kind: a login page of a proxy
# that happens to be JSON would otherwise read as a server without any resources.


class _Kind(msgspec.Struct, frozen=True):
    group: str = ""
    version: str = ""
    kind: str = ""


class _AggregatedSubresource(msgspec.Struct, frozen=True, rename="camel"):
    subresource: str
    response_kind: _Kind | None = None
    verbs: tuple[str, ...] = ()


class _AggregatedResource(msgspec.Struct, frozen=True, rename="camel"):
    resource: str
    response_kind: _Kind | None = None
    scope: str = ""
    singular_resource: str = ""
    verbs: tuple[str, ...] = ()
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subresources: tuple[_AggregatedSubresource, ...] = ()


class _AggregatedVersion(msgspec.Struct, frozen=True):
    version: str
    resources: tuple[_AggregatedResource, ...] = ()
    freshness: str = ""


class _Named(msgspec.Struct, frozen=True):
    name: str = ""


class _AggregatedGroup(msgspec.Struct, frozen=True):
    metadata: _Named = _Named()
    versions: tuple[_AggregatedVersion, ...] = ()


class _APIGroupDiscoveryList(msgspec.Struct, frozen=True):
    kind: Literal["APIGroupDiscoveryList"]
    items: tuple[_AggregatedGroup, ...] = ()


class _APIVersions(msgspec.Struct, frozen=True):
    kind: Literal["APIVersions"]
    versions: tuple[str, ...] = ()


class _OldVersion(msgspec.Struct, frozen=True, rename="camel"):
    group_version: str = ""
    version: str = ""


class _OldGroup(msgspec.Struct, frozen=True, rename="camel"):
    name: str = ""
    versions: tuple[_OldVersion, ...] = ()
    preferred_version: _OldVersion = _OldVersion()


class _APIGroupList(msgspec.Struct, frozen=True):
    kind: Literal["APIGroupList"]
    groups: tuple[_OldGroup, ...] = ()


class _OldResource(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    name: str
    # kubectl's own files have these three always, even when empty or false.
    singular_name: str = msgspec.field(default_factory=str)
    namespaced: bool = msgspec.field(default_factory=bool)
    group: str = ""
    version: str = ""
    kind: str = msgspec.field(default_factory=str)
    verbs: tuple[str, ...] = msgspec.field(default_factory=tuple)
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()


class _APIResourceList(msgspec.Struct, frozen=True, rename="camel"):
    kind: Literal["APIResourceList"]
    group_version: str
    resources: tuple[_OldResource, ...] = ()


def decode_aggregated(body: bytes) -> Discovery:
    """Read an ``APIGroupDiscoveryList``, of version v2 or v2beta1.

    Raises:
        DecodeError: It is something else.
    """
    groups: list[APIGroup] = []
    resources: Resources = {}
    failures: Failures = {}
    for group in _json.decode(body, _APIGroupDiscoveryList).items:
        name = group.metadata.name
        for version in group.versions:
            gv = GroupVersion(name, version.version)
            if version.freshness == "Stale":
                failures[gv] = _stale(gv)
            else:
                resources[gv] = tuple(_from_aggregated(gv, each) for each in version.resources)
        groups.append(_group(name, group.versions, failures))
    return Discovery(tuple(groups), resources, failures)


def _group(name: str, versions: Iterable[_AggregatedVersion], failures: Failures) -> APIGroup:
    """Prefer the first version that the server itself could read, as client-go does."""
    names = tuple(each.version for each in versions)
    fresh = (each for each in names if GroupVersion(name, each) not in failures)
    return APIGroup(name, names, next(fresh, names[0] if names else ""))


def _stale(gv: GroupVersion) -> ServerError:
    # The server says it with one word in a 200. For a kind of that group it means the same as
    # the 503 of a direct request, so the caller gets the same exception.
    said = f"the API server behind {gv} does not answer; see `kubectl get apiservices`"
    status = Status(status="Failure", message=said, reason="ServiceUnavailable", code=503)
    return ServerError(Attempt("get", gv.path), status)


def _from_aggregated(gv: GroupVersion, found: _AggregatedResource) -> APIResource:
    return APIResource(
        found.resource,
        found.singular_resource,
        found.scope == "Namespaced",
        found.response_kind.kind if found.response_kind else "",
        gv.group,
        gv.version,
        found.verbs,
        found.short_names,
        found.categories,
        tuple(
            _subresource(gv, sub.subresource, sub.response_kind or _Kind(), sub.verbs)
            for sub in found.subresources
        ),
    )


def _subresource(
    gv: GroupVersion, name: str, kind: _Kind, verbs: tuple[str, ...]
) -> APISubresource:
    # An empty group is the core group only when a version stands beside it. Servers leave both
    # empty to say "the same as the parent's".
    if not kind.version:
        return APISubresource(name, kind.kind, kind.group or gv.group, gv.version, verbs)
    return APISubresource(name, kind.kind, kind.group, kind.version, verbs)


def decode_versions(body: bytes) -> tuple[APIGroup, ...]:
    """Read the ``APIVersions`` that an old server gives at ``/api``: the core group, or nothing."""
    versions = _json.decode(body, _APIVersions).versions
    return (APIGroup("", versions, versions[0]),) if versions else ()


def decode_groups(body: bytes) -> tuple[APIGroup, ...]:
    """Read an ``APIGroupList``."""
    return tuple(
        APIGroup(
            group.name,
            (versions := tuple(each.version for each in group.versions)),
            group.preferred_version.version or next(iter(versions), ""),
        )
        for group in _json.decode(body, _APIGroupList).groups
    )


def encode_groups(groups: Iterable[APIGroup]) -> bytes:
    """Write an ``APIGroupList`` as kubectl does."""
    written = [
        _OldGroup(
            group.name,
            tuple(_old_version(group.name, version) for version in group.versions),
            _old_version(group.name, group.preferred_version),
        )
        for group in groups
    ]
    return _json.encode({"kind": "APIGroupList", "apiVersion": "v1", "groups": written})


def _old_version(group: str, version: str) -> _OldVersion:
    return _OldVersion(str(GroupVersion(group, version)), version)


def decode_resources(body: bytes, gv: GroupVersion) -> tuple[APIResource, ...]:
    """Read the ``APIResourceList`` of *gv*, with each subresource put into its resource.

    Raises:
        DecodeError: It is something else, or the list of another group version.
    """
    found = _json.decode(body, _APIResourceList)
    if found.group_version != str(gv):
        raise DecodeError(f"expected the resources of {gv}, got those of {found.group_version!r}")
    parents: dict[str, _OldResource] = {}
    children: dict[str, list[APISubresource]] = {}
    for each in found.resources:
        name, slash, sub = each.name.partition("/")
        if slash:
            kind = _Kind(each.group, each.version, each.kind)
            children.setdefault(name, []).append(_subresource(gv, sub, kind, each.verbs))
            parents.setdefault(name, _OldResource(name, each.singular_name, each.namespaced))
        else:
            parents[name] = each
    resources = tuple(_from_old(gv, each, children.get(name, ())) for name, each in parents.items())
    if error := _bad_resource(gv, resources):
        raise error
    return resources


def _from_old(
    gv: GroupVersion, found: _OldResource, subresources: Iterable[APISubresource]
) -> APIResource:
    return APIResource(
        found.name,
        found.singular_name,
        found.namespaced,
        found.kind,
        gv.group,
        gv.version,
        found.verbs,
        found.short_names,
        found.categories,
        tuple(subresources),
    )


def encode_resources(gv: GroupVersion, resources: Iterable[APIResource]) -> bytes:
    """Write the ``APIResourceList`` of *gv* as kubectl does."""
    written = [entry for resource in resources for entry in _old_entries(resource)]
    document: Mapping[str, Any] = {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": str(gv),
        "resources": written,
    }
    return _json.encode(document)


def _old_entries(resource: APIResource) -> Iterable[_OldResource]:
    if resource.kind:
        yield _OldResource(
            resource.name,
            resource.singular_name,
            resource.namespaced,
            kind=resource.kind,
            verbs=resource.verbs,
            short_names=resource.short_names,
            categories=resource.categories,
        )
    for sub in resource.subresources:
        elsewhere = (sub.group, sub.version) != (resource.group, resource.version)
        yield _OldResource(
            f"{resource.name}/{sub.name}",
            resource.singular_name,
            resource.namespaced,
            sub.group if elsewhere else "",
            sub.version if elsewhere else "",
            sub.kind,
            sub.verbs,
        )
