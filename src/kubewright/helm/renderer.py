"""`Renderer`: makes manifests of a chart and values; `HelmRenderer` asks the program ``helm``."""

import asyncio
import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any, Protocol

import msgspec
import yaml

from kubewright._pki.files import write_private
from kubewright.application.documents import document, documents, is_too_large
from kubewright.errors import ConfigError
from kubewright.helm.binary import get_helm
from kubewright.helm.chart import Chart
from kubewright.helm.manifest import Hook, RenderError, Rendering, hook_of, objects_in, sources_in
from kubewright.helm.rewriting import rewritten
from kubewright.helm.values import large_numbers

__all__ = ["Capabilities", "HelmRenderer", "Renderer", "Wish"]

TIMEOUT: float = 120.0
"""Seconds that one render may take."""
_AT_ONCE = 2
_NOTES = "KubewrightNotes"
_NOTES_FILE = "zz-kubewright-notes.yaml"
_TEMPLATE = (
    f"kind: {_NOTES}\n"
    'notes: {{ include (print $.Template.BasePath "/NOTES.txt") . | toJson }}\n'
)
_DEFINITION = re.compile(r"^[^/]+/(?:charts/[^/]+/)*crds/")
_PLAIN = re.compile(r"[^\x20-\x7e]")
_ADVICE = re.compile(r"\n*\s*Use --debug flag to render out invalid YAML\s*")


class Capabilities(msgspec.Struct, frozen=True):
    """What a chart may ask of the cluster.

    Attributes:
        version: The version of Kubernetes, such as ``v1.37.0``.
        apis: The API versions that it serves, and their kinds: ``apps/v1``,
            ``apps/v1/Deployment``.
    """

    version: str = ""
    apis: tuple[str, ...] = ()


class Wish(msgspec.Struct, frozen=True):
    """What to render.

    Attributes:
        chart: The chart.
        release: The name of the release.
        namespace: Its namespace.
        values: The values of the user, which are laid over those of the chart.
        revision: The number of the release.
        is_upgrade: Whether there is a release already.
        capabilities: What the cluster is able to do.
        kubeconfig: How ``lookup`` reaches the cluster: a kubeconfig; without it, ``lookup`` finds
            nothing.
        with_definitions: Whether the CRDs in the folders ``crds`` are wanted, too.
    """

    chart: Chart
    release: str
    namespace: str
    values: dict[str, Any]
    revision: int = 1
    is_upgrade: bool = False
    capabilities: Capabilities = Capabilities()
    kubeconfig: dict[str, Any] | None = None
    with_definitions: bool = False


class Renderer(Protocol):
    """Makes manifests of charts. Give another one to `HelmOperator` to do without ``helm``."""

    async def render(self, wish: Wish) -> Rendering:
        """Return what *wish* makes.

        Raises:
            RenderError: A template fails, or the values do not fit the schema of the chart.
            ConfigError: This machine cannot render.
        """
        ...


class HelmRenderer:
    """Renders with ``helm template``, in a process of its own.

    At most two run at a time: a render takes a processor for as long as it lasts, and operators
    often have no more than one.

    Args:
        helm: The program; by default the one that is found.
    """

    def __init__(self, helm: str = "") -> None:
        self._helm = helm
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def render(self, wish: Wish) -> Rendering:
        """Return what *wish* makes."""
        async with self._turns:
            # A thread that waits for the process, and not a process of asyncio: tests in virtual
            # time know when threads are done, and a cancelled reconcile leaves no zombie.
            return await asyncio.to_thread(self.render_now, wish)

    def render_now(self, wish: Wish) -> Rendering:
        """Return what *wish* makes, blocking until it is made; for programs without a loop."""
        try:
            with _workplace(wish) as (folder, chart):
                values = folder / "values.json"
                values.write_text(_written(wish.values))
                printed = self._printed(wish, chart, values, folder)
        except OSError as error:
            raise ConfigError(
                f"cannot write the chart {wish.chart.name} for helm: {error}. Is there room in"
                f" {gettempdir()}?"
            ) from error
        return _parsed(printed)

    def _printed(self, wish: Wish, chart: Path, values: Path, home: Path) -> str:
        try:
            return self._call(wish, chart, values, home)
        except RenderError as error:
            ours = chart / "templates" / _NOTES_FILE
            if _NOTES_FILE not in str(error) or not ours.exists():
                raise
            # It is the notes that fail, and helm, which renders them by itself, knows the line.
            ours.unlink()
            self._call(wish, chart, values, home)
            raise

    def _call(self, wish: Wish, chart: Path, values: Path, home: Path) -> str:
        command = [
            self._helm or get_helm(), "template", wish.release, str(chart),
            "--namespace", wish.namespace, "--values", str(values),
        ]  # fmt: skip
        if wish.is_upgrade:
            command.append("--is-upgrade")
        if wish.with_definitions:
            command.append("--include-crds")
        if wish.capabilities.version:
            command += ["--kube-version", wish.capabilities.version]
        for api in wish.capabilities.apis:
            command += ["--api-versions", api]
        for setting in large_numbers(wish.values):
            command += ["--set", setting]
        if wish.kubeconfig is not None:
            path = home / "kubeconfig"
            write_private(path, json.dumps(wish.kubeconfig).encode())
            command += ["--dry-run=server", "--kubeconfig", str(path)]
        try:
            done = subprocess.run(  # noqa: S603  # our own program, with a list of arguments
                command,
                env=_environment(home),
                capture_output=True,
                text=True,
                timeout=TIMEOUT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise RenderError(
                f"the chart {wish.chart.name} was not rendered within {TIMEOUT:g} seconds. Does a"
                " template loop?"
            ) from None
        except OSError as error:
            raise ConfigError(f"cannot start {command[0]}: {error.strerror or error}") from error
        if done.returncode != 0:
            raise RenderError(_reason(done.stderr, wish.chart))
        return done.stdout


@contextmanager
def _workplace(wish: Wish) -> Iterator[tuple[Path, Path]]:
    """Yield a folder for one render, and that of the chart in it.

    It is a copy, since some things are not to be had of ``helm template`` otherwise: the notes, and
    what is written into the templates.
    """
    with TemporaryDirectory(prefix="kubewright-helm-") as name:
        folder = Path(name)
        chart = wish.chart.write_to(folder / "chart")
        if "templates/NOTES.txt" in wish.chart.files:
            (chart / "templates" / _NOTES_FILE).write_text(_TEMPLATE)
        if wish.chart.asks_revision or wish.chart.asks_apis:
            for path, data in wish.chart.templates(everywhere=True):
                text = rewritten(data, wish.revision, wish.capabilities.apis)
                (chart / path).write_bytes(text)
        yield folder, chart


def _written(values: dict[str, Any]) -> str:
    """Return *values* as JSON that helm, which reads it as YAML, takes for the same."""
    # YAML has no pairs of escapes for one letter, and takes some others for line breaks.
    text = json.dumps(values, ensure_ascii=False)
    return _PLAIN.sub(lambda letter: f"\\U{ord(letter[0]):08x}", text)


def _environment(home: Path) -> dict[str, str]:
    """Return our environment, for a helm that reads no settings of the user who runs it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HELM_")}
    folders = ("HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME")
    return kept | dict.fromkeys(folders, str(home)) | {"HELM_NO_PLUGINS": "1"}


def _parsed(text: str) -> Rendering:
    kept: list[str] = []
    hooks: list[Hook] = []
    definitions: list[dict[str, Any]] = []
    notes = last = ""
    for said, body in sources_in(text):
        # Only the first document of a file with CRDs says where it comes from.
        source = last = said or last
        if _DEFINITION.match(source):
            definitions += _definitions_in(body, source)
            continue
        try:
            found = document(body)
        except yaml.YAMLError:
            found = None  # told when the objects are read
        if isinstance(found, dict) and found.get("kind") == _NOTES:
            notes = str(found.get("notes") or "")
            continue
        if found is None and not _has_content(body):
            continue
        hook = hook_of(found, source, f"# Source: {source}\n{body}") if _is_dict(found) else None
        if hook is not None:
            hooks.append(hook)
        else:
            kept.append(f"---\n# Source: {source}\n{body}")
    return Rendering("".join(kept), hooks, notes, definitions)


def _definitions_in(body: str, source: str) -> list[dict[str, Any]]:
    # helm prints these as they are, and does not look at them.
    with suppress(yaml.YAMLError):  # told below
        if is_too_large(list(documents(body))):
            raise RenderError(f"{source}: it is too large with what is behind its aliases")
    return objects_in(f"# Source: {source}\n{body}")


def _is_dict(found: object) -> bool:
    return isinstance(found, dict)


def _has_content(body: str) -> bool:
    return any(line.strip() and not line.lstrip().startswith("#") for line in body.splitlines())


def _reason(stderr: str, chart: Chart) -> str:
    """Return what helm complains about, without warnings and without advice for its own users."""
    _, found, told = stderr.partition("Error: ")
    text = _ADVICE.sub("", told if found else stderr).strip()
    return f"the chart {chart.name} cannot be rendered: {text}"
