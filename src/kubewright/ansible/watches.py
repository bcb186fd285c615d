"""``watches.yaml``: which kinds there are, and which role or playbook is run for an object."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from kubewright.ansible.playbook import Playbook, find_playbook, find_role
from kubewright.ansible.settings import check_verbosity, number
from kubewright.api.kind_reference import Kind
from kubewright.application.watchfile import COMMON_FIELDS, WatchEntry, find_twice, watch_entries
from kubewright.errors import ConfigError

__all__ = ["Finalizer", "Watch", "load_watches"]

_FIELDS: dict[str, type] = {
    **COMMON_FIELDS, "role": str, "playbook": str, "vars": dict, "maxRunnerArtifacts": int,
    "finalizer": dict, "manageStatus": bool, "watchClusterScopedResources": bool,
    "snakeCaseParameters": bool, "watchAnnotationsChanges": bool, "markUnsafe": bool,
    "blacklist": list, "runEveryPeriod": bool,
    # Of older versions of operator-sdk; they have no effect there any more, either.
    "maxWorkers": int, "ansibleVerbosity": int,
}  # fmt: skip
_FINALIZER_FIELDS = {"name": str, "role": str, "playbook": str, "vars": dict}
_EXAMPLE = "- group: example.com\n  version: v1alpha1\n  kind: Shop\n  role: shop"
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_ARTIFACTS = 20


class Finalizer(msgspec.Struct, frozen=True):
    """What is done before an object goes.

    Attributes:
        name: The finalizer, which the object has until that is done.
        playbook: What is run; ``None`` for what is run otherwise, with other variables.
        variables: Variables for that run, besides those of the watch.
    """

    name: str
    playbook: Playbook | None = None
    variables: dict[str, Any] = {}


class Watch(msgspec.Struct, frozen=True, kw_only=True):
    """One entry: *playbook* is run for objects of *kind*.

    Attributes:
        kind: The kind.
        playbook: The role or playbook.
        variables: Variables for each run.
        finalizer: What is done before an object goes, if anything is.
        reconcile_period: Seconds after which an object is looked at without a reason.
        run_every_period: Whether it is run then, even if nothing is known to have changed.
        max_runner_artifacts: Of how many runs of an object the artifacts are kept.
        manage_status: Whether the conditions of the object say how runs end.
        watch_dependent_resources: Whether a change of what a run has made leads to another run.
        watch_cluster_scoped_resources: Whether that holds for objects without namespaces, too.
        snake_case_parameters: Whether ``someName`` of the spec is the variable ``some_name``.
        watch_annotations_changes: Whether a change of annotations leads to a run.
        mark_unsafe: Whether texts of the spec are never templates.
        blacklist: Kinds that are never watched.
        selector: Which objects count, as a label selector in text; empty for all.
        max_concurrent_reconciles: How many objects are worked on at a time.
        verbosity: How much Ansible prints; ``None`` for what the settings say.
    """

    kind: Kind
    playbook: Playbook
    variables: dict[str, Any] = {}
    finalizer: Finalizer | None = None
    reconcile_period: float | None = None
    run_every_period: bool = False
    max_runner_artifacts: int = _ARTIFACTS
    manage_status: bool = True
    watch_dependent_resources: bool = True
    watch_cluster_scoped_resources: bool = False
    snake_case_parameters: bool = True
    watch_annotations_changes: bool = False
    mark_unsafe: bool = False
    blacklist: frozenset[Kind] = frozenset()
    selector: str = ""
    max_concurrent_reconciles: int | None = None
    verbosity: int | None = None

    @property
    def playbooks(self) -> tuple[Playbook, ...]:
        """All that is run for its objects."""
        more = None if self.finalizer is None else self.finalizer.playbook
        return (self.playbook,) if more is None else (self.playbook, more)


def load_watches(path: Path, environ: Mapping[str, str] = os.environ) -> list[Watch]:
    """Read ``watches.yaml``; roles and playbooks are found from its folder on.

    Raises:
        ConfigError: It is malformed; the message names the line and says what to write.
    """
    found: list[Watch] = []
    for entry in watch_entries(
        path, example=_EXAMPLE, expand=lambda text: _expanded(text, environ)
    ):
        found.append(_Reading(entry, environ).watch())
        if twice := find_twice(one.kind for one in found):
            raise entry.error("", twice)
    return found


def _expanded(text: str, environ: Mapping[str, str]) -> str:
    """Return *text* with ``${NAME}`` filled in; one that is not set stays as it is."""
    return _VARIABLE.sub(lambda match: environ.get(match[1], match[0]), text)


class _Reading:
    """Reads one entry."""

    def __init__(self, entry: WatchEntry, environ: Mapping[str, str]) -> None:
        self._entry = entry
        self._values = entry.values
        self._environ = environ
        self._folder = entry.path.resolve().parent

    def watch(self) -> Watch:
        entry, values = self._entry, self._values
        if "chart" in values:
            raise entry.error("chart", "charts and roles do not go into one file: write another")
        entry.check(_FIELDS, ("version", "kind"))
        kind = entry.kind()
        playbook = self._playbook(values, "")
        if playbook is None:
            raise entry.error("", "a role or a playbook is missing: write `role: …`")
        artifacts = values.get("maxRunnerArtifacts", _ARTIFACTS)
        if artifacts < 0:
            raise entry.error("maxRunnerArtifacts", "maxRunnerArtifacts is less than 0")
        return Watch(
            kind=kind,
            playbook=playbook,
            variables=self._texts("vars", values.get("vars")),
            finalizer=self._finalizer(),
            reconcile_period=entry.period(),
            run_every_period=values.get("runEveryPeriod", False),
            max_runner_artifacts=artifacts,
            manage_status=values.get("manageStatus", True),
            watch_dependent_resources=values.get("watchDependentResources", True),
            watch_cluster_scoped_resources=values.get("watchClusterScopedResources", False),
            snake_case_parameters=values.get("snakeCaseParameters", True),
            watch_annotations_changes=values.get("watchAnnotationsChanges", False),
            mark_unsafe=values.get("markUnsafe", False),
            blacklist=self._blacklist(),
            selector=entry.selector(),
            max_concurrent_reconciles=self._workers(kind),
            verbosity=self._verbosity(kind),
        )

    def _playbook(self, values: Mapping[str, Any], below: str) -> Playbook | None:
        role, playbook = values.get("role"), values.get("playbook")
        field = below or ("role" if role else "playbook")
        if role and playbook:
            raise self._entry.error(field, "there is a role and a playbook: leave one out")
        try:
            if role:
                return find_role(role, self._folder, self._environ)
            return find_playbook(playbook, self._folder) if playbook else None
        except ConfigError as error:
            raise self._entry.error(field, str(error)) from error

    def _finalizer(self) -> Finalizer | None:
        found = self._values.get("finalizer")
        if found is None:
            return None
        for name, value in found.items():
            wanted = _FINALIZER_FIELDS.get(name)
            if wanted is None or not isinstance(value, wanted):
                known = ", ".join(_FINALIZER_FIELDS)
                raise self._wrong(f"{name!r} is not a field of it, or is of another type: {known}")
        if not found.get("name"):
            raise self._wrong("it needs a name such as example.com/shop: write `name: …`")
        playbook = self._playbook(found, "finalizer")
        variables = self._texts("finalizer", found.get("vars"))
        if playbook is None and not variables:
            raise self._wrong("it does nothing: write a role, a playbook or vars")
        return Finalizer(found["name"], playbook, variables)

    def _wrong(self, text: str) -> ConfigError:
        return self._entry.error("finalizer", f"the finalizer: {text}")

    def _texts(self, field: str, found: Mapping[Any, Any] | None) -> dict[str, Any]:
        if wrong := [name for name in found or () if not isinstance(name, str)]:
            raise self._entry.error(field, f"{wrong[0]!r} is not the name of a variable")
        return dict(found or {})

    def _blacklist(self) -> frozenset[Kind]:
        kinds = []
        for one in self._values.get("blacklist") or ():
            try:
                group, version = one.get("group") or "", one["version"]
                kinds.append(Kind(f"{group}/{version}" if group else version, one["kind"]))
            except (AttributeError, KeyError, TypeError, ValueError):
                raise self._entry.error(
                    "blacklist", f"{one!r} is not a kind: write group, version and kind"
                ) from None
        return frozenset(kinds)

    def _workers(self, kind: Kind) -> int | None:
        for prefix in ("MAX_CONCURRENT_RECONCILES", "WORKER"):
            name = _variable(prefix, kind)
            if text := self._environ.get(name, ""):
                if (found := number(text, name)) < 1:
                    raise ConfigError(f"{name} is {found}: nothing would be done. Write 1 or more")
                return found
        return None

    def _verbosity(self, kind: Kind) -> int | None:
        name = _variable("ANSIBLE_VERBOSITY", kind)
        text = self._environ.get(name, "")
        return check_verbosity(number(text, name), name) if text else None


def _variable(prefix: str, kind: Kind) -> str:
    """Return the name of the variable of the environment for *kind*, as operator-sdk makes it."""
    return re.sub(r"[.-]", "_", f"{prefix}_{kind.kind}_{kind.group}").upper()
