"""The command ``kubewright doctor``: finds out what to look at, and lets the checks look."""

import asyncio
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

from kubewright._aio import Clock
from kubewright.api.kind import ObjectKey
from kubewright.api.names import check_dns_label, check_dns_subdomain
from kubewright.application import Application
from kubewright.application.diagnosis import (
    CHECKS,
    Commands,
    Diagnosis,
    Installation,
    Patient,
    examine,
    find_installation,
    greet,
)
from kubewright.cli.doctor.progress import Progress
from kubewright.cli.doctor.report import Header, as_json, as_text
from kubewright.cli.fatal import tell
from kubewright.cli.load import load_operator
from kubewright.cli.loop import loop_factory
from kubewright.cli.project.folder import ProjectFolder, find_project, target_of
from kubewright.client import Client, Config
from kubewright.errors import (
    APIError,
    ConfigError,
    DecodeError,
    ForbiddenError,
    KubewrightError,
    TransportError,
)
from kubewright.manager.signals import stopping_on_signals

__all__ = ["Options", "run"]

_MANAGER = "controller-manager"


@dataclass(frozen=True, slots=True)
class Options:
    """What the user wants; see ``kubewright doctor --help``."""

    target: str | None = None
    kubeconfig: Path | None = None
    context: str | None = None
    namespace: str | None = None
    deployment: str | None = None
    service_account: str | None = None
    output: Literal["text", "json"] = "text"
    timeout: float = 10.0
    stuck_after: float = 300.0
    verbose: bool = False


class _Case(NamedTuple):
    """What is known before the cluster is asked."""

    operator: Application | None
    namespaces: tuple[str, ...]
    names: tuple[str, ...]
    account: ObjectKey | None
    commands: Commands


def run(options: Options) -> int:
    """Examine, report, and return the exit status.

    Raises:
        ConfigError: An option cannot be meant, or there is no such operator or cluster.
    """
    case = _case(options)
    config = Config.load(options.kubeconfig, options.context)
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(_run(case, config, options))


def _case(options: Options) -> _Case:
    account = _account(options.service_account)
    _check("--namespace", options.namespace, check_dns_label)
    _check("--deployment", options.deployment, check_dns_subdomain)
    project = find_project() if options.target is None else None
    target = target_of(options.target) if options.target or project is not None else None
    operator = load_operator(target) if target is not None else None
    home = (options.namespace,) if options.namespace else _namespaces(project, operator)
    if options.deployment and not home:
        raise ConfigError("--deployment: in which namespace? Say it with --namespace")
    commands = _commands(project, target, options.namespace or "")
    return _Case(operator, home, _names(project, operator), account, commands)


def _check(option: str, value: str | None, check: Callable[[str], object]) -> None:
    if value is None:
        return
    try:
        check(value)
    except ValueError as error:
        raise ConfigError(f"{option}: there can be no such name: {error}") from None


def _account(text: str | None) -> ObjectKey | None:
    if text is None:
        return None
    namespace, colon, name = text.partition(":")
    try:
        check_dns_label(namespace)
        check_dns_subdomain(name)
    except ValueError:
        colon = ""
    if not colon:
        raise ConfigError(
            f"--service-account: write NAMESPACE:NAME, such as shop-system:shop, not {text!r}"
        )
    return ObjectKey(namespace, name)


def _namespaces(project: ProjectFolder | None, operator: Application | None) -> tuple[str, ...]:
    """Return where the Deployment may be, the likeliest first."""
    if project is not None:
        return (project.project.namespace,)
    return (f"{operator.name.replace('.', '-')}-system",) if operator is not None else ()


def _names(project: ProjectFolder | None, operator: Application | None) -> tuple[str, ...]:
    """Return what the Deployment may be called, the likeliest first."""
    titles = [] if project is None else [project.project.project_name]
    titles += [] if operator is None else [operator.name]
    return tuple(name for title in titles for name in (f"{title}-{_MANAGER}", title))


def _commands(project: ProjectFolder | None, target: str | None, namespace: str) -> Commands:
    """Return what installs and deploys the operator: a project can, a file has manifests.

    They do so in *namespace*, if that was named: elsewhere there would be a second one.
    """
    there = f" --namespace {namespace}" if namespace else ""
    if project is not None:
        own = namespace == project.project.namespace
        return Commands(deploy=f"{Commands().deploy}{'' if own else there}")
    if target is None:
        return Commands()
    apply = f"kubewright manifests {target}{there} | kubectl apply --server-side --filename -"
    audit = f"kubewright rbac audit --operator {target} --fix"
    return Commands(install=apply, deploy=apply, audit=(audit,))


def _with_image(commands: Commands, place: Installation | None) -> Commands:
    """Return *commands* that deploy the image that is deployed already."""
    if not commands.deploy.startswith(Commands().deploy):
        return commands
    container = place.container if place is not None else None
    image = (container.image if container is not None else None) or "IMAGE"
    return replace(commands, deploy=f"{commands.deploy} --image {image}")


async def _run(case: _Case, config: Config, options: Options) -> int:
    task, clock = asyncio.current_task(), Clock()
    assert task is not None
    asked: list[bool] = []
    progress = Progress(sys.stderr, clock)

    def stop() -> None:
        asked.append(True)
        task.cancel()

    try:
        with stopping_on_signals(stop):
            async with Client(config, on_warning=_ignore) as client:
                diagnosis, header = await _examine(client, case, options, progress)
    except asyncio.CancelledError:
        if not asked:
            raise
        progress.end()
        tell("interrupted, before everything was looked at")
        return 1
    progress.end()
    flags = _flags(options)
    if options.output == "json":
        text = as_json(diagnosis, header, flags=flags, verbose=options.verbose)
    else:
        colours = sys.stdout.isatty()
        text = as_text(diagnosis, header, flags=flags, verbose=options.verbose, colours=colours)
    print(text, flush=True)  # noqa: T201  # the result
    return 0 if diagnosis.is_healthy else 1


def _ignore(_: str) -> None:
    """Pass over warnings of the server: what we ask for is old on purpose, for old servers."""


async def _examine(
    client: Client, case: _Case, options: Options, progress: "Progress"
) -> tuple[Diagnosis, Header]:
    try:
        async with client.clock.timeout(options.timeout):
            greeting = await greet(client)
    except (TransportError, APIError) as error:
        raise ConfigError(_no_cluster(client, error)) from error
    except DecodeError as error:  # a login page, or the start page of another server
        other = f"what answers there is not an API server of Kubernetes: {error}"
        raise ConfigError(_no_cluster(client, other)) from error
    except TimeoutError:
        seconds = f"it did not answer within {options.timeout:g} seconds"
        raise ConfigError(_no_cluster(client, seconds)) from None
    place = await _place(client, case, options)
    patient = Patient(
        client,
        operator=case.operator,
        installation=place,
        version=greeting.version,
        ahead=greeting.ahead,
        stuck_after=options.stuck_after,
        commands=_with_image(case.commands, place),
        kubectl=shutil.which("kubectl") or "",
    )
    progress.begin(len(CHECKS))
    diagnosis = await examine(patient, CHECKS, timeout=options.timeout, progress=progress.show)
    name = case.operator.name if case.operator is not None else ""
    where = place.namespace if place is not None else ""
    return diagnosis, Header(client.config.url, str(greeting.version), name, where)


def _no_cluster(client: Client, why: object) -> str:
    return (
        f"there is no cluster to look at: {client.config.url}: {why}\nIs it running, and is it the"
        " one you mean? `kubectl config view --minify` shows the current context."
    )


async def _place(client: Client, case: _Case, options: Options) -> Installation | None:
    """Return where the operator is deployed; ``None`` if that is not known, or not allowed."""
    for namespace in case.namespaces:
        try:
            async with client.clock.timeout(options.timeout):
                return await find_installation(
                    client,
                    namespace,
                    names=case.names,
                    deployment=options.deployment or "",
                    account=case.account,
                )
        except ForbiddenError as error:
            tell(f"what belongs to the Deployment is not looked at: {error}")
        except ConfigError:
            raise
        except (KubewrightError, TimeoutError) as error:
            why = str(error) or "no answer in time"
            tell(f"what belongs to the Deployment is not looked at: {why}")
    return None


def _flags(options: Options) -> tuple[str, ...]:
    """Return the flags that commands of a report need to reach the same cluster."""
    found: list[str] = []
    if options.kubeconfig is not None:
        found += ["--kubeconfig", str(options.kubeconfig)]
    if options.context is not None:
        found += ["--context", options.context]
    return tuple(found)
