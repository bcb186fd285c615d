"""`Project`: the file PROJECT, in version 3 of kubebuilder's format."""

import keyword
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

import msgspec

from kubewright.api.definition import plural_of
from kubewright.crd.manifest import to_yaml
from kubewright.errors import ConfigError
from kubewright.scaffold.document import document_in, fault_of
from kubewright.scaffold.options import ChartUse, Image, Part, RoleUse

__all__ = [
    "ANSIBLE",
    "API",
    "HELM",
    "LAYOUT",
    "LAYOUTS",
    "ChartUse",
    "Image",
    "Project",
    "ProjectResource",
    "RoleUse",
    "Webhooks",
]

LAYOUT: str = "python.kubewright.dev/v1"
HELM: str = "helm.kubewright.dev/v1"
"""The layout of projects made of charts, and the key in `Project.plugins` of their charts."""
ANSIBLE: str = "ansible.sdk.operatorframework.io/v1"
"""The layout of projects made of Ansible roles, and the key of their roles; operator-sdk's own."""
LAYOUTS: tuple[str, ...] = (LAYOUT, HELM, ANSIBLE)
"""All layouts that are known here."""
IMAGES: str = "deploy-image.python.kubewright.dev/v1"
"""The key in `Project.plugins` of kinds that run an image, in kubebuilder's format."""
HEADING: str = "heading.python.kubewright.dev/v1"
"""The key in `Project.plugins` of the owner and the license."""
VERSION: str = "3"
_HEAD = """\
# What this project was made with. The commands init, create and edit of kubewright write it, and
# read it the next time; other fields than theirs are kept.
"""


_P = TypeVar("_P", bound=Part)


class API(Part):
    """The kind that a resource declares.

    Attributes:
        crd_version: The version of the CRD's own format.
        namespaced: Whether its objects are in namespaces.
    """

    crd_version: str = msgspec.field(name="crdVersion", default="")
    namespaced: bool = False


class Webhooks(Part):
    """The webhooks of a resource.

    Attributes:
        webhook_version: The version of the configurations.
        defaulting: Whether there is a defaulter.
        validation: Whether there is a validator.
        conversion: Whether other versions are converted to this one.
        spoke: Those versions.
    """

    webhook_version: str = ""
    defaulting: bool = False
    validation: bool = False
    conversion: bool = False
    spoke: tuple[str, ...] = ()

    @property
    def admission(self) -> bool:
        """Whether API servers ask before they store an object."""
        return self.defaulting or self.validation

    @property
    def flavours(self) -> list[bool]:
        """Whether each of those that are asked is mutating."""
        return [True] * self.defaulting + [False] * self.validation


class ProjectResource(Part):
    """One version of a kind, and what the project does with it.

    Attributes:
        kind: The kind.
        version: The version.
        group: The first part of its API group; ``core`` for the group without a name.
        domain: The rest of the API group.
        plural: The plural, where it is not the usual one.
        path: The Python module with the class.
        api: What is declared about it; ``None`` for kinds of others.
        controller: Whether there is a controller.
        webhooks: Its webhooks, if there are any.
        core: Whether it is built into Kubernetes.
        external: Whether it belongs to another project.
    """

    kind: str
    version: str
    group: str = ""
    domain: str = ""
    plural: str = ""
    path: str = ""
    api: API | None = None
    controller: bool = False
    webhooks: Webhooks | None = None
    core: bool = False
    external: bool = False

    @property
    def api_group(self) -> str:
        """The whole API group, such as ``shop.example.com``; empty for the core group."""
        if self.core and self.group == "core":
            return ""
        return ".".join(filter(None, (self.group, self.domain)))

    @property
    def plural_name(self) -> str:
        """The plural, such as ``shops``."""
        return self.plural or plural_of(self.kind)

    @property
    def namespaced(self) -> bool:
        """Whether its objects are in namespaces."""
        return self.api is not None and self.api.namespaced

    @property
    def singular(self) -> str:
        """The kind in lower case, as in the names of objects about it."""
        return self.kind.lower()

    @property
    def module(self) -> str:
        """The name of the Python modules about it."""
        return f"{self.singular}_" if keyword.iskeyword(self.singular) else self.singular

    def __str__(self) -> str:
        return f"{self.kind}.{self.version}.{self.api_group}"


class _OptionOf(Part, Generic[_P]):
    """What a plugin keeps about one kind, which the other fields name."""

    options: _P


class _Options(Part, Generic[_P]):
    """What a plugin keeps."""

    resources: list[_OptionOf[_P]] = msgspec.field(default_factory=list)


_OPTIONS: dict[str, Any] = {
    IMAGES: _Options[Image],
    HELM: _Options[ChartUse],
    ANSIBLE: _Options[RoleUse],
}
"""What is kept by the plugins that are known here."""


class Project(Part):
    """What the file PROJECT says.

    Attributes:
        domain: The domain of the API groups.
        project_name: The name of the project, and of its operator.
        repo: The Python package; empty if there is no code.
        version: The version of the format.
        layout: What the scaffold was made by.
        cli_version: The version of the templates, for updates.
        multigroup: Whether each API group has a folder.
        namespaced: Whether the operator watches its own namespace only.
        resources: What was created.
        plugins: What plugins keep there.
    """

    domain: str
    project_name: str
    repo: str = ""
    version: str = msgspec.field(default="")
    layout: list[str] = msgspec.field(default_factory=list)
    cli_version: str = ""
    multigroup: bool = False
    namespaced: bool = False
    resources: list[ProjectResource] = msgspec.field(default_factory=list)
    plugins: dict[str, Any] = msgspec.field(default_factory=dict)

    @classmethod
    def read(cls, text: str, *, place: str = "PROJECT") -> "Project":
        """Return what *text* says.

        Raises:
            ConfigError: It is not such a file, or has another version or layout.
        """
        found = document_in(text, place)
        version = found.get("version")
        if version == int(VERSION):
            raise ConfigError(
                f"{place}: its version is the number {version}, and should be a text: write"
                f" version: '{VERSION}'"
            )
        if version != VERSION:
            raise ConfigError(
                f"{place}: its version is {version!r}, and only version '3' is known here. Newer"
                " files need a newer kubewright; older ones are made new by `kubewright init`."
            )
        layout = found.get("layout") or []
        layouts = [str(one) for one in layout] if isinstance(layout, list) else [str(layout)]
        if not set(LAYOUTS) & set(layouts):
            raise ConfigError(
                f"{place}: its layout is {', '.join(layouts) or 'not given'}, so another"
                f" tool has made the project. Commands of kubewright work where it is"
                f" {', '.join(LAYOUTS[:-1])} or {LAYOUTS[-1]}."
            )
        try:
            made = msgspec.convert(found, cls)
        except msgspec.ValidationError as error:
            raise ConfigError(f"{place}: {fault_of(str(error))}") from None
        _check_plugins(made, place)
        if LAYOUT in layouts:
            _check_repo(made.repo, place)
        return made

    def text(self, before: str = "") -> str:
        """Return the file; what *before* has in other fields than ours stays."""
        said = msgspec.to_builtins(self, str_keys=True)
        document = _merged(document_in(before, "PROJECT"), said, type(self)) if before else said
        return _HEAD + to_yaml(document).removeprefix("---\n")

    @property
    def is_helm(self) -> bool:
        """Whether it has charts instead of code."""
        return HELM in self.layout

    @property
    def is_ansible(self) -> bool:
        """Whether it has Ansible roles instead of code."""
        return ANSIBLE in self.layout

    @property
    def is_codeless(self) -> bool:
        """Whether ``watches.yaml`` says what is run for each kind, and there is no code."""
        return self.is_helm or self.is_ansible

    @property
    def namespace(self) -> str:
        """The namespace that the operator is deployed to."""
        return f"{self.project_name}-system"

    @property
    def owner(self) -> str:
        """Whose the project is; may be empty."""
        return str(self._heading.get("owner", ""))

    @property
    def license(self) -> str:
        """Its license: ``apache2`` or ``none``."""
        return str(self._heading.get("license", "none"))

    @property
    def _heading(self) -> dict[str, Any]:
        found = self.plugins.get(HEADING)
        return found if isinstance(found, dict) else {}

    def head(self, *, owner: str, license_name: str) -> None:
        """Note whose the project is, and under which license."""
        said = {**self._heading, "license": license_name, "owner": owner}
        self.plugins[HEADING] = {key: value for key, value in said.items() if value}

    def image_of(self, resource: "ProjectResource") -> Image | None:
        """Return the image that the pods of *resource* run, if it was made for one."""
        return self._option_of(IMAGES, resource, Image)

    def put_image(self, resource: "ProjectResource", image: Image) -> None:
        """Note the image that the pods of *resource* run."""
        self._put_option(IMAGES, resource, image)

    def chart_of(self, resource: "ProjectResource") -> ChartUse | None:
        """Return the chart of *resource*, if it has one."""
        return self._option_of(HELM, resource, ChartUse)

    def put_chart(self, resource: "ProjectResource", chart: ChartUse) -> None:
        """Note the chart of *resource*."""
        self._put_option(HELM, resource, chart)

    def role_of(self, resource: "ProjectResource") -> RoleUse | None:
        """Return the role and the playbook of *resource*, if it has one."""
        return self._option_of(ANSIBLE, resource, RoleUse)

    def put_role(self, resource: "ProjectResource", role: RoleUse) -> None:
        """Note the role and the playbook of *resource*."""
        self._put_option(ANSIBLE, resource, role)

    def _option_of(self, plugin: str, resource: "ProjectResource", kind: type[_P]) -> _P | None:
        for one in self._options(plugin):
            if _identity(one) == _identity(msgspec.to_builtins(resource)):
                return msgspec.convert(one["options"], kind)
        return None

    def _put_option(self, plugin: str, resource: "ProjectResource", option: Part) -> None:
        said = msgspec.to_builtins(resource)
        about = {key: said[key] for key in ("domain", "group", "kind", "version") if key in said}
        about["options"] = msgspec.to_builtins(option)
        others = [one for one in self._options(plugin) if _identity(one) != _identity(said)]
        there = self.plugins.get(plugin) or {}
        self.plugins[plugin] = {**there, "resources": [*others, about]}

    def _options(self, plugin: str) -> list[dict[str, Any]]:
        found = self.plugins.get(plugin)
        return list(found.get("resources") or ()) if isinstance(found, dict) else []

    def find(self, group: str, version: str, kind: str) -> ProjectResource | None:
        """Return the resource that was created under these names; *group* without the domain."""
        wanted = (group, version, kind)
        return next((r for r in self.resources if (r.group, r.version, r.kind) == wanted), None)

    def versions_of(self, resource: ProjectResource) -> Iterator[ProjectResource]:
        """Yield all versions of the kind of *resource*."""
        wanted = (resource.api_group, resource.kind)
        yield from (one for one in self.resources if (one.api_group, one.kind) == wanted)

    def put(self, resource: ProjectResource) -> None:
        """Add *resource*, in place of the one of the same version and kind."""
        there = [str(one) for one in self.resources]
        if str(resource) in there:
            self.resources[there.index(str(resource))] = resource
        else:
            self.resources.append(resource)


def _check_plugins(project: Project, place: str) -> None:
    for plugin, kind in _OPTIONS.items():
        try:
            msgspec.convert(project.plugins.get(plugin) or {}, kind)
        except msgspec.ValidationError as error:
            raise ConfigError(f"{place}: plugins: {plugin}: {fault_of(str(error))}") from None


def _check_repo(repo: str, place: str) -> None:
    if not repo:
        raise ConfigError(f"{place}: {fault_of('Object missing required field `repo`')}")
    parts = repo.split(".")
    if not all(one.isidentifier() and not keyword.iskeyword(one) for one in parts):
        raise ConfigError(
            f"{place}: its repo is {repo!r}, which is not a Python package, such as shop."
            " If the file was written for a project in Go, make one of its own for Python,"
            " with `kubewright init` in another folder"
        )


_INNER: dict[str, type[Part]] = {"api": API, "webhooks": Webhooks}
"""The parts of a resource that have fields of their own."""


def _merged(before: dict[str, Any], said: dict[str, Any], cls: Any) -> dict[str, Any]:
    """Return *said* with the fields of *before* that *cls* does not know, at any depth."""
    known = set(cls.__struct_encode_fields__)
    merged = {name: value for name, value in before.items() if name not in known} | said
    for name, inner in _INNER.items():
        if name in known and name in said and isinstance(there := before.get(name), dict):
            merged[name] = _merged(there, said[name], inner)
    if "resources" in said:
        old = {_identity(one): one for one in before.get("resources") or ()}
        merged["resources"] = [
            _merged(old.get(_identity(one), {}), one, ProjectResource) for one in said["resources"]
        ]
    return merged


def _identity(resource: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(resource.get(name) for name in ("group", "domain", "version", "kind"))
