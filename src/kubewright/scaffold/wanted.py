"""What users ask for by group, version and kind, found in a project or made out."""

from keyword import iskeyword

import msgspec

from kubewright.api.definition import plural_of
from kubewright.errors import ConfigError
from kubewright.scaffold.builtin import find_builtin, is_core
from kubewright.scaffold.context import class_path
from kubewright.scaffold.naming import (
    check_domain,
    check_group,
    check_kind,
    check_plural,
    check_version,
    suggestion_for,
)
from kubewright.scaffold.project import API, Project, ProjectResource

__all__ = [
    "Wanted",
    "check_new_kind",
    "find_resource",
    "foreign_resource",
    "hint_for",
    "new_resource",
]


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """A kind as users name it.

    Attributes:
        group: The first part of its API group.
        version: Its version.
        kind: The kind.
        plural: Its plural, if it is not the usual one.
        namespaced: Whether its objects are in namespaces.
        path: The Python module that has the class of a kind of others.
        domain: The rest of the API group of a kind of others.
    """

    group: str
    version: str
    kind: str
    plural: str = ""
    namespaced: bool = True
    path: str = ""
    domain: str = ""

    @property
    def external(self) -> bool:
        """Whether the user says that it is a kind of others."""
        return bool(self.path or self.domain)

    def check(self) -> None:
        """Check what holds for kinds of everybody.

        Raises:
            ConfigError: A name is missing, or a version or kind cannot be called so.
        """
        self._check_said()
        check_kind(self.kind)
        check_version(self.version)
        if self.plural:
            check_plural(self.plural, self.kind)

    def _check_said(self) -> None:
        names = {"--group": self.group, "--version": self.version, "--kind": self.kind}
        missing = [name for name, value in names.items() if not value]
        if missing:
            hint = ""
            if missing == ["--group"] and is_core(self.version, self.kind):
                hint = f". For the {self.kind} of Kubernetes, say --group core"
            raise ConfigError(
                f"Missing option '{missing[0]}': a kind has a group, a version and a kind{hint}"
            )


def find_resource(project: Project, wanted: Wanted) -> ProjectResource | None:
    """Return what *project* has under the names of *wanted*, if it has it."""
    domain = wanted.domain if wanted.external else None
    for one in project.resources:
        named = wanted.group in {one.group, one.api_group} and domain in {None, one.domain}
        if named and (one.version, one.kind) == (wanted.version, wanted.kind):
            return one
    return None


def foreign_resource(wanted: Wanted) -> ProjectResource | None:
    """Return *wanted* as a kind of Kubernetes or of others, if it is one.

    Raises:
        ConfigError: It is almost a kind of Kubernetes, or no kind can be called so.
    """
    if not wanted.external:
        found = find_builtin(wanted.group, wanted.version, wanted.kind)
        if found is None:
            return None
        return ProjectResource(
            kind=found.kind,
            version=found.version,
            group=found.group,
            domain=found.domain,
            plural=_irregular(wanted),
            path=found.module,
            core=True,
        )
    if wanted.domain:
        check_domain(wanted.domain)
    check_group(wanted.group, wanted.domain or "example.com")
    if wanted.path and not all(map(_is_module, wanted.path.split("."))):
        raise ConfigError(
            f"--external-api-path: {wanted.path!r} is not a Python module, such as"
            " certmanager.v1. Without a module that has the class, leave the option out"
        )
    return ProjectResource(
        kind=wanted.kind,
        version=wanted.version,
        group=wanted.group,
        domain=wanted.domain,
        plural=_irregular(wanted),
        path=wanted.path,
        external=True,
    )


def _is_module(name: str) -> bool:
    return name.isidentifier() and not iskeyword(name)


def new_resource(project: Project, wanted: Wanted) -> ProjectResource:
    """Return *wanted* as a new kind, or a new version of a kind, of *project*.

    Raises:
        ConfigError: It cannot be one.
    """
    check_group(wanted.group, project.domain)
    made = ProjectResource(
        kind=wanted.kind,
        version=wanted.version,
        group=wanted.group,
        domain=project.domain,
        plural=_irregular(wanted),
        api=API(crd_version="v1", namespaced=wanted.namespaced),
    )
    made.path = class_path(project, made)
    return made


def check_new_kind(project: Project, made: ProjectResource) -> None:
    """Check that *made* fits with what *project* has.

    Raises:
        ConfigError: It does not.
    """
    own = [one for one in project.resources if one.api is not None]
    others = [one for one in own if str(one) != str(made)]
    groups = {one.group for one in others}
    if groups and not project.multigroup and made.group not in groups:
        raise ConfigError(
            f"this project has one API group, {others[0].api_group}, and {made.api_group} is"
            " another. Let it have several first: `kubewright edit --multigroup`"
        )
    for one in others:
        if one.api_group != made.api_group:
            continue
        if one.kind == made.kind:
            _check_same(one, made)
        elif one.plural_name == made.plural_name:
            raise ConfigError(
                f"{made.kind} would have the plural {made.plural_name!r}, which {one.kind} of"
                f" {one.api_group} has already. Give it another with --plural"
            )
        elif one.singular == made.singular:
            raise ConfigError(
                f"{made.kind} and {one.kind} are the same word in lower case, by which kubectl"
                f" finds them. Say --kind {one.kind} for another version of it"
            )


def hint_for(project: Project, wanted: Wanted) -> str:
    """Return which kind of *project* is meant, or nothing."""
    there = [one for one in project.resources if one.group == wanted.group]
    versions = sorted(one.version for one in there if one.kind == wanted.kind)
    if versions:
        return f" It has {wanted.kind} in {' and '.join(versions)}."
    return suggestion_for(wanted.kind, sorted({one.kind for one in project.resources}))


def _check_same(one: ProjectResource, made: ProjectResource) -> None:
    """Check that two versions of a kind agree in what they have in common."""
    if one.plural_name != made.plural_name:
        raise ConfigError(
            f"{one.kind} has the plural {one.plural_name!r} in version {one.version}; all versions"
            f" have the same. Say --plural {one.plural_name}"
        )
    if one.namespaced != made.namespaced:
        flag = "--namespaced" if one.namespaced else "--no-namespaced"
        raise ConfigError(
            f"{one.kind} is {'' if one.namespaced else 'not '}namespaced in version {one.version};"
            f" all versions are the same. Say {flag}"
        )


def _irregular(wanted: Wanted) -> str:
    """Return the plural if it is not the one that everybody would form."""
    return "" if wanted.plural == plural_of(wanted.kind) else wanted.plural
