"""The command ``kubewright cleanup``."""

from dataclasses import dataclass

from kubewright.api.kind import GroupKind
from kubewright.applyset import ApplySet
from kubewright.bundle.phase import KIND
from kubewright.cli.deploy.screen import Screen
from kubewright.cli.deploy.session import Access, run
from kubewright.cli.deploy.texts import summary, way_out
from kubewright.cli.olm.installed import Record, parent_of
from kubewright.cli.olm.unsubscribing import Unsubscribing
from kubewright.cli.olm.way import DEFINITION, Way, find_way
from kubewright.client import Client
from kubewright.errors import ConfigError

__all__ = ["CleanupOptions", "cleanup"]

_DEFINITIONS = GroupKind("apiextensions.k8s.io", "CustomResourceDefinition")
_HINT = " With --keep-crds, they and their kinds stay."


@dataclass(frozen=True, slots=True)
class CleanupOptions:
    """What the user wants; see ``kubewright cleanup --help``."""

    access: Access
    package: str
    namespace: str = ""
    delete_objects: bool = False
    keep_crds: bool = False
    direct: bool = False
    timeout: float = 120.0


def cleanup(options: CleanupOptions) -> int:
    """Remove an operator that `kubewright run bundle` has installed; return the exit status.

    Raises:
        ConfigError: OLM is in the cluster and should not be used, or the other way round.
    """

    async def work(client: Client, screen: Screen) -> int:
        namespace = options.namespace or client.namespace
        if await find_way(client, screen, direct=options.direct) is Way.DIRECT:
            return await _remove(client, screen, options, namespace)
        removal = Unsubscribing(client, screen, options.package, namespace, timeout=options.timeout)
        return await removal.run(delete_objects=options.delete_objects, keep_crds=options.keep_crds)

    return run(options.access, work, doing="delete")


async def _remove(client: Client, screen: Screen, options: CleanupOptions, namespace: str) -> int:
    """Remove what was installed without OLM."""
    record = Record(client, options.package, namespace)
    there = await client.find(DEFINITION, KIND) is not None
    installed = await record.find() if there else []
    parent = parent_of(options.package, namespace)
    one = ApplySet(client, parent, timeout=options.timeout, listener=screen)
    contents = await one.find_contents()
    if not installed and contents is None:
        if there:
            await record.end()  # an earlier cleanup may have ended just before
        screen.complain(
            f"the package {options.package} is not installed in {namespace}. Is it in another"
            " namespace? --namespace says which"
        )
        return 1
    if contents is None:
        raise ConfigError(
            f"{parent.object}, which says what belongs to {installed[0].name}, is gone. The same"
            " `kubewright run bundle` as before makes it again; then clean up"
        )
    report = await one.delete(
        keep=[_DEFINITIONS] if options.keep_crds else (),
        instances="all" if options.delete_objects else "none",
    )
    screen.say(summary(report))
    if not report.done:
        screen.complain(way_out(report, _HINT))
        return 1
    for csv in installed:
        await record.remove(csv.name)
        screen.say(f"{csv.name} in {namespace} is gone")
    await record.end()
    return 0
