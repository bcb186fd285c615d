"""What an import costs, and what it must not bring along."""

import subprocess
import sys

import pytest

REPORT = """
import sys
{statement}
with open("/proc/self/status") as status:
    peak = next(line for line in status if line.startswith("VmHWM"))
print(peak.split()[1], *sorted(sys.modules))
"""
LIMIT_KB = 30 * 1024
EXTRAS = ("cryptography", "uvloop", "websockets")
HEAVY = ("httptools", "ssl", "structlog", "uvloop", "websockets", "yaml")
OPERATOR = "import kubewright as kw; kw.Operator, kw.Manager, kw.Cluster, kw.Config"
UNUSED = (
    "kubewright.client.discovery_format",
    "kubewright.client.events",
    "kubewright.client.exec_plugin",
    "kubewright.client.leases",
    "kubewright.manager.leaderelection",
    "kubewright.manager.metrics_server",
    "kubewright.operator.sync_context",
)
INPUT_OUTPUT = ("asyncio", "http.client", "httptools", "multiprocessing", "socket", "ssl", "yaml")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def after(statement: str) -> tuple[int, set[str]]:
    """Return the peak memory in KiB and the modules loaded by a new interpreter."""
    command = [sys.executable, "-I", "-c", REPORT.format(statement=statement)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    peak, *modules = done.stdout.split()
    return int(peak), set(modules)


def test_importing_kubewright_stays_small() -> None:
    """An operator is one of many pods on a node: what an import costs, each of them pays."""
    peak, _ = after("import kubewright")

    assert peak < LIMIT_KB


def test_importing_kubewright_loads_no_kinds() -> None:
    """There are a thousand kinds, and an operator uses five of them."""
    _, modules = after("import kubewright")

    loaded = {name for name in modules if name.startswith("kubewright.kinds.")}

    assert not {name for name in loaded if name.count(".") > 2}  # one-word modules are our own


@pytest.mark.parametrize("module", HEAVY)
def test_importing_kubewright_leaves_heavy_modules_for_later(module: str) -> None:
    """A module that only some programs need is loaded by its first use."""
    _, modules = after("import kubewright")

    assert module not in modules


@pytest.mark.parametrize("module", UNUSED)
def test_an_operator_loads_only_what_every_operator_needs(module: str) -> None:
    """Leases, events and discovery are for those who use them."""
    _, modules = after(OPERATOR)

    assert module not in modules


@pytest.mark.parametrize("package", ["kubewright.client", "kubewright.testing"])
def test_no_extra_is_needed_to_import(package: str) -> None:
    """A plain ``pip install kubewright`` brings none of them; only exec and the like need one."""
    missing = "; ".join(f"sys.modules[{name!r}] = None" for name in EXTRAS)

    _, modules = after(f"{missing}; from {package} import *")

    assert package in modules


@pytest.mark.parametrize("layer", ["kubewright.api", "kubewright.kinds.core.v1", "kubewright.crd"])
def test_pure_layers_load_nothing_that_talks(layer: str) -> None:
    """What describes objects is usable where there is no event loop and no network."""
    _, before = after("import msgspec")

    _, modules = after(f"import {layer}")

    assert not (modules - before).intersection(INPUT_OUTPUT)


def test_one_kind_does_not_load_unrelated_groups() -> None:
    """A program that makes pods does not pay for flow control and storage migration."""
    _, modules = after("import kubewright.kinds.core.v1")

    unrelated = [
        name
        for name in modules
        if name.startswith(("kubewright.kinds.flowcontrol", "kubewright.kinds.apps"))
    ]

    assert not unrelated
