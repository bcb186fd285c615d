"""The command ``kubewright apiserver``."""

from pathlib import Path
from typing import Annotated

import typer

from kubewright.cli.cluster.commands import path as _path

__all__ = ["apiserver"]


def apiserver(  # noqa: PLR0913  # one for each option
    *,
    port: Annotated[
        int,
        typer.Option(min=0, max=65535, metavar="N", help="Port to listen on; 0 picks a free one."),
    ] = 0,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address to listen on.")
    ] = "127.0.0.1",
    kubeconfig: Annotated[
        Path | None,
        typer.Option(
            parser=_path,
            metavar="PATH",
            help="File to write a kubeconfig to once the server answers.",
        ),
    ] = None,
    data_dir: Annotated[
        Path | None,
        typer.Option(
            parser=_path,
            metavar="PATH",
            help="Folder to keep objects in; by default, they are in memory.",
        ),
    ] = None,
    rbac: Annotated[
        bool,
        typer.Option(help="Enforce RBAC; without it, every user may do everything."),
    ] = True,
    audit_log: Annotated[
        Path | None,
        typer.Option(
            parser=_path,
            metavar="PATH",
            help="File to append an audit event to for every request.",
        ),
    ] = None,
    authorization_webhook_config_file: Annotated[
        Path | None,
        typer.Option(
            parser=_path,
            metavar="PATH",
            help="Kubeconfig of a webhook to ask about what RBAC does not allow.",
        ),
    ] = None,
    authorization_webhook_version: Annotated[
        str, typer.Option(metavar="VERSION", help="v1 or v1beta1.")
    ] = "v1",
    authorization_webhook_cache_authorized_ttl: Annotated[
        str, typer.Option(metavar="DURATION", help="How long a yes is remembered.")
    ] = "5m",
    authorization_webhook_cache_unauthorized_ttl: Annotated[
        str, typer.Option(metavar="DURATION", help="How long another answer is remembered.")
    ] = "30s",
    authentication_token_webhook_config_file: Annotated[
        Path | None,
        typer.Option(
            parser=_path,
            metavar="PATH",
            help="Kubeconfig of a webhook to ask about tokens that the server does not know.",
        ),
    ] = None,
    authentication_token_webhook_version: Annotated[
        str, typer.Option(metavar="VERSION", help="v1 or v1beta1.")
    ] = "v1",  # noqa: S107  # no password
    authentication_token_webhook_cache_ttl: Annotated[
        str, typer.Option(metavar="DURATION", help="How long an answer is remembered.")
    ] = "2m",  # noqa: S107  # no password
) -> None:
    """Run a Kubernetes API server on this machine until Ctrl-C.

    It is for development and tests. There are no nodes, so pods stay pending. For a whole cluster,
    run "kubewright cluster start".
    """
    from kubewright.cli.apiserver import Options, run
    from kubewright.cli.webhooks import authentication, authorization

    run(
        Options(
            host=host,
            port=port,
            kubeconfig=kubeconfig,
            data_dir=data_dir,
            rbac=rbac,
            audit_log=audit_log,
            authorization_webhook=authorization(
                authorization_webhook_config_file,
                authorization_webhook_version,
                authorized_ttl=authorization_webhook_cache_authorized_ttl,
                unauthorized_ttl=authorization_webhook_cache_unauthorized_ttl,
            ),
            authentication_webhook=authentication(
                authentication_token_webhook_config_file,
                authentication_token_webhook_version,
                cache_ttl=authentication_token_webhook_cache_ttl,
            ),
        )
    )
