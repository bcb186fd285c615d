"""``watches.yaml`` as operator-sdk has it."""

from pathlib import Path

import pytest

from kubewright.ansible.watches import load_watches
from kubewright.api.kind_reference import Kind
from kubewright.errors import ConfigError

EVERYTHING = """\
- group: example.com
  version: v1
  kind: Shop
  role: shop
  vars: {colour: "${COLOUR}", other: "${NOT_SET}"}
  reconcilePeriod: 30s
  runEveryPeriod: true
  maxRunnerArtifacts: 3
  finalizer:
    name: finalizer.shop.example.com
    playbook: closing.yml
    vars: {state: absent}
  manageStatus: false
  watchDependentResources: false
  watchClusterScopedResources: true
  snakeCaseParameters: false
  watchAnnotationsChanges: true
  markUnsafe: true
  blacklist:
  - {group: "", version: v1, kind: Pod}
  selector:
    matchLabels: {a: b}
  maxWorkers: 5
  ansibleVerbosity: 5
- group: example.com
  version: v1
  kind: Till
  playbook: closing.yml
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a role and a playbook."""
    (tmp_path / "roles" / "shop").mkdir(parents=True)
    (tmp_path / "closing.yml").write_text("- hosts: localhost\n")
    return tmp_path


def test_every_field_is_read(folder: Path) -> None:
    """With the variables of the environment, and those of the kind."""
    (folder / "watches.yaml").write_text(EVERYTHING)
    environ = {
        "COLOUR": "red",
        "MAX_CONCURRENT_RECONCILES_SHOP_EXAMPLE_COM": "7",
        "ANSIBLE_VERBOSITY_SHOP_EXAMPLE_COM": "4",
        "WORKER_TILL_EXAMPLE_COM": "2",
    }

    shop, till = load_watches(folder / "watches.yaml", environ)

    assert shop.kind == Kind("example.com/v1", "Shop")
    assert (shop.playbook.role, shop.playbook.path) == ("shop", folder / "roles" / "shop")
    assert shop.variables == {"colour": "red", "other": "${NOT_SET}"}
    assert (shop.reconcile_period, shop.run_every_period) == (30.0, True)
    assert (shop.max_runner_artifacts, shop.manage_status) == (3, False)
    assert shop.finalizer is not None
    assert shop.finalizer.name == "finalizer.shop.example.com"
    assert shop.finalizer.variables == {"state": "absent"}
    assert shop.playbooks == (shop.playbook, till.playbook)
    assert (shop.watch_dependent_resources, shop.watch_cluster_scoped_resources) == (False, True)
    assert (shop.snake_case_parameters, shop.mark_unsafe) == (False, True)
    assert shop.watch_annotations_changes
    assert shop.blacklist == {Kind("v1", "Pod")}
    assert shop.selector == "a=b"
    assert (shop.max_concurrent_reconciles, shop.verbosity) == (7, 4)
    assert (till.max_concurrent_reconciles, till.verbosity) == (2, None)
    assert till.playbook.arguments == {"playbook": str(folder / "closing.yml")}
    assert till.playbook.roles_path == folder / "roles"


BASE = "- version: v1\n  kind: A\n"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (BASE, 1, "a role or a playbook is missing: write `role: …`"),
        (f"{BASE}  role: nobody\n", 3, "there is no role 'nobody'"),
        (f"{BASE}  playbook: none.yml\n", 3, "there is no playbook .*none.yml"),
        (f"{BASE}  role: shop\n  playbook: closing.yml\n", 3, "leave one out"),
        (f"{BASE}  chart: shop\n", 3, "charts and roles do not go into one file"),
        (f"{BASE}  role: shop\n  finaliser: {{}}\n", 4, "there is no field 'finaliser': group,"),
        (f"{BASE}  role: shop\n  vars: 1\n", 4, "vars is 1, and not a mapping"),
        (f"{BASE}  role: shop\n  vars: {{1: a}}\n", 4, "1 is not the name of a variable"),
        (f"{BASE}  role: shop\n  maxRunnerArtifacts: -1\n", 4, "less than 0"),
        (f"{BASE}  role: shop\n  blacklist: [Pod]\n", 4, "'Pod' is not a kind"),
        (f"{BASE}  role: shop\n  finalizer: {{vars: {{a: b}}}}\n", 4, "it needs a name"),
        (f"{BASE}  role: shop\n  finalizer: {{name: a.b/c}}\n", 4, "it does nothing"),
        (f"{BASE}  role: shop\n  finalizer: {{title: a}}\n", 4, "'title' is not a field of it"),
        (f"{BASE}  role: shop\n  selector: {{matchLabels: {{a: $b}}}}\n", 4, "the selector: "),
        (f"{BASE}  role: shop\n  reconcilePeriod: 1 week\n", 4, "write one such as 30s"),
        (f"{BASE}  role: shop\n  reconcilePeriod: -5s\n", 4, "-5s is in the past"),
        (f"{BASE}  role: shop\n{BASE}  role: shop\n", 4, "A is there twice"),
        ("- role: [", 1, "expected"),
        ("kind: A\n", 1, "it is not a list of watches"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(
    folder: Path, text: str, line: int, message: str
) -> None:
    """And with what to write instead."""
    (folder / "watches.yaml").write_text(text)

    with pytest.raises(ConfigError, match=message) as caught:
        load_watches(folder / "watches.yaml", {})

    assert f"watches.yaml:{line}: " in str(caught.value)


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("MAX_CONCURRENT_RECONCILES_A_", "x", "and not a number"),
        ("MAX_CONCURRENT_RECONCILES_A_", "0", "nothing would be done"),
        ("ANSIBLE_VERBOSITY_A_", "8", "a number from 0 to 7"),
    ],
)
def test_variable_that_nobody_can_use_is_named(
    folder: Path, variable: str, value: str, message: str
) -> None:
    """It would have no effect otherwise, and nobody would know."""
    (folder / "watches.yaml").write_text(f"{BASE}  role: shop\n")

    with pytest.raises(ConfigError, match=f"{variable} is .*{message}"):
        load_watches(folder / "watches.yaml", {variable: value})
