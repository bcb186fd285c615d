"""The command ``kubewright diff-crd``."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from kubewright.cli import app as command
from kubewright.cli import main
from kubewright.testing import EmbeddedServer, probe
from tests.unit.cli.generate.crds import shop_crd, write_crds

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
STRING = {"type": "string"}


def diff(*arguments: str | Path, stdin: str | None = None) -> Result:
    """Run the command as a user types it."""
    return CliRunner().invoke(command.app, ["diff-crd", *map(str, arguments)], input=stdin)


def failing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str | Path
) -> str:
    """Run the command, which must end with status 2 and print nothing; return its complaint."""
    monkeypatch.setattr("sys.argv", ["kubewright", "diff-crd", *map(str, arguments)])
    with pytest.raises(SystemExit) as caught:
        main()
    said = capsys.readouterr()
    assert caught.value.code == 2
    assert said.out == ""
    return said.err.removeprefix("kubewright: ").removesuffix("\n")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with three stages of a CRD, which is the current one."""
    monkeypatch.chdir(tmp_path)
    write_crds(tmp_path / "one.yaml", shop_crd(size=STRING, old=STRING))
    write_crds(tmp_path / "two.yaml", shop_crd(size={**STRING, "maxLength": 3}, new=STRING))
    write_crds(tmp_path / "wide.yaml", shop_crd(size=STRING, old=STRING, new=STRING))
    write_crds(tmp_path / "risky.yaml", shop_crd(size={**STRING, "default": "a"}, old=STRING))
    return tmp_path


def test_changes_are_grouped_by_how_bad_they_are() -> None:
    """The first lines are what somebody must look at."""
    done = diff("one.yaml", "two.yaml")

    assert done.exit_code == 1
    assert done.stdout == (
        "BREAKS stored objects or clients\n"
        "  shops.example.com\n"
        "    v1 .spec.old: the field is gone: its data is pruned, and clients that set it are not"
        " heard\n"
        "    v1 .spec.size: the largest length is 3 now, and there was none: values beyond it are"
        " refused\n"
        "\n"
        "SAFE\n"
        "  shops.example.com\n"
        "    v1 .spec.new: a new field: string\n"
        "\n"
        "1 CRD compared: 2 breaks, 1 safe\n"
    )
    assert done.stderr == ""


def test_programs_get_json() -> None:
    """With a stable name for each sort of change."""
    done = diff("one.yaml", "two.yaml", "--output", "json")

    found = json.loads(done.stdout)
    assert found["summary"] == {"breaks": 2, "risky": 0, "safe": 1}
    assert found["changes"][0] == {
        "severity": "breaks",
        "rule": "field-removed",
        "text": "the field is gone: its data is pruned, and clients that set it are not heard",
        "path": ".spec.old",
        "version": "v1",
        "crd": "shops.example.com",
    }


@pytest.mark.parametrize(
    ("new", "fail_on", "status"),
    [
        ("one.yaml", "risky", 0),
        ("wide.yaml", "risky", 0),
        ("risky.yaml", "breaking", 0),
        ("risky.yaml", "risky", 1),
        ("two.yaml", "breaking", 1),
        ("two.yaml", "never", 0),
    ],
)
def test_the_exit_status_is_what_was_asked_for(new: str, fail_on: str, status: int) -> None:
    """A pipeline stops at it."""
    assert diff("one.yaml", new, "--fail-on", fail_on).exit_code == status


def test_no_change_is_said() -> None:
    """Silence might also mean that nothing was compared."""
    assert diff("one.yaml", "one.yaml").stdout == "1 CRD compared: no change\n"


def test_a_cluster_is_compared_with_files_only_as_far_as_they_go(folder: Path) -> None:
    """Other projects have CRDs in it, too, which applying these files does not delete."""
    with EmbeddedServer() as server:
        for crd in (shop_crd(size=STRING), shop_crd("stores")):
            assert probe.ask(server, "POST", CRDS, body=crd).status == 201
        config = ("--kubeconfig", server.kubeconfig_file)

        forth = diff("cluster", "wide.yaml", *config)
        back = diff("wide.yaml", "cluster", *config)

    assert forth.exit_code == 0
    assert forth.stdout.endswith(
        "1 CRD compared: 2 safe\n1 more in the cluster, not in the files\n"
    )
    assert back.exit_code == 1
    assert "stores" not in forth.stdout + back.stdout


def test_descriptions_are_counted_only(folder: Path) -> None:
    """A release changes hundreds of them."""
    write_crds(folder / "texts.yaml", shop_crd(size={**STRING, "description": "x"}, old=STRING))

    done = diff("one.yaml", "texts.yaml")

    assert "    v1: 1 description changed\n" in done.stdout


def test_a_pipe_can_be_one_of_the_two(folder: Path) -> None:
    """Such as the output of `helm template`."""
    done = diff("one.yaml", "-", stdin=(folder / "wide.yaml").read_text())

    assert done.stdout.endswith("1 CRD compared: 1 safe\n")


def test_only_some_kinds_are_compared(folder: Path) -> None:
    """Of a large manifest."""
    write_crds(folder / "a.yaml", shop_crd(), shop_crd("stores"))
    write_crds(folder / "b.yaml", shop_crd())

    done = diff("a.yaml", "b.yaml", "--kind", "Shop")

    assert (done.exit_code, done.stdout) == (0, "1 CRD compared: no change\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.yaml", "one.yaml"], "there is no file or folder none.yaml"),
        (
            ["one.yaml", "empty"],
            (
                "there is no CustomResourceDefinition in empty: it has no file *.yaml, *.yml or"
                " *.json"
            ),
        ),
        (["-", "-"], "OLD and NEW are both the standard input, which can be read only once"),
        (["one.yaml", "bad.yaml"], "bad.yaml: this is not YAML: "),
        (
            ["one.yaml", "role.yaml"],
            "there is no CustomResourceDefinition in role.yaml, only other objects (Role)",
        ),
        (
            ["one.yaml", "patch.yaml"],
            (
                "spec.names is missing; if this is a patch of kustomize, build it first, with"
                " `kustomize build`"
            ),
        ),
        (
            ["one.yaml", "two.yaml", "--kind", "Shp"],
            "--kind Shp: there is none here. Did you mean Shop?",
        ),
        (
            ["v9:one.yaml", "two.yaml"],
            "there is no file, and git has no such revision, v9:one.yaml: ",
        ),
        (["http://127.0.0.1:1/a.yaml", "two.yaml"], "cannot read http://127.0.0.1:1/a.yaml: "),
        (["cluster", "two.yaml", "--kubeconfig", "none"], "none"),
        (
            ["one.yaml", ""],
            "the source of CRDs is empty. Name a file, a folder, a URL, - or cluster",
        ),
        (
            ["one.yaml", "binary.yaml"],
            "binary.yaml is not a text in UTF-8 (byte 1). Is it what you mean?",
        ),
    ],
)
def test_wrong_input_is_said(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    """With status 2: a pipeline must not take it for a change that breaks."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(folder.parent))
    (folder / "empty").mkdir()
    (folder / "bad.yaml").write_text("a: b: c\n")
    (folder / "binary.yaml").write_bytes(b"a\xff")
    (folder / "role.yaml").write_text("kind: Role\n")
    patch = "kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\nspec: {}\n"
    (folder / "patch.yaml").write_text(patch)

    assert message in failing(monkeypatch, capsys, *arguments)


def test_a_cluster_without_definitions_is_compared() -> None:
    """A pipeline compares before its first deployment, too."""
    with EmbeddedServer() as server:
        done = diff("cluster", "one.yaml", "--kubeconfig", server.kubeconfig_file)

    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.endswith("1 CRD compared: 1 safe\n")
