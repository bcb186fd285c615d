"""The commands ``kubewright run bundle`` and ``kubewright run bundle-upgrade``."""

from dataclasses import dataclass, field

from kubewright.api.kind_reference import Kind
from kubewright.api.names import check_dns_label
from kubewright.bundle.document import Document, at, items
from kubewright.bundle.finding import Level
from kubewright.bundle.installation import Place, check_mode
from kubewright.bundle.reading import Bundle
from kubewright.bundle.subscription.objects import Settings
from kubewright.bundle.validation import validate
from kubewright.cli.bundle.findings import report
from kubewright.cli.bundle.source import read_source
from kubewright.cli.deploy.screen import Screen
from kubewright.cli.deploy.session import Access, run
from kubewright.cli.olm.direct import (
    Installation,
    check_kinds,
    check_step,
    ensure_namespace,
    find_installed,
)
from kubewright.cli.olm.installed import place_in
from kubewright.cli.olm.subscribing import Subscribing, Wanted
from kubewright.cli.olm.way import Way, find_way
from kubewright.client import Client
from kubewright.errors import ConfigError

__all__ = ["RunOptions", "run_bundle"]

_NAMESPACE = Kind("v1", "Namespace")


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the user wants; see ``kubewright run bundle --help``."""

    access: Access
    source: str
    namespace: str = ""
    mode: str = ""
    watch: tuple[str, ...] = ()
    upgrade: bool = False
    direct: bool = False
    wait: bool = True
    timeout: float = 120.0
    force_conflicts: bool = False
    use_http: bool = False
    settings: Settings = field(default_factory=Settings)


def run_bundle(options: RunOptions) -> int:
    """Install a bundle, or upgrade to it; return the exit status.

    Raises:
        ConfigError: It is no bundle, or cannot be installed there.
    """
    for name in (*options.watch, *filter(None, [options.namespace])):
        try:
            check_dns_label(name)
        except ValueError as error:
            raise ConfigError(f"there can be no such namespace: {error}") from None
    source = read_source(options.source, use_http=options.use_http)
    errors = [one for one in validate(source.bundle) if one.level is Level.ERROR]
    if errors:
        return report(errors)
    csv = source.bundle.csv
    assert csv is not None  # the validation has seen it

    async def work(client: Client, screen: Screen) -> int:
        way = await find_way(client, screen, direct=options.direct)
        namespace = options.namespace or client.namespace
        if way is Way.DIRECT:
            return await _run_directly(client, screen, source.bundle, csv, namespace, options)
        place = _place(csv, options, namespace)
        await ensure_namespace(client, screen, namespace)
        is_placed = bool(options.mode or options.watch)
        wanted = Wanted(source.bundle, csv, place, image=source.image, is_placed=is_placed)
        subscribing = Subscribing(
            client, screen, wanted, settings=options.settings, timeout=options.timeout
        )
        await (subscribing.upgrade() if options.upgrade else subscribing.install())
        return 0

    return run(options.access, work)


async def _run_directly(  # what, where, and how
    client: Client,
    screen: Screen,
    bundle: Bundle,
    csv: Document,
    namespace: str,
    options: RunOptions,
) -> int:
    installed = await find_installed(client, bundle.package, namespace)
    check_step(csv, installed, bundle.package, namespace, upgrade=options.upgrade)
    await check_kinds(client, csv, bundle.package, namespace)
    # What somebody has said once holds for the next version, too.
    said = options.watch or options.mode or not installed
    place = None if said else place_in(installed[0])
    if place is None:
        place = _place(csv, options, namespace)
    check_mode(csv, place)
    installation = Installation(
        client, screen, bundle, csv, place,
        wait=options.wait, timeout=options.timeout, force=options.force_conflicts,
    )  # fmt: skip
    return await installation.run(installed)


def _place(csv: Document, options: RunOptions, namespace: str) -> Place:
    """Return where to install: as is asked for, or for as many namespaces as possible."""
    place = Place(namespace, _targets(options, namespace))
    if not options.watch and not options.mode:
        modes = items(csv.at("spec", "installModes"))
        supported = {at(one, "type") for one in modes if at(one, "supported") is True}
        if "AllNamespaces" not in supported and "OwnNamespace" in supported:
            place = Place(namespace, (namespace,))
    check_mode(csv, place)
    return place


def _targets(options: RunOptions, namespace: str) -> tuple[str, ...]:
    """Return the namespaces that ``--install-mode`` and ``--watch`` name."""
    mode, _, listed = options.mode.partition("=")
    named = tuple(one.strip() for one in listed.split(",") if one.strip()) or options.watch
    if not mode:
        return options.watch
    fits = {
        "AllNamespaces": not named,
        "OwnNamespace": named in {(), (namespace,)},
        "SingleNamespace": len(named) == 1 and named != (namespace,),
        "MultiNamespace": len(named) > 1,
    }
    if not fits.get(mode):
        raise ConfigError(
            f"--install-mode: {options.mode!r} should be AllNamespaces, OwnNamespace,"
            " SingleNamespace=other or MultiNamespace=one,other; what is behind the = are the"
            f" namespaces that it looks after, and {namespace} is where it runs"
        )
    return (namespace,) if mode == "OwnNamespace" else named
