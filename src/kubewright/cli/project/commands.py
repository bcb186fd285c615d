"""The commands that make projects and add to them; the work is done in other modules."""

from typing import Annotated

import typer

from kubewright.cli.parsing import Command, Commands, examples

__all__ = ["EDIT_EXAMPLES", "INIT_EXAMPLES", "create", "edit", "init"]

INIT_EXAMPLES = examples(
    "kubewright init --domain example.com",
    'kubewright init --domain example.com --project-name shop --owner "Shop AG"',
    "kubewright init --domain example.com --multigroup --dry-run",
    "kubewright init --domain example.com --plugins helm --helm-chart ./charts/shop",
    "kubewright init --domain example.com --plugins ansible --group web --version v1 --kind Shop"
    " --generate-role",
)
EDIT_EXAMPLES = examples(
    "kubewright edit --multigroup",
    'kubewright edit --owner "Shop AG" --license none',
    "kubewright edit --namespaced --dry-run",
)
_API_EXAMPLES = examples(
    "kubewright create api --group cache --version v1 --kind Memcached",
    "kubewright create api --group cache --version v1 --kind Memcached --image memcached:1.6",
    "kubewright create api --group cache --version v2 --kind Memcached --no-controller",
    "kubewright create api --group apps --version v1 --kind Deployment --no-resource",
    "kubewright create api --group cert-manager --version v1 --kind Issuer"
    " --external-api-domain io",
    "kubewright create api --group cache --version v1 --kind Memcached --helm-chart memcached.tgz",
    "kubewright create api --group cache --version v1 --kind Memcached --generate-role",
)
_WEBHOOK_EXAMPLES = examples(
    "kubewright create webhook --group cache --version v1 --kind Memcached --defaulting",
    "kubewright create webhook --group cache --version v1 --kind Memcached --conversion --spoke v2",
    "kubewright create webhook --group core --version v1 --kind Pod --programmatic-validation",
)

Force = Annotated[bool, typer.Option("--force", help="Overwrite files that are there.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say which files would be written.")]
Manifests = Annotated[
    bool,
    typer.Option(
        "--manifests/--no-manifests", help="Make the manifests from the code, too (the default)."
    ),
]
Group = Annotated[
    str, typer.Option(metavar="GROUP", help="API group, without the project's domain.")
]
Version = Annotated[str, typer.Option(metavar="VERSION", help="Version, such as v1alpha1.")]
Kind = Annotated[str, typer.Option(metavar="KIND", help="Kind, such as Memcached.")]
OptionalGroup = Annotated[
    str,
    typer.Option(
        metavar="GROUP",
        help="API group, without the project's domain; charts, if there is a chart.",
        show_default=False,
    ),
]
OptionalVersion = Annotated[
    str,
    typer.Option(
        metavar="VERSION",
        help="Version, such as v1; v1alpha1, if there is a chart.",
        show_default=False,
    ),
]
OptionalKind = Annotated[
    str,
    typer.Option(
        metavar="KIND",
        help="Kind, such as Memcached; by default, called after the chart.",
        show_default=False,
    ),
]
HelmChart = Annotated[
    str,
    typer.Option(
        metavar="CHART",
        help="With helm: the chart that installs the kind, as a folder, an archive or a name.",
    ),
]
HelmChartRepo = Annotated[
    str, typer.Option(metavar="URL", help="With helm: the repository of the chart.")
]
HelmChartVersion = Annotated[
    str, typer.Option(metavar="VERSION", help="With helm: the version of the chart.")
]
CRDSchema = Annotated[
    str,
    typer.Option(
        "--crd-schema",
        metavar="none|values|defaults",
        help="With helm: values, for a CRD with the schema of the chart's values; with ansible:"
        " defaults, for that of the role's defaults; none by default.",
    ),
]
GenerateRole = Annotated[
    bool, typer.Option("--generate-role", help="With ansible: make a role for the kind.")
]
GeneratePlaybook = Annotated[
    bool, typer.Option("--generate-playbook", help="With ansible: make a playbook for the kind.")
]
Plural = Annotated[
    str, typer.Option(metavar="WORD", help="Plural of the kind, if it is not the usual one.")
]
ExternalPath = Annotated[
    str,
    typer.Option(
        metavar="MODULE", help="For a kind of others: the Python module that has its class, if any."
    ),
]
ExternalDomain = Annotated[
    str,
    typer.Option(metavar="DOMAIN", help="For a kind of others: what its API group ends with."),
]


def init(  # noqa: PLR0913  # one for each option
    *,
    domain: Annotated[
        str, typer.Option(metavar="DOMAIN", help="What the API groups of the project end with.")
    ] = "my.domain",
    project_name: Annotated[
        str, typer.Option(metavar="NAME", help="Name of the project; by default, the folder's.")
    ] = "",
    owner: Annotated[
        str, typer.Option(metavar="NAME", help="Whose the project is, for its metadata.")
    ] = "",
    license_name: Annotated[
        str, typer.Option("--license", metavar="NAME", help="apache2 or none.")
    ] = "apache2",
    multigroup: Annotated[
        bool, typer.Option("--multigroup/--no-multigroup", help="Have a folder for each API group.")
    ] = False,
    namespaced: Annotated[
        bool,
        typer.Option(
            "--namespaced/--no-namespaced", help="Watch only the operator's own namespace."
        ),
    ] = False,
    project_version: Annotated[
        str, typer.Option(metavar="VERSION", help="Version of the file PROJECT.")
    ] = "3",
    plugins: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="helm, for an operator made of helm charts; ansible, for one made of roles.",
        ),
    ] = "",
    group: OptionalGroup = "",
    version: OptionalVersion = "",
    kind: OptionalKind = "",
    helm_chart: HelmChart = "",
    helm_chart_repo: HelmChartRepo = "",
    helm_chart_version: HelmChartVersion = "",
    generate_role: GenerateRole = False,
    generate_playbook: GeneratePlaybook = False,
    crd_schema: CRDSchema = "",
    manifests: Manifests = True,
    force: Force = False,
    dry_run: DryRun = False,
) -> None:
    """Make a new project in the current folder.

    It runs at once: "make test" in it succeeds, and "make dev" starts the operator. With --plugins
    helm or ansible, there is no code: charts install the kinds, or roles look after them, and the
    first kind can be named at once.

    Exit status: 0 if it was made, 2 for invalid input; nothing is written then.
    """
    from kubewright.cli.project.ansible.options import RoleOptions
    from kubewright.cli.project.helm.options import ChartOptions
    from kubewright.cli.project.initialization import InitOptions, run
    from kubewright.scaffold.wanted import Wanted

    run(
        InitOptions(
            domain=domain,
            project_name=project_name,
            owner=owner,
            license_name=license_name,
            multigroup=multigroup,
            namespaced=namespaced,
            project_version=project_version,
            plugins=plugins,
            wanted=Wanted(group=group, version=version, kind=kind),
            chart=ChartOptions(
                chart=helm_chart,
                repo=helm_chart_repo,
                version=helm_chart_version,
                crd_schema=crd_schema,
            ),
            role=RoleOptions(
                generate_role=generate_role,
                generate_playbook=generate_playbook,
                crd_schema=crd_schema,
            ),
            force=force,
            dry_run=dry_run,
            manifests=manifests,
        )
    )


def edit(  # noqa: PLR0913  # one for each option
    *,
    multigroup: Annotated[
        bool | None,
        typer.Option("--multigroup/--no-multigroup", help="Have a folder for each API group."),
    ] = None,
    namespaced: Annotated[
        bool | None,
        typer.Option(
            "--namespaced/--no-namespaced", help="Watch only the operator's own namespace."
        ),
    ] = None,
    owner: Annotated[str | None, typer.Option(metavar="NAME", help="Whose the project is.")] = None,
    license_name: Annotated[
        str | None, typer.Option("--license", metavar="NAME", help="apache2 or none.")
    ] = None,
    manifests: Manifests = True,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite what was changed by hand.")
    ] = False,
    dry_run: DryRun = False,
) -> None:
    """Change what holds for the whole project.

    Files that were changed by hand keep those changes. With --multigroup, modules are moved into
    the folders of their groups, and imported from there.

    Exit status: 0 if it was changed, 2 for invalid input; nothing is written then.
    """
    from kubewright.cli.project.edition import EditOptions, run

    run(
        EditOptions(
            multigroup=multigroup,
            namespaced=namespaced,
            owner=owner,
            license_name=license_name,
            force=force,
            dry_run=dry_run,
            manifests=manifests,
        )
    )


create: typer.Typer = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Add a kind, a controller or webhooks to a project.",
)


@create.command(cls=Command, epilog=_API_EXAMPLES)
def api(  # noqa: PLR0913  # one for each option
    *,
    group: OptionalGroup = "",
    version: OptionalVersion = "",
    kind: OptionalKind = "",
    plural: Plural = "",
    resource: Annotated[
        bool | None,
        typer.Option("--resource/--no-resource", help="Make a class, or do not; asks if not said."),
    ] = None,
    controller: Annotated[
        bool | None,
        typer.Option(
            "--controller/--no-controller", help="Make a controller, or do not; asks if not said."
        ),
    ] = None,
    namespaced: Annotated[
        bool,
        typer.Option("--namespaced/--no-namespaced", help="Whether objects are in namespaces."),
    ] = True,
    image: Annotated[
        str, typer.Option(metavar="IMAGE", help="Make a controller that runs this image.")
    ] = "",
    image_container_command: Annotated[
        str, typer.Option(metavar="WORDS", help="Its command, with commas between the words.")
    ] = "",
    image_container_port: Annotated[
        str, typer.Option(metavar="PORT", help="The port that it listens on.")
    ] = "",
    run_as_user: Annotated[str, typer.Option(metavar="UID", help="The user that it runs as.")] = "",
    external_api_path: ExternalPath = "",
    external_api_domain: ExternalDomain = "",
    helm_chart: HelmChart = "",
    helm_chart_repo: HelmChartRepo = "",
    helm_chart_version: HelmChartVersion = "",
    generate_role: GenerateRole = False,
    generate_playbook: GeneratePlaybook = False,
    crd_schema: CRDSchema = "",
    manifests: Manifests = True,
    force: Force = False,
    dry_run: DryRun = False,
) -> None:
    """Add a kind and its controller to the project.

    Kinds of Kubernetes are recognised, and get a controller only. Without a terminal, nothing is
    asked, and both are made. In a project made of charts, a kind gets a chart instead: the one that
    is named, which is copied, or a new one. In a project made of Ansible roles, it gets a role, a
    playbook or both: new ones, or those that are there already.

    Exit status: 0 if it was made, 2 for invalid input; nothing is written then.
    """
    from kubewright.cli.project.ansible.options import RoleOptions
    from kubewright.cli.project.creation import APIOptions, run
    from kubewright.cli.project.helm.options import ChartOptions
    from kubewright.scaffold.wanted import Wanted

    wanted = Wanted(
        group=group,
        version=version,
        kind=kind,
        plural=plural,
        namespaced=namespaced,
        path=external_api_path,
        domain=external_api_domain,
    )
    run(
        APIOptions(
            wanted=wanted,
            chart=ChartOptions(
                chart=helm_chart,
                repo=helm_chart_repo,
                version=helm_chart_version,
                crd_schema=crd_schema,
            ),
            role=RoleOptions(
                generate_role=generate_role,
                generate_playbook=generate_playbook,
                crd_schema=crd_schema,
            ),
            resource=resource,
            controller=controller,
            image=image,
            image_command=image_container_command,
            image_port=image_container_port,
            run_as_user=run_as_user,
            force=force,
            dry_run=dry_run,
            manifests=manifests,
        )
    )


@create.command(cls=Command, epilog=_WEBHOOK_EXAMPLES)
def webhook(  # noqa: PLR0913  # one for each option
    *,
    group: Group,
    version: Version,
    kind: Kind,
    defaulting: Annotated[
        bool, typer.Option("--defaulting", help="Fill in what users leave out.")
    ] = False,
    programmatic_validation: Annotated[
        bool, typer.Option("--programmatic-validation", help="Refuse what no schema can refuse.")
    ] = False,
    conversion: Annotated[
        bool,
        typer.Option("--conversion", help="Convert other versions to this one, and back."),
    ] = False,
    spoke: Annotated[
        list[str] | None,
        typer.Option(metavar="VERSIONS", help="The other versions: v2,v3; can be repeated."),
    ] = None,
    plural: Plural = "",
    external_api_path: ExternalPath = "",
    external_api_domain: ExternalDomain = "",
    manifests: Manifests = True,
    force: Force = False,
    dry_run: DryRun = False,
) -> None:
    """Add webhooks to a kind of the project, of Kubernetes or of others.

    Exit status: 0 if they were made, 2 for invalid input; nothing is written then.
    """
    from kubewright.cli.project.webhook import WebhookOptions, run
    from kubewright.scaffold.wanted import Wanted

    wanted = Wanted(
        group=group,
        version=version,
        kind=kind,
        plural=plural,
        path=external_api_path,
        domain=external_api_domain,
    )
    spokes = [word.strip() for text in spoke or () for word in text.split(",")]
    run(
        WebhookOptions(
            wanted=wanted,
            defaulting=defaulting,
            validation=programmatic_validation,
            conversion=conversion,
            spoke=tuple(dict.fromkeys(filter(None, spokes))),
            force=force,
            dry_run=dry_run,
            manifests=manifests,
        )
    )
