"""The command ``kubewright generate types``."""

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from kubewright.cli import app as command
from kubewright.cli import main
from tests.unit.cli.generate.crds import shop_crd, write_crds


def types(*arguments: str | Path, stdin: str | None = None) -> Result:
    """Run the command as a user types it."""
    words = ["generate", "types", *map(str, arguments)]
    return CliRunner().invoke(command.app, words, input=stdin)


def failing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str | Path
) -> str:
    """Run the command, which must end with status 2 and print nothing; return its complaint."""
    monkeypatch.setattr("sys.argv", ["kubewright", "generate", "types", *map(str, arguments)])
    with pytest.raises(SystemExit) as caught:
        main()
    said = capsys.readouterr()
    assert caught.value.code == 2
    assert said.out == ""
    return said.err.removeprefix("kubewright: ").removesuffix("\n")


@pytest.fixture
def crds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with two CRDs and a role, in the current folder."""
    monkeypatch.chdir(tmp_path)
    return write_crds(tmp_path / "crds.yaml", shop_crd(), {"kind": "Role"}, shop_crd("stores"))


def test_a_module_goes_to_the_standard_output(crds: Path) -> None:
    """And the summary elsewhere, so that a shell can redirect the module."""
    done = types("--from-crd", crds.name)

    assert done.exit_code == 0
    assert "    kubewright generate types --from-crd crds.yaml\n" in done.stdout
    assert "class Store(kw.Resource):" in done.stdout
    assert done.stderr == "2 kinds in 2 versions; ignored: 1 Role\n"


def test_a_pipe_is_read(crds: Path) -> None:
    """From `kubectl get crd -o yaml`."""
    done = types("--from-crd", "-", "--kind", "Shop", stdin=crds.read_text())

    assert done.exit_code == 0
    assert "class Store" not in done.stdout
    assert done.stderr == "1 kind in 1 version; 1 CRD not chosen; ignored: 1 Role\n"


@pytest.mark.usefixtures("crds")
def test_a_file_is_written_once(tmp_path: Path) -> None:
    """The same input gives the same file, with the command that made it."""
    arguments = ("--from-crd", "crds.yaml", "--output", "shop/types.py")

    first, second = types(*arguments), types(*arguments)

    assert first.stdout == f"create  {Path('shop/types.py')}\n"
    assert second.stdout == "1 file unchanged\n"
    assert (
        f"    kubewright generate types {' '.join(arguments)}\n"
        in (tmp_path / "shop/types.py").read_text()
    )


@pytest.mark.usefixtures("crds")
def test_a_folder_gets_a_module_for_each_group_and_version(tmp_path: Path) -> None:
    """Inside a package it becomes one, and the package's own file stays as it is."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/__init__.py").touch()

    done = types("--from-crd", "crds.yaml", "--output", "shop/types")
    (tmp_path / "shop/types/__init__.py").write_text("# mine\n")
    again = types("--from-crd", "crds.yaml", "--output", "shop/types")

    assert done.stdout.split() == [
        "create", "shop/types/__init__.py", "create", "shop/types/example_com/__init__.py",
        "create", "shop/types/example_com/v1.py",
    ]  # fmt: skip
    assert (again.exit_code, again.stdout) == (0, "2 files unchanged\n")


@pytest.mark.usefixtures("crds")
def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    """And says what would be written."""
    done = types("--from-crd", "crds.yaml", "-o", "types", "--dry-run")

    assert done.stdout.splitlines()[-1] == "would create  types/example_com/v1.py"
    assert not (tmp_path / "types").exists()


def test_a_file_that_differs_needs_force(
    crds: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Somebody may have edited it."""
    path = crds.with_name("types.py")
    path.write_text("# mine\n")

    refused = failing(monkeypatch, capsys, "--from-crd", crds, "-o", path)
    kept = path.read_text()
    forced = types("--from-crd", crds, "-o", path, "--force")

    assert refused == (
        "these files are there already: types.py. --force overwrites them, --dry-run shows what"
        " would be done"
    )
    assert kept == "# mine\n"
    assert forced.stdout == f"update  {path}\n"


@pytest.mark.parametrize(
    ("name", "text", "length"),
    [
        ("pyproject.toml", "[tool.ruff]\nline-length = 120\n", 120),
        ("ruff.toml", "line-length = 100\n", 100),
        ("pyproject.toml", "[tool.ruff]\n", 88),
        ("pyproject.toml", "[project]\n", 88),
        ("pyproject.toml", "no toml", 88),
    ],
)
def test_lines_are_as_long_as_in_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, length: int
) -> None:
    """Otherwise its formatter would change the file at once."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text)
    (tmp_path / "other.toml").write_text("")
    sizes = {"type": "string", "enum": ["a" * 20, "b" * 20, "c" * size_until(length)]}
    write_crds(tmp_path / "crd.yaml", shop_crd(size=sizes))

    done = types("--from-crd", "crd.yaml")

    line = next(one for one in done.stdout.splitlines() if one.startswith("    size: "))
    assert len(line) == length


def size_until(length: int) -> int:
    """Return how long the last value must be for the line of the field to be just so long."""
    return length - len(f'    size: Literal["{"a" * 20}", "{"b" * 20}", ""] | None = None')


def test_secrets_in_an_address_are_not_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither into files nor into a complaint."""
    said = failing(monkeypatch, capsys, "--from-crd", "http://127.0.0.1:1/a?token=secret")

    assert "cannot read http://127.0.0.1:1/a: " in said
    assert "secret" not in said


BROKEN = "kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--from-crd", "none.yaml"], "there is no file or folder none.yaml"),
        (
            ["--from-crd", "role.yaml"],
            "there is no CustomResourceDefinition in role.yaml, only other objects (Role)",
        ),
        (["--from-crd", "text.yaml"], "text.yaml, line 1: an object is a mapping, not 'text'"),
        (
            ["--from-crd", "broken.yaml"],
            "broken.yaml, line 1: a CRD without a name: spec is missing",
        ),
        (
            ["--from-crd", "old.yaml"],
            (
                "old.yaml, line 1: shops.example.com is of apiextensions.k8s.io/v1beta1, which"
                " Kubernetes 1.22 and later do not serve. Take the CRD of a newer release of"
                " that project, or read it from a cluster, which stores it in v1"
            ),
        ),
        (
            ["--from-crd", "crds.yaml", "--kind", "Stor"],
            "--kind Stor: there is none here. Did you mean Store?",
        ),
        (
            ["--from-crd", "crds.yaml", "--group", "a.b"],
            "--group a.b: there is none here, but example.com",
        ),
        (
            ["--from-crd", "crds.yaml", "--force"],
            "--force and --dry-run are about files: name one with --output",
        ),
        (
            ["--from-crd", "crds.yaml", "-o", "types.txt"],
            (
                "--output types.txt is neither a folder nor a Python file. Name a folder, or a"
                " file *.py"
            ),
        ),
        (
            ["--from-crd", "crds.yaml", "-o", "role.yaml/types.py"],
            "cannot write role.yaml/types.py: a folder above it is a file. Move that away",
        ),
        (
            ["--from-crd", ""],
            "the source of CRDs is empty. Name a file, a folder, a URL, - or cluster",
        ),
        (["--from-crd", "cluster", "--kubeconfig", "none"], "none"),
    ],
)
@pytest.mark.usefixtures("crds")
def test_wrong_input_is_said(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    """In one sentence that says what to do, with status 2; nothing is written."""
    (tmp_path / "role.yaml").write_text("kind: Role\n")
    (tmp_path / "text.yaml").write_text("text\n")
    (tmp_path / "broken.yaml").write_text(BROKEN)
    old = shop_crd() | {"apiVersion": "apiextensions.k8s.io/v1beta1"}
    write_crds(tmp_path / "old.yaml", old)
    before = sorted(tmp_path.rglob("*"))

    said = failing(monkeypatch, capsys, *arguments)

    # YAML begins with a separator in some of these files, so a line may be the second.
    assert message in said.replace(", line 2:", ", line 1:")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
@pytest.mark.usefixtures("crds")
def test_a_folder_that_may_not_be_written_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And no half of the files is there."""
    (tmp_path / "types").mkdir(mode=0o500)

    said = failing(monkeypatch, capsys, "--from-crd", "crds.yaml", "-o", "types")

    assert "Nothing was changed" in said
