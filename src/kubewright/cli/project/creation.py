"""``kubewright create api``: a kind, its controller, or both."""

import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import typer
from msgspec.structs import replace

from kubewright.cli.project.ansible.creation import AnsibleKind
from kubewright.cli.project.ansible.creation import run as run_ansible
from kubewright.cli.project.ansible.options import RoleOptions
from kubewright.cli.project.folder import ProjectFolder
from kubewright.cli.project.helm.creation import HelmKind
from kubewright.cli.project.helm.creation import run as run_helm
from kubewright.cli.project.helm.options import ChartOptions
from kubewright.cli.project.lock import locked_project
from kubewright.cli.project.outcome import put
from kubewright.errors import ConfigError
from kubewright.scaffold.creation import api_files
from kubewright.scaffold.project import API, Image, Project, ProjectResource
from kubewright.scaffold.templates import Templates
from kubewright.scaffold.wanted import (
    Wanted,
    check_new_kind,
    find_resource,
    foreign_resource,
    hint_for,
    new_resource,
)

__all__ = ["APIOptions", "run"]

_LAST_PORT = 65535
_USED_BY_IMAGE = {
    "Capabilities", "Container", "ContainerPort", "Deployment", "DeploymentSpec", "Event",
    "LabelSelector", "PodSecurityContext", "PodSpec", "PodTemplateSpec", "SeccompProfile",
    "SecurityContext",
}  # fmt: skip


class APIOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of the command; each is explained there. ``None`` is what was not said."""

    wanted: Wanted
    chart: ChartOptions = ChartOptions()
    role: RoleOptions = RoleOptions()
    resource: bool | None = None
    controller: bool | None = None
    image: str = ""
    image_command: str = ""
    image_port: str = ""
    run_as_user: str = ""
    force: bool = False
    dry_run: bool = False
    manifests: bool = True


class _Plan(msgspec.Struct):
    """What to make of a kind."""

    found: ProjectResource
    with_class: bool
    with_controller: bool


def run(
    options: APIOptions,
    folder: Path | None = None,
    *,
    ask: Callable[[str, bool], bool] | None = None,
) -> None:
    """Make the files of the kind in the project that *folder* is in.

    Args:
        options: What to make.
        folder: By default the current folder.
        ask: Asks a question with a default; by default, the user at the terminal, if there is one.

    Raises:
        ConfigError: They cannot be made; nothing was written.
    """
    with locked_project(folder) as place:
        _make(place, options, ask or _ask)


def _make(place: ProjectFolder, options: APIOptions, ask: Callable[[str, bool], bool]) -> None:
    project = place.project
    _check_of_project(options, project)
    if project.is_codeless:
        _make_without_code(place, options)
        return
    options.wanted.check()
    image = _image_of(options)
    plan = _plan(options, project, ask)
    resource = plan.found
    if plan.with_class:
        check_new_kind(project, resource)
    resource.controller = resource.controller or plan.with_controller
    project.put(resource)
    if image is not None:
        project.put_image(resource, image)
    scaffold = api_files(
        project,
        resource,
        Templates(project.cli_version),
        place.find_exact,
        with_class=plan.with_class,
        with_controller=plan.with_controller,
    )
    put(
        place.root,
        scaffold,
        force=options.force,
        dry_run=options.dry_run,
        manifests=options.manifests,
    )
    print(_next(project, plan))  # noqa: T201  # the summary


def _check_of_project(options: APIOptions, project: Project) -> None:
    """Check that nothing was said that is for another sort of project."""
    charts, roles = options.chart.about_chart, options.role.generated
    schema = [] if project.is_codeless else options.chart.said
    mine = "made of charts" if project.is_helm else "in Python"
    mine = "made of Ansible roles" if project.is_ansible else mine
    if (charts or schema) and not project.is_helm:
        raise ConfigError(
            f"{[*charts, *schema][0]} is for projects made of charts, and this one is {mine}."
            " Make one in another folder: `kubewright init --plugins helm`"
        )
    if roles and not project.is_ansible:
        raise ConfigError(
            f"{roles[0]} is for projects made of Ansible roles, and this one is {mine}."
            " Make one in another folder: `kubewright init --plugins ansible`"
        )


def _make_without_code(place: ProjectFolder, options: APIOptions) -> None:
    _check_without_code(options, "chart" if place.project.is_helm else "role or a playbook")
    wanted, force = options.wanted, options.force
    if place.project.is_helm:
        chart = HelmKind(wanted=wanted, chart=options.chart, force=force)
        run_helm(chart, place, dry_run=options.dry_run)
    else:
        role = AnsibleKind(wanted=wanted, role=options.role, force=force)
        run_ansible(role, place, dry_run=options.dry_run)


def _check_without_code(options: APIOptions, what: str) -> None:
    """Check that nothing was said that is for projects with code, since *what* is run there."""
    said = {
        "--no-resource": options.resource is False,
        "--no-controller": options.controller is False,
        "--image": options.image,
        "--image-container-command": options.image_command,
        "--image-container-port": options.image_port,
        "--run-as-user": options.run_as_user,
        "--external-api-path": options.wanted.path,
        "--external-api-domain": options.wanted.domain,
    }
    for name, value in said.items():
        if value:
            raise ConfigError(
                f"{name} is for projects in Python; in this one, each kind has a {what}. Leave the"
                " option out"
            )


def _ask(question: str, default: bool) -> bool:
    """Ask at the terminal; without one, take the default."""
    return typer.confirm(question, default=default) if sys.stdin.isatty() else default


# --- What to make ---


def _plan(options: APIOptions, project: Project, ask: Callable[[str, bool], bool]) -> _Plan:
    there = find_resource(project, options.wanted)
    if there is not None:
        return _plan_again(options, there, ask)
    foreign = _find_foreign(options)
    if foreign is not None:
        return _plan_foreign(options, foreign, ask)
    with_class = _said(options.resource, ask, "Make a class for the kind?")
    if not with_class:
        raise ConfigError(
            f"there is no {options.wanted.kind} of {options.wanted.version} in the group"
            f" {options.wanted.group} of this project yet.{hint_for(project, options.wanted)}"
            " Let its class be made; for a kind of others, say whose with --external-api-domain"
        )
    made = new_resource(project, options.wanted)
    served = any(one.controller for one in project.versions_of(made))
    if served and options.controller:
        raise ConfigError(
            f"{made.kind} has a controller for another version already, and that sees all objects,"
            " converted to its version. Add --no-controller"
        )
    question = "Make a controller for it?"
    with_controller = not served and _said(options.controller, ask, question)
    return _Plan(made, with_class, with_controller)


def _plan_again(
    options: APIOptions, there: ProjectResource, ask: Callable[[str, bool], bool]
) -> _Plan:
    """Add to a kind that the project has: its controller, or with --force all of it."""
    name = f"{there.kind} of {there.api_group or 'core'}/{there.version}"
    if options.force:
        own = there.api is not None
        with_class = own and _said(options.resource, ask, "Make its class again?")
        if with_class:
            there = replace(there, api=API(crd_version="v1", namespaced=options.wanted.namespaced))
        return _Plan(
            there, with_class, _said(options.controller, ask, "Make its controller again?")
        )
    if there.controller or options.resource or options.controller is False:
        raise ConfigError(
            f"the project has {name} already. Make another version of it, or overwrite its files"
            " with --force"
        )
    if options.controller is None and options.resource is None:
        raise ConfigError(
            f"the project has {name} already, without a controller. To add that, say"
            " --no-resource --controller"
        )
    return _Plan(there, with_class=False, with_controller=True)


def _find_foreign(options: APIOptions) -> ProjectResource | None:
    """Return the kind of others that is meant, unless it is to be one of the project's own."""
    if options.resource and options.wanted.external:
        raise ConfigError(
            f"{options.wanted.kind} is a kind of others, who have its class and its CRD: leave"
            " --resource out, or the options --external-api-..."
        )
    if (options.resource or options.image) and not options.wanted.external:
        return None
    return foreign_resource(options.wanted)


def _plan_foreign(
    options: APIOptions, foreign: ProjectResource, ask: Callable[[str, bool], bool]
) -> _Plan:
    if not _said(options.controller, ask, f"Make a controller for {foreign.kind}, of others?"):
        raise ConfigError(
            f"without a controller there is nothing to make for {foreign.kind}, which is a kind of"
            " others. For a kind of your own with that name, add --resource"
        )
    return _Plan(foreign, with_class=False, with_controller=True)


def _said(said: bool | None, ask: Callable[[str, bool], bool], question: str) -> bool:
    return ask(question, True) if said is None else said


# --- An image ---


def _image_of(options: APIOptions) -> Image | None:
    more = {
        "--image-container-command": options.image_command,
        "--image-container-port": options.image_port,
        "--run-as-user": options.run_as_user,
    }
    if not options.image:
        for name, value in more.items():
            if value:
                raise ConfigError(f"{name} goes with --image, which says what to run")
        return None
    if False in {options.resource, options.controller} or options.wanted.external:
        raise ConfigError(
            "--image makes a class and a controller: leave --no-resource, --no-controller and"
            " --external-api-... out"
        )
    if not options.image.isprintable() or " " in options.image:
        raise ConfigError(f"--image: {options.image!r} is not an image, such as memcached:1.6")
    if options.wanted.kind in _USED_BY_IMAGE:
        raise ConfigError(
            f"--kind: a controller for --image works with Kubernetes' own {options.wanted.kind}, so"
            " the kind needs another name"
        )
    _check_number("--image-container-port", options.image_port, most=_LAST_PORT, least=1)
    _check_number("--run-as-user", options.run_as_user, most=(1 << 31) - 1, least=1)
    return Image(
        image=options.image,
        container_command=options.image_command,
        container_port=options.image_port,
        run_as_user=options.run_as_user,
    )


def _check_number(name: str, text: str, *, least: int, most: int) -> None:
    if text and not (text.isascii() and text.isdecimal() and least <= int(text) <= most):
        raise ConfigError(f"{name}: {text!r} is not a number from {least} to {most}")


# --- What comes next ---


def _next(project: Project, plan: _Plan) -> str:
    resource = plan.found
    others = [one for one in project.versions_of(resource) if one.version != resource.version]
    names = f"--group {resource.group} --kind {resource.kind}"
    if plan.with_class and others:
        hub = others[0].version
        return (
            f"Next: objects stay stored as {hub}. When the fields differ, convert them: kubewright"
            f" create webhook {names} --version {hub} --conversion --spoke {resource.version}"
        )
    if plan.with_class:
        path = resource.path.replace(".", "/")
        return f"Next: say in {path}.py what the kind {resource.kind} is, then make manifests test"
    return f"Next: write the reconciler of {resource.kind}, then make manifests test"
