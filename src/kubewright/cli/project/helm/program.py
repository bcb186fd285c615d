"""Runs the program helm: it pulls charts, and renders them."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from kubewright.errors import ConfigError
from kubewright.helm.binary import find_helm
from kubewright.scaffold.helm.chart import Chart

__all__ = ["Render", "pull", "render"]

Render = Callable[[Chart], str]
"""Returns what a chart is with its default values; raises ConfigError if that cannot be."""
_PATIENCE = 120.0
_LONGEST = 500


def pull(name: str, *, repo: str = "", version: str = "", helm: str | None = None) -> bytes:
    """Return the archive of a chart in a repository.

    Args:
        name: The chart, as helm takes it.
        repo: The address of the repository, if the name does not say it.
        version: Which version; the newest by default.
        helm: The program; by default the one that is found.

    Raises:
        ConfigError: There is no helm, no network, or no such chart.
    """
    helm = helm or find_helm()
    if helm is None:
        raise ConfigError(
            f"--helm-chart: it takes the program helm to pull {name}, and there is none. Install it"
            ' with `pip install "kubewright[helm]"`, or download the chart, and name the file'
        )
    with TemporaryDirectory(prefix="kubewright-helm-") as folder:
        words = ["pull", name, "--destination", folder]
        words += ["--repo", repo] if repo else []
        words += ["--version", version] if version else []
        done = _run(helm, words, environment=None)
        if done.returncode:
            where = f" from {repo}" if repo else ""
            raise ConfigError(
                f"--helm-chart: helm cannot pull {name}{where}: {_said(done)}. Look at the name,"
                " the address and the network; a chart that is there already can be named as a"
                " folder or a file"
            )
        archives = sorted(Path(folder).glob("*.tgz"))
        if not archives:
            raise ConfigError(f"--helm-chart: helm pulled {name}, and there is no archive")
        return archives[0].read_bytes()


def render(chart: Chart, helm: str | None = None) -> str:
    """Return the manifest that *chart* makes of its default values, without its tests.

    Args:
        chart: The chart.
        helm: The program; by default the one that is found.

    Raises:
        ConfigError: There is no helm, or the chart cannot be rendered.
    """
    helm = helm or find_helm()
    if helm is None:
        raise ConfigError('there is no helm (`pip install "kubewright[helm]"` brings it)')
    with TemporaryDirectory(prefix="kubewright-helm-") as name:
        place = Path(name, chart.metadata.name)
        for path, text in chart.files.items():
            file = place / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode("utf-8", "surrogateescape"))
        words = ["template", chart.metadata.name, str(place), "--skip-tests"]
        done = _run(helm, words, environment={"HOME": name, "PATH": os.environ.get("PATH", "")})
    if done.returncode:
        raise ConfigError(f"helm says: {_said(done)}")
    return done.stdout


def _run(
    helm: str, words: list[str], *, environment: dict[str, str] | None
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(  # noqa: S603  # a list of arguments
            [helm, *words],
            env=environment,
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ConfigError(f"helm {words[0]} has not ended within {_PATIENCE:g} seconds") from None
    except OSError as error:
        raise ConfigError(f"cannot start {helm}: {error.strerror or error}") from error


def _said(done: subprocess.CompletedProcess[str]) -> str:
    """Return what helm complains about, without advice for its own users."""
    text = done.stderr.strip()
    said = (text.partition("Error: ")[2] or text).partition("\n\n")[0].partition("\nUsage:")[0]
    line = " ".join(said.split())
    if len(line) > _LONGEST:
        line = f"{line[:_LONGEST]}..."
    return line.rstrip(".") or f"it ended with status {done.returncode}"
