"""The command ``kubewright run``."""

import asyncio
import os
import re
import sys
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from kubewright import log
from kubewright._aio import Clock
from kubewright.api.names import check_dns_subdomain
from kubewright.application import Application
from kubewright.application.application import SERVED
from kubewright.cli.checks import NamespaceCheck, RightsCheck, WebhooksCheck, check_namespaces
from kubewright.cli.fatal import tell
from kubewright.cli.load import check_declared, load_operator
from kubewright.cli.loop import loop_factory
from kubewright.client import Client, Config
from kubewright.client.incluster import SOURCE as IN_CLUSTER
from kubewright.cluster import Cluster
from kubewright.errors import (
    ConfigError,
    ForbiddenError,
    KubewrightError,
    SchemaError,
    SchemeError,
)
from kubewright.manager import LeaderElection, Manager
from kubewright.manager.signals import stopping_on_signals
from kubewright.webhook.serving import WebhookServing

if TYPE_CHECKING:
    from kubewright.ansible import Settings

__all__ = ["Options", "run"]

_log = log.get_logger("kubewright.run")

_LEASE_ARGUMENT = re.compile(r"\b(lease_duration|renew_deadline|retry_period)=")
_THREAD = "kubewright-thread"
_LOOKS, _LOOK_EVERY = 10, 0.1  # for a second in all


@dataclass(frozen=True, slots=True)
class Options:
    """What the user wants; see ``kubewright run --help``."""

    target: str
    kubeconfig: Path | None = None
    context: str | None = None
    namespaces: tuple[str, ...] = ()
    leader_elect: bool = False
    leader_elect_namespace: str | None = None
    leader_elect_name: str | None = None
    lease_duration: float = 15.0
    renew_deadline: float = 10.0
    retry_period: float = 2.0
    metrics_bind_address: str = "0"
    metrics_secure: bool = False
    metrics_cert_path: Path | None = None
    metrics_cert_name: str = "tls.crt"
    metrics_cert_key: str = "tls.key"
    health_probe_bind_address: str = "0"
    webhooks: bool = True
    webhook_host: str = ""
    webhook_port: int = 9443
    webhook_cert_path: Path | None = None
    webhook_cert_name: str = "tls.crt"
    webhook_cert_key: str = "tls.key"
    webhook_client_ca: Path | None = None
    webhook_service: str = ""
    webhook_namespace: str | None = None
    webhook_url: str = ""
    install_webhooks: bool = False
    workers: int = 1
    log_level: str = "info"
    log_format: Literal["console", "json"] = "console"
    install_crds: bool = False
    check_rights: bool = True
    ansible: "Settings | None" = None


def run(options: Options, operator: Application | None = None) -> int:
    """Run an operator until a signal comes; return the exit status.

    Args:
        options: What the user wants.
        operator: The operator, if it is not what the target of *options* names.

    Raises:
        KubewrightError: There is no such operator or cluster, the options do not fit together, or
            there is no schema for its kinds.
    """
    log.configure(options.log_level, options.log_format)
    check_namespaces(options.namespaces, option="--namespace")
    if options.leader_elect_namespace is not None:
        check_namespaces([options.leader_elect_namespace], option="--leader-elect-namespace")
    if options.webhook_namespace is not None:
        check_namespaces([options.webhook_namespace], option="--webhook-namespace")
    if options.leader_elect_name:
        _check_lease_name(options.leader_elect_name)
    operator = operator or load_operator(options.target, ansible=options.ansible)
    check_declared(operator)
    _election(operator, options)  # which refuses numbers that do not fit together
    config = Config.load(options.kubeconfig, options.context)
    try:
        _serving(operator, config, options)
    except ConfigError as error:
        raise ConfigError(_with_flag(str(error))) from error
    try:
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            return runner.run(_run(operator, config, options))
    except SystemExit as error:  # from the operator's code: ours never raises it
        tell(f"the operator's code ends the program, with {error!r}", options.log_format)
        raise


async def _run(operator: Application, config: Config, options: Options) -> int:
    stop = _Stop()
    executor = ThreadPoolExecutor(thread_name_prefix=_THREAD)
    loop = asyncio.get_running_loop()
    loop.set_default_executor(executor)
    loop.set_exception_handler(_pass_over_exits)
    status = await _serve_until_stopped(operator, config, options, stop)
    executor.shutdown(wait=False, cancel_futures=True)
    left = [*(stop.manager.hanging if stop.manager else ()), *await _find_busy_threads()]
    if left:
        # The event loop would wait for them for ever, and another process may do their work by now.
        _log.error("exiting at once, since not everything stops", name=left)
        sys.stderr.flush()
        os._exit(1)
    return status


def _pass_over_exits(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log exceptions that nobody awaited, except for exits, which are reported elsewhere."""
    if not isinstance(context.get("exception"), SystemExit):
        loop.default_exception_handler(context)


async def _find_busy_threads() -> list[str]:
    """Return the threads of ``asyncio.to_thread`` that do not end within a moment."""
    left: list[str] = []
    for _ in range(_LOOKS):
        left = [one.name for one in threading.enumerate() if one.name.startswith(_THREAD)]
        if not left:
            break
        await Clock().sleep(_LOOK_EVERY)
    return left


async def _serve_until_stopped(
    operator: Application, config: Config, options: Options, stop: "_Stop"
) -> int:
    try:
        with stopping_on_signals(stop):
            await _serve(operator, config, options, stop)
    except ConfigError as error:
        raise ConfigError(_with_flag(str(error))) from error
    except (SchemaError, SchemeError):
        raise
    except asyncio.CancelledError:
        if not stop.asked:
            raise
    except KubewrightError as error:
        return _fail(str(error), options)
    except Exception:  # noqa: BLE001  # the user's runnables may fail in any way
        return _fail(traceback.format_exc().rstrip(), options)
    return 0


async def _serve(operator: Application, config: Config, options: Options, stop: "_Stop") -> None:
    serving = _serving(operator, config, options)
    async with Client(config, field_owner=operator.name) as client:
        if options.install_crds:
            await _install(operator, client, serving)
        cluster = Cluster(client, namespaces=options.namespaces or None)
        manager = Manager(
            cluster,
            leader_election=_election(operator, options),
            metrics_bind_address=options.metrics_bind_address,
            metrics_secure=options.metrics_secure,
            metrics_cert_path=options.metrics_cert_path,
            metrics_cert_name=options.metrics_cert_name,
            metrics_cert_key=options.metrics_cert_key,
            health_probe_bind_address=options.health_probe_bind_address,
        )
        operator.add_to(manager, cluster, workers=options.workers, serve_webhooks=serving)
        if options.namespaces:
            manager.add(NamespaceCheck(client, options.namespaces))
        if options.check_rights:
            manager.add(_rights_check(operator, client, options))
        if serving is not None and operator.webhooks.admissions and not serving.install:
            manager.add(WebhooksCheck(operator.webhooks, client))
        stop.manager = manager
        _log.info(
            "operator starts",
            operator=operator.name,
            url=config.url,
            namespaces=list(options.namespaces) or "all",
        )
        await manager.run(own_process=True)
    _log.info("operator stopped", operator=operator.name)
    if serving is not None and serving.url and _registers(operator, options):
        from kubewright.cli.serving import tell_what_stays

        tell_what_stays(_log, operator.webhooks)


def _registers(operator: Application, options: Options) -> bool:
    """Tell whether API servers learn from us where webhooks are: CRDs say who converts."""
    webhooks = operator.webhooks
    converts = options.install_crds and bool(webhooks.conversions)
    return converts or (options.install_webhooks and bool(webhooks))


async def _install(operator: Application, client: Client, serving: WebhookServing | None) -> None:
    try:
        await operator.install_crds(client, serve_webhooks=serving or SERVED)
    except ForbiddenError as error:
        raise KubewrightError(
            f"{error}\nOr let an administrator install the CRDs, and run without --install-crds."
        ) from error


def _serving(operator: Application, config: Config, options: Options) -> WebhookServing | None:
    """Return how webhooks are served; ``None`` for not at all."""
    if not options.webhooks:
        if options.install_webhooks:
            raise ConfigError(
                "install_webhooks: webhooks that are not served refuse every write. Leave out"
                " --install-webhooks or --no-webhooks."
            )
        return None
    if options.webhook_cert_path is None:
        for name, default in (("webhook_cert_name", "tls.crt"), ("webhook_cert_key", "tls.key")):
            if (given := getattr(options, name)) != default:
                raise ConfigError(
                    f"{name}: {given!r} would not be used, since no certificate is mounted. Name"
                    " its folder with --webhook-cert-path, or leave the file out."
                )
    url = options.webhook_url
    outside = config.source != IN_CLUSTER
    if outside and not (url or options.webhook_service) and _registers(operator, options):
        from kubewright.cli.serving import url_of_this_machine

        url = url_of_this_machine(config.url, options.webhook_port)
    return WebhookServing(
        host=options.webhook_host,
        port=options.webhook_port,
        cert_path=options.webhook_cert_path,
        cert_name=options.webhook_cert_name,
        cert_key=options.webhook_cert_key,
        client_ca=options.webhook_client_ca,
        service=options.webhook_service,
        namespace=options.webhook_namespace or "",
        url=url,
        install=options.install_webhooks,
    )


def _election(operator: Application, options: Options) -> LeaderElection | None:
    if not options.leader_elect:
        return None
    try:
        return LeaderElection(
            operator.name if options.leader_elect_name is None else options.leader_elect_name,
            options.leader_elect_namespace,
            lease_duration=options.lease_duration,
            renew_deadline=options.renew_deadline,
            retry_period=options.retry_period,
        )
    except ConfigError as error:
        raise ConfigError(_LEASE_ARGUMENT.sub(_flag, str(error))) from None


def _flag(argument: re.Match[str]) -> str:
    return f"--leader-elect-{argument[1].replace('_', '-')}="


def _check_lease_name(name: str) -> None:
    try:
        check_dns_subdomain(name)
    except ValueError as error:
        raise ConfigError(f"there can be no such Lease: --leader-elect-name: {error}") from None


def _rights_check(operator: Application, client: Client, options: Options) -> RightsCheck:
    lease = options.leader_elect_namespace or client.namespace
    return RightsCheck(
        operator,
        client,
        namespaces=options.namespaces,
        leader_election=lease if options.leader_elect else "",
        metrics_secure=options.metrics_secure and options.metrics_bind_address not in {"", "0"},
        webhook_secret=_namespace_of_secret(client, options),
    )


def _namespace_of_secret(client: Client, options: Options) -> str:
    """Return where the operator keeps the certificate that it makes; empty if it makes none."""
    makes_one = options.webhooks and options.webhook_cert_path is None
    return (options.webhook_namespace or client.namespace) if makes_one else ""


class _Stop:
    """What the first signal does: stop the manager in order, once there is one."""

    def __init__(self) -> None:
        self.asked = False
        self.manager: Manager | None = None
        self._task = asyncio.current_task()

    def __call__(self) -> None:
        self.asked = True
        if self.manager is not None:
            self.manager.stop()
        elif self._task is not None:
            self._task.cancel()


def _with_flag(text: str) -> str:
    """Return *text* with the flag in place of the argument that it begins with."""
    name, colon, rest = text.partition(":")
    is_option = name in {field.name for field in fields(Options)}
    return f"--{name.replace('_', '-')}{colon}{rest}" if is_option else text


def _fail(text: str, options: Options) -> int:
    tell(text, options.log_format)
    return 1
