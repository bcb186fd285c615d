"""``kubewright create webhook``: what API servers ask about a kind, and how it is converted."""

from pathlib import Path

import msgspec
from msgspec.structs import replace

from kubewright.cli.project.folder import ProjectFolder
from kubewright.cli.project.lock import locked_project
from kubewright.cli.project.outcome import put
from kubewright.errors import ConfigError
from kubewright.scaffold.naming import check_version
from kubewright.scaffold.project import Project, ProjectResource, Webhooks
from kubewright.scaffold.templates import Templates
from kubewright.scaffold.wanted import Wanted, find_resource, foreign_resource, hint_for
from kubewright.scaffold.webhooks import webhook_files

__all__ = ["WebhookOptions", "run"]


class WebhookOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of the command; each is explained there."""

    wanted: Wanted
    defaulting: bool = False
    validation: bool = False
    conversion: bool = False
    spoke: tuple[str, ...] = ()
    force: bool = False
    dry_run: bool = False
    manifests: bool = True

    @property
    def admission(self) -> bool:
        """Whether API servers should ask before they store an object."""
        return self.defaulting or self.validation


def run(options: WebhookOptions, folder: Path | None = None) -> None:
    """Make the files of the webhooks in the project that *folder* is in.

    Raises:
        ConfigError: They cannot be made; nothing was written.
    """
    with locked_project(folder) as place:
        _make(place, options)


def _make(place: ProjectFolder, options: WebhookOptions) -> None:
    project = place.project
    if project.is_helm:
        raise ConfigError(
            "this project has charts instead of code, and webhooks are functions. What may be in a"
            " spec is said in values.schema.json of a chart, with --crd-schema values"
        )
    if project.is_ansible:
        raise ConfigError(
            "this project has roles instead of code, and webhooks are functions. What may be in a"
            " spec is said in the CRD of the kind; --crd-schema defaults makes it from a role"
        )
    options.wanted.check()
    _check_said(options)
    resource = _resource_for(project, options)
    if options.conversion:
        _check_versions(place, resource, options.spoke)
    _check_absent(resource, options)
    resource.webhooks = _joined(resource.webhooks or Webhooks(), options)
    project.put(resource)
    scaffold = webhook_files(
        project,
        resource,
        Templates(project.cli_version),
        place.find_exact,
        admission=options.admission,
        conversion=options.conversion,
    )
    put(
        place.root,
        scaffold,
        force=options.force,
        dry_run=options.dry_run,
        manifests=options.manifests,
    )
    print(  # noqa: T201  # the summary
        f"Next: write what the webhooks of {resource.kind} do, then make manifests test"
    )


def _check_said(options: WebhookOptions) -> None:
    if not (options.admission or options.conversion):
        raise ConfigError(
            "which webhooks? Say one or more of --defaulting, --programmatic-validation, and"
            " --conversion with --spoke"
        )
    if options.conversion and not options.spoke:
        raise ConfigError(
            "--conversion needs the versions that are converted to this one, such as --spoke v2"
        )
    if options.spoke and not options.conversion:
        raise ConfigError("--spoke goes with --conversion")
    if options.wanted.version in options.spoke:
        raise ConfigError(
            f"--spoke: {options.wanted.version} is the hub, which the others are converted to;"
            " name the others"
        )


def _resource_for(project: Project, options: WebhookOptions) -> ProjectResource:
    """Return what is in the project, or a kind of others.

    Raises:
        ConfigError: It is neither.
    """
    wanted = options.wanted
    there = find_resource(project, wanted) or foreign_resource(wanted)
    if there is None:
        raise ConfigError(
            f"there is no {wanted.kind} of {wanted.version} in the group {wanted.group} of this"
            f" project.{hint_for(project, wanted)} Make it with `kubewright create api`; for a kind"
            " of others, say whose with --external-api-domain"
        )
    if options.conversion and there.api is None:
        raise ConfigError(
            f"only those who declare a kind convert it, and {there.kind} is of others. Leave"
            " --conversion out"
        )
    return there


def _check_absent(resource: ProjectResource, options: WebhookOptions) -> None:
    """Check that a webhook is not made twice."""
    there = resource.webhooks
    if there is None or options.force:
        return
    name = f"{resource.kind} of {resource.version}"
    if options.admission and there.admission:
        raise ConfigError(
            f"{name} has webhooks already. {_by_hand(there, options)}, or overwrite the file with"
            " --force"
        )
    if options.conversion and there.conversion:
        raise ConfigError(
            f"{name} has conversions already. Add functions for another version to them by hand,"
            " or overwrite the file with --force"
        )


def _by_hand(there: Webhooks, options: WebhookOptions) -> str:
    """Return what to do to get the webhooks that were asked for beside those that are there."""
    new = ["defaulter"] * (options.defaulting and not there.defaulting)
    new += ["validator"] * (options.validation and not there.validation)
    return f"Add a function with @operator.{new[0]} to them by hand" if new else "Change those"


def _check_versions(place: ProjectFolder, hub: ProjectResource, spokes: tuple[str, ...]) -> None:
    """Check that each of *spokes* is a version of *hub*, and that no other version is a hub."""
    versions = {one.version: one for one in place.project.versions_of(hub)}
    for one in spokes:
        if one not in versions:
            check_version(one, "--spoke")
            raise ConfigError(
                f"--spoke: {hub.kind} has no version {one}, only {', '.join(sorted(versions))}."
                f" Make it first: kubewright create api --group {hub.group} --version {one}"
                f" --kind {hub.kind} --no-controller"
            )
    for version, other in versions.items():
        if version != hub.version and other.webhooks and other.webhooks.conversion:
            raise ConfigError(
                f"{hub.kind} has the hub {version} already, which {hub.version} is converted to."
                f" Say --version {version}"
            )


def _joined(there: Webhooks, options: WebhookOptions) -> Webhooks:
    return replace(
        there,
        webhook_version="v1",
        defaulting=there.defaulting or options.defaulting,
        validation=there.validation or options.validation,
        conversion=there.conversion or options.conversion,
        spoke=tuple(dict.fromkeys((*there.spoke, *options.spoke))),
    )
