"""The command ``kubewright run``."""

from pathlib import Path
from typing import Annotated

import typer

from kubewright.cli.cluster.commands import path as _path
from kubewright.cli.fatal import tell
from kubewright.cli.options import LogEvents, LogFormat, LogLevel, Target
from kubewright.errors import KubewrightError

__all__ = ["run"]


def run(  # noqa: PLR0913  # one for each option
    target: Target = None,
    *,
    kubeconfig: Annotated[
        Path | None,
        typer.Option(parser=_path, metavar="PATH", help="Kubeconfig file; by default, kubectl's."),
    ] = None,
    context: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Context to use instead of the current one."),
    ] = None,
    namespace: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Namespace to watch; can be repeated. By default, all of them.",
        ),
    ] = None,
    leader_elect: Annotated[
        bool,
        typer.Option("--leader-elect", help="Let only one of several replicas work at a time."),
    ] = False,
    leader_elect_namespace: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Namespace of the Lease; by default, the pod's own."),
    ] = None,
    leader_elect_name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Name of the Lease; by default, the operator's."),
    ] = None,
    leader_elect_lease_duration: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", help="Time after which a standby takes over from a silent leader."
        ),
    ] = 15.0,
    leader_elect_renew_deadline: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", help="How long a leader tries to renew its Lease before it stops."
        ),
    ] = 10.0,
    leader_elect_retry_period: Annotated[
        float, typer.Option(metavar="SECONDS", help="Time between two attempts.")
    ] = 2.0,
    metrics_bind_address: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Address of /metrics, such as ':8080'; '0' for none."),
    ] = "0",
    metrics_secure: Annotated[
        bool,
        typer.Option(
            "--metrics-secure/--no-metrics-secure",
            help="Serve /metrics by HTTPS, and only with a token that may get it. Off by default.",
        ),
    ] = False,
    metrics_cert_path: Annotated[
        Path | None,
        typer.Option(
            parser=_path,
            metavar="FOLDER",
            help="Folder of the certificate for --metrics-secure; by default, one is made.",
        ),
    ] = None,
    metrics_cert_name: Annotated[
        str, typer.Option(metavar="FILE", help="The certificate in that folder.")
    ] = "tls.crt",
    metrics_cert_key: Annotated[
        str, typer.Option(metavar="FILE", help="Its key in that folder.")
    ] = "tls.key",
    health_probe_bind_address: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Address of /healthz and /readyz, such as ':8081'; '0' for none.",
        ),
    ] = "0",
    webhooks: Annotated[
        bool,
        typer.Option("--webhooks/--no-webhooks", help="Serve the operator's webhooks, if any."),
    ] = True,
    webhook_host: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Address of the webhooks; by default, all of them."),
    ] = "",
    webhook_port: Annotated[int, typer.Option(metavar="PORT", help="Port of the webhooks.")] = 9443,
    webhook_cert_path: Annotated[
        Path | None,
        typer.Option(
            parser=_path,
            metavar="FOLDER",
            help="Folder of a mounted certificate; by default, one is made and kept in a Secret.",
        ),
    ] = None,
    webhook_cert_name: Annotated[
        str, typer.Option(metavar="FILE", help="The certificate in that folder.")
    ] = "tls.crt",
    webhook_cert_key: Annotated[
        str, typer.Option(metavar="FILE", help="Its key in that folder.")
    ] = "tls.key",
    webhook_client_ca: Annotated[
        Path | None,
        typer.Option(
            parser=_path,
            metavar="FILE",
            help="Authorities of client certificates; with it, callers need one.",
        ),
    ] = None,
    webhook_service: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Service of the webhooks; by default, OPERATOR-webhook-service."
        ),
    ] = "",
    webhook_namespace: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Namespace of that Service and of the Secret; by default, that of the pod, or of"
            " the context.",
        ),
    ] = None,
    webhook_url: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="Where API servers reach this machine, such as https://10.0.0.5:9443.",
        ),
    ] = "",
    install_webhooks: Annotated[
        bool,
        typer.Option(
            "--install-webhooks", help="Register the webhooks with the cluster once they answer."
        ),
    ] = False,
    workers: Annotated[
        int,
        typer.Option(
            min=1, metavar="N", help="Number of objects each reconciler works on at a time."
        ),
    ] = 1,
    log_level: Annotated[
        LogLevel, typer.Option(case_sensitive=False, help="Lowest level to print.")
    ] = LogLevel.INFO,
    log_format: Annotated[
        LogFormat, typer.Option(help="Lines for people, or one JSON object per line.")
    ] = LogFormat.CONSOLE,
    install_crds: Annotated[
        bool, typer.Option("--install-crds", help="Install the CRDs of the operator's kinds first.")
    ] = False,
    ansible_verbosity: Annotated[
        int | None,
        typer.Option(
            min=0, max=7, metavar="N", help="How much Ansible prints, for roles.", show_default="2"
        ),
    ] = None,
    ansible_args: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="More arguments for ansible-playbook, for roles."),
    ] = None,
    ansible_log_events: Annotated[
        LogEvents | None,
        typer.Option(help="Which events of runs of roles to log.", show_default="tasks"),
    ] = None,
    ansible_deadline: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            metavar="SECONDS",
            help="Time after which a run of a role is killed; 0 for never.",
            show_default="3600",
        ),
    ] = None,
    ansible_runs: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Number of roles to run at a time.",
            show_default="number of processors",
        ),
    ] = None,
    reconcile_period: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION",
            help="Time after which an object of a role is looked at again, such as 30m.",
            show_default="10h",
        ),
    ] = None,
    check_rights: Annotated[
        bool,
        typer.Option(
            "--check-rights/--no-check-rights",
            help="Log at startup which permissions the operator lacks.",
        ),
    ] = True,
) -> None:
    """Run an operator against a cluster until Ctrl-C.

    Exit status: 0 after a signal, 1 if it fails while it runs, 2 for invalid input.
    """
    from kubewright.cli.ansible.options import settings_for
    from kubewright.cli.project.folder import target_of
    from kubewright.cli.run import Options
    from kubewright.cli.run import run as start
    from kubewright.cli.watchfile import find_watches

    try:
        ansible = settings_for(
            verbosity=ansible_verbosity,
            arguments=ansible_args,
            log_events=ansible_log_events.value if ansible_log_events else None,
            deadline=ansible_deadline,
            runs=ansible_runs,
            reconcile_period=reconcile_period,
        )
    except KubewrightError as error:
        tell(str(error), log_format.value)
        raise typer.Exit(2) from None
    options = Options(
        find_watches(target) or target_of(target),
        kubeconfig=kubeconfig,
        context=context,
        namespaces=tuple(namespace or ()),
        leader_elect=leader_elect,
        leader_elect_namespace=leader_elect_namespace,
        leader_elect_name=leader_elect_name,
        lease_duration=leader_elect_lease_duration,
        renew_deadline=leader_elect_renew_deadline,
        retry_period=leader_elect_retry_period,
        metrics_bind_address=metrics_bind_address,
        metrics_secure=metrics_secure,
        metrics_cert_path=metrics_cert_path,
        metrics_cert_name=metrics_cert_name,
        metrics_cert_key=metrics_cert_key,
        health_probe_bind_address=health_probe_bind_address,
        webhooks=webhooks,
        webhook_host=webhook_host,
        webhook_port=webhook_port,
        webhook_cert_path=webhook_cert_path,
        webhook_cert_name=webhook_cert_name,
        webhook_cert_key=webhook_cert_key,
        webhook_client_ca=webhook_client_ca,
        webhook_service=webhook_service,
        webhook_namespace=webhook_namespace,
        webhook_url=webhook_url,
        install_webhooks=install_webhooks,
        workers=workers,
        log_level=log_level.value,
        log_format=log_format.value,
        install_crds=install_crds,
        check_rights=check_rights,
        ansible=ansible,
    )
    try:
        status = start(options)
    except KubewrightError as error:
        tell(str(error), log_format.value)
        status = 2
    raise typer.Exit(status)
