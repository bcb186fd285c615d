from pathlib import Path

import pytest

from kubewright.cli.project.folder import get_project
from kubewright.cli.project.webhook import WebhookOptions
from kubewright.errors import ConfigError
from kubewright.scaffold.wanted import Wanted
from tests.unit.cli.project.running import run, tree_of

SHOP = ("--group", "shop", "--version", "v1", "--kind", "Shop")


def webhook(*words: str) -> str:
    """Run ``kubewright create webhook``."""
    return run("create", "webhook", *words)


def test_webhooks_are_added_to_a_kind(project: Path) -> None:
    """The code, its test, and what makes API servers ask."""
    said = webhook(*SHOP, "--defaulting", "--programmatic-validation")

    code = (project / "town/webhook/v1/shop.py").read_text()
    assert "@operator.defaulter(Shop)" in code
    assert "@operator.validator(Shop)" in code
    assert "create  config/webhook/manifests.yaml\n" in said
    assert said.endswith("what the webhooks of Shop do, then make manifests test\n")


def test_a_conversion_is_a_module_of_its_own(project: Path) -> None:
    """Users have written into the others by then."""
    run("create", "api", "--group", "shop", "--version", "v2", "--kind", "Shop")
    run("create", "api", "--group", "shop", "--version", "v3", "--kind", "Shop")
    webhook(*SHOP, "--defaulting")
    (project / "town/webhook/v1/shop.py").write_text("mine")

    webhook(*SHOP, "--conversion", "--spoke", "v2,v3", "--spoke", "v2")

    found = get_project().project.find("shop", "v1", "Shop")
    assert found is not None
    assert found.webhooks is not None
    assert (found.webhooks.defaulting, found.webhooks.spoke) == (True, ("v2", "v3"))
    assert (project / "town/webhook/v1/shop.py").read_text() == "mine"
    assert "def to_v3(" in (project / "town/webhook/v1/shop_conversion.py").read_text()


def test_kinds_of_kubernetes_can_be_checked(project: Path) -> None:
    """While the operator is away, pods start nevertheless."""
    webhook("--group", "core", "--version", "v1", "--kind", "Pod", "--programmatic-validation")

    code = (project / "town/webhook/v1/pod.py").read_text()
    assert '@operator.validator(Pod, failure_policy="Ignore")' in code


def test_webhooks_are_made_again_when_forced(project: Path) -> None:
    """Those that were there before are among them."""
    webhook(*SHOP, "--defaulting")

    webhook(*SHOP, "--programmatic-validation", "--force")

    code = (project / "town/webhook/v1/shop.py").read_text()
    assert "@operator.defaulter(Shop)" in code
    assert "@operator.validator(Shop)" in code


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (SHOP, "which webhooks? Say one or more of --defaulting"),
        ((*SHOP, "--conversion"), "--conversion needs the versions"),
        ((*SHOP, "--defaulting", "--spoke", "v2"), "--spoke goes with --conversion"),
        ((*SHOP, "--conversion", "--spoke", "v1"), "v1 is the hub"),
        ((*SHOP, "--conversion", "--spoke", "v9"), "Shop has no version v9, only v1, v2"),
        (
            (*SHOP, "--conversion", "--spoke", "banana"),
            "--spoke: 'banana' is not a version of an API: those are v1, v2, v1alpha1 or v1beta2",
        ),
        (
            (
                "--group",
                "shop",
                "--version",
                "v2",
                "--kind",
                "Shop",
                "--conversion",
                "--spoke",
                "v1",
            ),
            "Shop has the hub v1 already",
        ),
        ((*SHOP, "--conversion", "--spoke", "v2"), "has conversions already"),
        ((*SHOP, "--programmatic-validation"), "Add a function with @operator.validator"),
        ((*SHOP, "--defaulting"), "Shop of v1 has webhooks already. Change those, or overwrite"),
        (
            ("--group", "shop", "--version", "v1", "--kind", "Shopp", "--defaulting"),
            "Did you mean Shop?",
        ),
        (("--group", "shop", "--version", "v5", "--kind", "Shop", "--defaulting"), "in v1 and v2"),
        (("--group", "shop", "--version", "1", "--kind", "Shop", "--defaulting"), "--version v1"),
        (("--group", "shop", "--version", "v1", "--kind", "shop", "--defaulting"), "--kind Shop"),
        (("--group", "core", "--version", "v1", "--kind", "Pods", "--defaulting"), "mean Pod?"),
        (
            (
                "--group",
                "core",
                "--version",
                "v1",
                "--kind",
                "Pod",
                "--conversion",
                "--spoke",
                "v2",
            ),
            "only those who declare a kind convert it",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_written(
    words: tuple[str, ...], fault: str, project: Path
) -> None:
    """The project is as it was."""
    run("create", "api", "--group", "shop", "--version", "v2", "--kind", "Shop")
    webhook(*SHOP, "--defaulting", "--conversion", "--spoke", "v2")
    before = tree_of(project)

    with pytest.raises(ConfigError) as refused:
        webhook(*words)

    assert fault in str(refused.value)
    assert tree_of(project) == before


def test_a_dry_run_writes_nothing(project: Path) -> None:
    """It says what would change."""
    before = tree_of(project)

    said = webhook(*SHOP, "--defaulting", "--dry-run")

    assert "would create  town/webhook/v1/shop.py\n" in said
    assert tree_of(project) == before


def test_a_conversion_alone_admits_nothing() -> None:
    """The two are made apart from one another."""
    wanted = Wanted(group="shop", version="v1", kind="Shop")

    assert not WebhookOptions(wanted=wanted, conversion=True).admission
    assert WebhookOptions(wanted=wanted, validation=True).admission
