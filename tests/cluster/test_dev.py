"""``kubewright dev``: an operator that is worked on."""

import json
import os
import signal
from pathlib import Path

import pytest

from kubewright.cli.cluster.clusters import Clusters
from kubewright.testing import KubeconfigServer, probe
from tests.cluster.command import Commands, processes

SHOPS = "/apis/example.com/v1/namespaces/default/shops"
PROGRAM = """
import kubewright as kw
from kubewright.kinds.core.v1 import ConfigMap

class ShopSpec(kw.Model):
    size: int = 1

@kw.resource(group="example.com", version="v1")
class Shop(kw.Resource):
    spec: ShopSpec = kw.field(default_factory=ShopSpec)

operator = kw.Operator("shops")

@operator.reconciler(Shop, owns=[ConfigMap])
async def reconcile(shop: Shop, ctx: kw.Context) -> None:
    data = {"sign": "open"}
    await ctx.apply(ConfigMap(metadata=kw.ObjectMeta(name=shop.metadata.name), data=data))
"""
SLOW = """
    import asyncio
    print("begins", flush=True)
    await asyncio.sleep(2)
    print("ends", flush=True)
"""
BODY = {"apiVersion": "example.com/v1", "kind": "Shop", "metadata": {"name": "corner"}}
SAMPLE = "{apiVersion: example.com/v1, kind: Shop, metadata: {name: corner}}\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Return an operator's file, with a sample beside it."""
    path = tmp_path / "project" / "shop.py"
    (path.parent / "samples").mkdir(parents=True)
    (path.parent / "samples" / "shop.yaml").write_text(SAMPLE)
    path.write_text(PROGRAM)
    return path


def config_map(server: KubeconfigServer) -> dict[str, str]:
    answer = probe.ask(server, "GET", "/api/v1/namespaces/default/configmaps/corner")
    assert answer.status == 200, answer.body
    data: dict[str, str] = json.loads(answer.body)["data"]
    return data


def test_it_runs_reloads_and_stops_without_a_trace(commands: Commands, shop: Path) -> None:
    """The whole life of an afternoon's work."""
    with commands.running("dev", shop, "--simulate", "--samples") as dev:
        path = dev.wait_for(r"export KUBECONFIG=(\S+)\n  kubectl get shops --watch\n")[1]
        dev.wait_for("sample applied name=shop/corner")
        dev.wait_for("reconciled controller=shop .* name=corner")
        server = KubeconfigServer.load(Path(path))
        first = config_map(server)

        shop.write_text(PROGRAM + "\ndef broken(:\n")
        dev.wait_for("not reloaded; the last good operator goes on")
        dev.wait_for(r'shop\.py", line 19(.|\n)*SyntaxError')
        probe.ask(server, "DELETE", "/api/v1/namespaces/default/configmaps/corner")
        dev.wait_for("reconciled controller=shop .* name=corner")
        mended = config_map(server)

        changed = PROGRAM.replace('"open"', '"closed"').replace("size: int", "floors: int")
        shop.write_text(changed)
        dev.wait_for("reloaded; running reconciles finish first")
        dev.wait_for("reconciled controller=shop .* name=corner")
        second = config_map(server)
        crd = probe.ask(server, "GET", "/openapi/v3/apis/example.com/v1").body.decode()
        status = dev.end(signal.SIGINT)

    assert (first, mended, second) == ({"sign": "open"}, {"sign": "open"}, {"sign": "closed"})
    assert "floors" in crd
    assert status == 0
    assert list((commands.state / "clusters").iterdir()) == []
    assert processes(str(commands.state)) == []


def test_a_reconcile_that_runs_ends_before_the_new_code_starts(
    commands: Commands, shop: Path
) -> None:
    """Half of what it does would otherwise be done, by code that is gone."""
    slow = PROGRAM.replace("    data =", SLOW + "    data =")
    shop.write_text(slow)

    with commands.running("dev", shop, "--simulate", "--samples") as dev:
        dev.wait_for("begins")
        shop.write_text(PROGRAM.replace('"open"', '"closed"'))
        dev.wait_for("reloaded; running reconciles finish first")
        dev.wait_for("ends")
        dev.wait_for("manager stopped")
        dev.wait_for("reconciled controller=shop .* name=corner")

        assert dev.end() == 0


def test_it_uses_a_cluster_that_runs_and_leaves_it_running(commands: Commands, shop: Path) -> None:
    """Objects stay while the operator comes and goes."""
    commands.run("cluster", "start", "--simulate", "--name", "town")

    with commands.running("dev", shop, "--name", "town", "--samples") as dev:
        dev.wait_for("on the cluster town, https://")
        dev.wait_for("reconciled controller=shop .* name=corner")
        status = dev.end(signal.SIGTERM)

    kept = KubeconfigServer.load(commands.state / "clusters" / "town" / "kubeconfig")
    assert status == 0
    assert config_map(kept) == {"sign": "open"}


def test_an_operator_that_fails_starts_again_when_it_is_mended(
    commands: Commands, shop: Path
) -> None:
    """The cluster and its objects are there, whatever the code does."""
    failing = PROGRAM + (
        "\nclass Beside:\n    async def run(self):\n        raise RuntimeError('no roof')\n"
        "\noperator.add(Beside())\n"
    )
    shop.write_text(failing)

    with commands.running("dev", shop, "--simulate", "--samples") as dev:
        dev.wait_for("the operator failed; it starts again when a file changes")
        dev.wait_for("RuntimeError: no roof")
        shop.write_text(PROGRAM)
        dev.wait_for("reloaded")
        dev.wait_for("reconciled controller=shop .* name=corner")

        assert dev.end() == 0


def test_what_cannot_be_used_is_said_and_nothing_is_left(commands: Commands, shop: Path) -> None:
    """The user looks at the file, not at a traceback of ours."""
    shop.write_text("operator = 1\n")
    without = commands.run("dev", shop)
    unknown = commands.run("dev", shop.with_name("missing.py"))
    shop.write_text(PROGRAM)
    no_cluster = commands.run("dev", shop, "--name", "town")

    assert [one.status for one in (without, unknown, no_cluster)] == [2, 2, 2]
    assert "has no operator" in without.err
    assert "there is no such file" in unknown.err
    assert "no cluster called 'town' runs" in no_cluster.err
    assert not (commands.state / "clusters").exists()


def test_one_file_is_developed_once_at_a_time(commands: Commands, shop: Path) -> None:
    """Two operators would fight about every object."""
    with commands.running("dev", shop, "--simulate") as first:
        first.wait_for("Ctrl-C stops everything")

        second = commands.run("dev", shop, "--simulate")

    assert second.status == 2
    assert "`kubewright dev shop` runs already" in second.err


def test_a_cluster_that_dies_ends_it_with_a_word(commands: Commands, shop: Path) -> None:
    """Otherwise it would wait for ever, and look as if there was nothing to do."""
    commands.run("cluster", "start", "--simulate", "--name", "mine")
    state = Clusters(commands.state / "clusters").folder("mine").state
    assert state is not None
    with commands.running("dev", shop, "--name", "mine") as dev:
        dev.wait_for("kubectl get shops")

        os.kill(state.pid, signal.SIGKILL)

        dev.wait_for("kubewright: the cluster mine has ended, so the operator has stopped.")
        assert dev.process.wait(30) == 1


def test_webhooks_come_and_go_with_the_file_and_half_of_one_does_no_harm(
    commands: Commands, shop: Path
) -> None:
    """A conversion is written one function after the other, and saved in between."""
    webhook = (
        "\n@operator.validator(Shop)\ndef check(shop, ctx):\n    ctx.refuse('spec.size', 'no')\n"
    )
    half = (
        "\n@kw.resource(group='example.com', version='v2', kind='Shop', storage=False)\n"
        "class NewShop(kw.Resource): ...\n"
        "operator.conversion(Shop).to_hub(NewShop)(lambda new: Shop())\n"
    )
    another = BODY | {"metadata": {"name": "another"}}

    with commands.running("dev", shop, "--simulate", "--samples") as dev:
        path = dev.wait_for(r"export KUBECONFIG=(\S+)\n")[1]
        dev.wait_for("reconciled controller=shop .* name=corner")
        server = KubeconfigServer.load(Path(path))
        shop.write_text(PROGRAM + webhook)
        dev.wait_for("webhooks registered")
        refused = probe.ask(server, "POST", SHOPS, body=another)
        shop.write_text(PROGRAM + webhook + half)
        dev.wait_for("not reloaded; the last good operator goes on")
        dev.wait_for("from_hub")
        still_refused = probe.ask(server, "POST", SHOPS, body=another)
        shop.write_text(PROGRAM)
        dev.wait_for("reloaded; running reconciles finish first")
        dev.wait_for("workers started")
        taken = probe.ask(server, "POST", SHOPS, body=another)
        status = dev.end()

    assert (refused.status, still_refused.status, taken.status, status) == (422, 422, 201, 0)
