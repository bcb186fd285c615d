"""Installs a bundle with OLM, and upgrades to one: a catalog, a subscription, an approved plan."""

from collections.abc import Sequence
from dataclasses import dataclass

from kubewright.api.kind_reference import Kind
from kubewright.api.unstructured import Unstructured
from kubewright.bundle.document import Document, at, items, text
from kubewright.bundle.installation import Place, check_mode, check_upgrade
from kubewright.bundle.reading import Bundle
from kubewright.bundle.subscription.content import CHANNEL_NAME, catalog_of, parts_of
from kubewright.bundle.subscription.objects import (
    OURS,
    Settings,
    operator_group,
    subscription,
)
from kubewright.bundle.subscription.status import csv_text, phase_of, plan_name, targets_of
from kubewright.cli.deploy.screen import Screen
from kubewright.cli.olm.catalog import SOURCE, Publisher
from kubewright.cli.olm.installed import CSV
from kubewright.cli.olm.waiting import PLAN, SUBSCRIPTION, Waiting
from kubewright.client import Client
from kubewright.errors import ConfigError

__all__ = ["GROUP", "Subscribing", "Wanted", "find_subscription"]

GROUP: Kind = Kind("operators.coreos.com/v1", "OperatorGroup")
_OWNER = "kubewright-olm"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What OLM should install.

    Attributes:
        bundle: The bundle, which has passed its validation.
        csv: Its ClusterServiceVersion.
        place: Where to install it, and for which namespaces.
        image: The image that it is in; empty if it is a folder.
        is_placed: Whether the user has said for which namespaces.
    """

    bundle: Bundle
    csv: Document
    place: Place
    image: str = ""
    is_placed: bool = False


async def find_subscription(client: Client, package: str, namespace: str) -> Unstructured | None:
    """Return the Subscription to a package, if there is one."""
    listed = await client.list(SUBSCRIPTION, namespace=namespace)
    return next((one for one in listed if at(one, "spec", "name") == package), None)


class Subscribing:
    """Lets OLM install or upgrade one operator.

    Args:
        client: The cluster.
        screen: Hears how far it is.
        wanted: What OLM should install.
        settings: How the pod with the catalog runs.
        timeout: Seconds that each wait may take.
    """

    def __init__(
        self,
        client: Client,
        screen: Screen,
        wanted: Wanted,
        *,
        settings: Settings,
        timeout: float,
    ) -> None:
        self._client = client
        self._screen = screen
        self._wanted = wanted
        namespace = wanted.place.namespace
        self._namespace = namespace
        self._publisher = Publisher(client, screen, namespace, settings=settings, timeout=timeout)
        self._waiting = Waiting(client, screen, namespace, timeout)

    async def install(self) -> None:
        """Install it; what an interrupted run has left, is gone on with.

        Raises:
            ConfigError: Another version is installed, or the OperatorGroup of the namespace does
                not suit it.
            WaitTimeoutError: OLM does not install it.
        """
        bundle, csv = self._wanted.bundle, self._wanted.csv
        there = await find_subscription(self._client, bundle.package, self._namespace)
        if there is not None:
            self._check_same(there)
        parts = parts_of(catalog_of(bundle, csv, image=self._wanted.image))
        group = await self._group()
        await self._publisher.publish(bundle.package, csv.name, parts)
        if group is not None:
            await self._client.apply(Unstructured(group), field_owner=_OWNER)
        if there is None:
            there = await self._subscribe()
        await self._follow(there.name)

    async def upgrade(self) -> None:
        """Upgrade to it from the version that is installed.

        Raises:
            ConfigError: None is installed, or there is no upgrade from it.
            WaitTimeoutError: OLM does not install it.
        """
        bundle, csv = self._wanted.bundle, self._wanted.csv
        there = await find_subscription(self._client, bundle.package, self._namespace)
        if there is None:
            raise ConfigError(
                f"no subscription in {self._namespace} is to {bundle.package}, so there is nothing"
                " to upgrade. Install it with `kubewright run bundle`, or name its --namespace"
            )
        await self._check_ours(there)
        before = await self._installed(there)
        channel = text(at(there, "spec", "channel")) or CHANNEL_NAME
        if before == csv.name:
            await self._follow(there.name)
            return
        entries = catalog_of(
            bundle, csv, image=self._wanted.image, replaces=before, channel=channel
        )
        await self._publisher.publish(bundle.package, csv.name, parts_of(entries))
        await self._follow(there.name, before=self._plan_of(there, before))
        self._screen.say(f"{csv.name} has replaced {before}")

    def _check_same(self, there: Unstructured) -> None:
        known = [at(there, "status", key) for key in ("installedCSV", "currentCSV")]
        installed = next(filter(None, known), at(there, "spec", "startingCSV"))
        if installed != self._wanted.csv.name or OURS not in there.metadata.labels:
            raise ConfigError(
                f"subscription/{there.name} in {self._namespace} is to the same package, with"
                f" {installed or 'no version yet'}. Upgrade it with `kubewright run bundle-upgrade`"
                f", or remove it with `kubewright cleanup {self._wanted.bundle.package}`"
            )

    async def _check_ours(self, there: Unstructured) -> None:
        name = text(at(there, "spec", "source"))
        namespace = text(at(there, "spec", "sourceNamespace")) or self._namespace
        source = await self._client.find(SOURCE, name, namespace=namespace)
        if source is not None and OURS in source.metadata.labels and namespace == self._namespace:
            return
        raise ConfigError(
            f"subscription/{there.name} in {self._namespace} follows the catalogsource/{name} in"
            f" {namespace}, which `kubewright run bundle` has not made. Put the new version into"
            " that catalog with `kubewright generate catalog`"
        )

    async def _installed(self, there: Unstructured) -> str:
        """Return the version that is installed, once it is clear that one gets on from there."""
        status = there.get("status")
        name = text(at(status, "installedCSV")) or text(at(status, "currentCSV"))
        found = await self._client.find(CSV, name, namespace=self._namespace) if name else None
        if found is None:
            raise ConfigError(
                f"subscription/{there.name} in {self._namespace} has nothing installed yet, so"
                f" there is nothing to upgrade. See `kubectl get csv -n {self._namespace}`"
            )
        if phase_of(found) == "Failed" and name != self._wanted.csv.name:
            raise ConfigError(
                f"{name} in {self._namespace} is {csv_text(found)}, and OLM upgrades only what has"
                f" succeeded. Mend it, or `kubewright cleanup {self._wanted.bundle.package}` first"
            )
        if self._wanted.csv.at("spec", "replaces"):  # or else it replaces whatever there is
            check_upgrade(self._wanted.csv, found)
        return name

    def _plan_of(self, there: Unstructured, installed: str) -> str:
        """Return the plan that is done; one for the new version, from a run before, is not."""
        done = at(there, "status", "currentCSV") in {None, installed}
        return plan_name(there) if done else ""

    async def _group(self) -> dict[str, object] | None:
        """Return the OperatorGroup to make; none if there is one that suits.

        Raises:
            ConfigError: There are several, or one that does not suit.
        """
        wanted, namespace = self._wanted, self._namespace
        listed = list(await self._client.list(GROUP, namespace=namespace))
        if not listed:
            return operator_group(wanted.bundle.package, namespace, wanted.place.targets)
        names = ", ".join(one.name for one in listed)
        if len(listed) > 1:
            raise ConfigError(
                f"there are several OperatorGroups in {namespace}, and OLM installs nothing then:"
                f" {names}. Leave one of them"
            )
        targets = targets_of(listed[0])
        if wanted.is_placed and set(targets) != set(wanted.place.targets):
            raise ConfigError(
                f"operatorgroup/{names} in {namespace} is for {_said(targets)}, and not for"
                f" {_said(wanted.place.targets)}. Choose another namespace, or what it is for"
            )
        check_mode(wanted.csv, Place(namespace, targets))
        return None

    async def _subscribe(self) -> Unstructured:
        package, version = self._wanted.bundle.package, self._wanted.csv.name
        document = Unstructured(subscription(package, self._namespace, version, CHANNEL_NAME))
        made = await self._client.apply(document, field_owner=_OWNER)
        self._screen.say(f"created     subscription/{made.name} in {self._namespace}")
        return made

    async def _follow(self, name: str, *, before: str = "") -> None:
        """Approve what OLM plans, and wait until it is installed."""
        version = self._wanted.csv.name
        plan = await self._waiting.plan(name, version, before=before)
        if plan:
            await self._check_plan(plan)
            approval = {"spec": {"approved": True}}
            await self._client.patch(PLAN, plan, approval, namespace=self._namespace)
            self._screen.say(f"approved    installplan/{plan} in {self._namespace}")
            await self._waiting.completed(plan)
        await self._waiting.succeeded(version)
        self._screen.say(f"{version} in {self._namespace}: Succeeded")

    async def _check_plan(self, name: str) -> None:
        """Check that a plan is about the version, and say what else it installs."""
        plan = await self._client.get(PLAN, name, namespace=self._namespace)
        names = items(at(plan, "spec", "clusterServiceVersionNames"))
        if self._wanted.csv.name not in names:
            raise ConfigError(
                f"installplan/{name} in {self._namespace} is not about {self._wanted.csv.name}, but"
                f" about {', '.join(map(str, names)) or 'nothing'}. It is not approved. Look at the"
                " other subscriptions of the namespace"
            )
        others = [str(one) for one in names if one != self._wanted.csv.name]
        if others:
            self._screen.say(f"the plan installs {', '.join(others)}, too")


def _said(targets: Sequence[str]) -> str:
    return ", ".join(targets) or "all namespaces"
