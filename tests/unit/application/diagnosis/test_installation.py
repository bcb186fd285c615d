import pytest

import kubewright as kw
from kubewright.application.diagnosis.installation import find_installation, flags_of
from kubewright.errors import ConfigError
from kubewright.kinds.apps.v1 import Deployment
from kubewright.testing import EmbeddedServer
from tests.unit.application.diagnosis.ward import installed, made

ENVIRONMENT = """
- {name: HOME_NS, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
- {name: POD, value: a}
- {name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
- {name: NAME, value: at}
- {name: BOTH, value: $(HOME_NS)/$(NAME)}
- {name: LATER, value: $(END)}
- {name: END, value: b}
"""


def deployment(name: str, labels: str = "") -> Deployment:
    """Return a Deployment."""
    return made(
        Deployment,
        f"""
        metadata: {{name: {name}, labels: {{{labels}}}}}
        spec:
          selector: {{matchLabels: {{app: {name}}}}}
          template:
            metadata: {{labels: {{app: {name}}}}}
            spec: {{serviceAccountName: {name}-account, containers: [{{name: a, image: a}}]}}
        """,
    )


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ([], {}),
        (["run", "at.py"], {}),
        (["--a=1", "--b", "2", "--c", "--d"], {"a": ("1",), "b": ("2",), "c": ("",), "d": ("",)}),
        (["--a", "1", "--a=2"], {"a": ("1", "2")}),
        (["--a=", "x"], {"a": ("",)}),
    ],
)
def test_flags_are_read_in_both_spellings(
    words: list[str], found: dict[str, tuple[str, ...]]
) -> None:
    """Manifests have both."""
    assert flags_of(words) == found


def test_a_flag_can_be_turned_off() -> None:
    """``--leader-elect=false`` is what Go programs are given."""
    assert installed(flags="--leader-elect").is_on("leader-elect")
    assert not installed(flags="--leader-elect=false").is_on("leader-elect")
    assert not installed().is_on("leader-elect")
    assert installed(flags="--port=1, --port=2").value("port") == "2"


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("$(HOME_NS)", "shops"),
        ("$(NAME)-$(HOME_NS)", "at-shops"),
        ("$(BOTH)", "shops/at"),
        ("$$(NAME)", "$(NAME)"),
        ("$(NOBODY)", "$(NOBODY)"),
        ("$(POD)", "$(POD)"),
        ("$(LATER)", "$(END)"),
        ("$(NAME", "$(NAME"),
    ],
)
def test_flags_are_expanded_as_the_kubelet_does(flag: str, value: str) -> None:
    """``--namespace=$(WATCH_NAMESPACE)`` names the namespace of the pod, as scaffolds write it."""
    place = installed(flags=f"--namespace={flag}", env=ENVIRONMENT)

    assert place.value("namespace") == value


async def test_the_deployment_is_found_by_its_name_or_its_label() -> None:
    """Nobody has to say what a project says already."""
    async with EmbeddedServer() as server, server.client() as client:
        manager = deployment("x", "control-plane: controller-manager")
        for one in (deployment("other"), deployment("shop"), manager):
            await client.create(one)

        by_name = await find_installation(client, "default", names=["gone", "shop"])
        by_label = await find_installation(client, "default")
        asked = await find_installation(client, "default", deployment="gone")
        nowhere = await find_installation(client, "nowhere")

    assert by_name.subject == "deployment/shop in namespace default"
    assert str(by_name.account) == "default/shop-account"
    assert by_label.subject == "deployment/x in namespace default"
    assert (asked.deployment, asked.wanted) == (None, "gone")
    assert not nowhere.exists


async def test_it_asks_which_deployment_is_meant() -> None:
    """A guess would examine the wrong one."""
    async with EmbeddedServer() as server, server.client() as client:
        for name in ("a", "b"):
            await client.create(deployment(name))

        with pytest.raises(ConfigError, match="It has a, b: say --deployment NAME"):
            await find_installation(client, "default")


def test_an_installation_without_deployment_has_no_flags() -> None:
    """It is asked for them all the same."""
    place = kw.ObjectKey("shops", "shop")
    bare = type(installed())(namespace="shops", account=place)

    assert (bare.subject, bare.flags, bare.works, bare.container) == ("", {}, False, None)
