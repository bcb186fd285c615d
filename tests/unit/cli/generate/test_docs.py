"""The command ``kubewright generate docs``."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from kubewright.cli import app as command
from kubewright.cli import main
from tests.unit.cli.generate.crds import shop_crd, write_crds

OPERATOR = '''"""A shop."""

import kubewright as kw


class ShopSpec(kw.Model):
    size: str = "Small"
    """How large it is."""


@kw.resource(group="example.com", version="v1")
class Shop(kw.Resource):
    """A place to buy things."""

    spec: ShopSpec = kw.field(default_factory=ShopSpec)


operator = kw.Operator("shop-keeper")


@operator.reconciler(Shop)
async def reconcile(shop: Shop, ctx: kw.Context) -> None:
    """Do nothing."""
'''


def docs(*arguments: str | Path) -> Result:
    """Run the command as a user types it."""
    return CliRunner().invoke(command.app, ["generate", "docs", *map(str, arguments)])


def failing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str | Path
) -> str:
    """Run the command, which must end with status 2 and print nothing; return its complaint."""
    monkeypatch.setattr("sys.argv", ["kubewright", "generate", "docs", *map(str, arguments)])
    with pytest.raises(SystemExit) as caught:
        main()
    said = capsys.readouterr()
    assert caught.value.code == 2
    assert said.out == ""
    return said.err.removeprefix("kubewright: ").removesuffix("\n")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with CRDs, which is the current one."""
    monkeypatch.chdir(tmp_path)
    write_crds(tmp_path / "crds.yaml", shop_crd(), shop_crd("stores"))
    return tmp_path


def test_the_kinds_of_an_operator_are_described(folder: Path) -> None:
    """With the descriptions from its source."""
    (folder / "keeper.py").write_text(OPERATOR)

    done = docs("keeper.py")

    assert done.stdout.splitlines() == [
        "create  docs/api/index.html",
        "create  docs/api/index.md",
        "create  docs/api/shops.example.com.md",
    ]
    assert "How large it is." in (folder / "docs/api/shops.example.com.md").read_text()
    assert "API reference of shop-keeper" in (folder / "docs/api/index.html").read_text()


def test_crds_are_described(folder: Path) -> None:
    """Of any project, in one format or both."""
    done = docs("--from-crd", "crds.yaml", "--kind", "Shop", "--format", "html", "-o", "out")

    assert done.stdout == "create  out/index.html\n"
    assert "Store" not in (folder / "out/index.html").read_text()


def test_samples_become_examples(folder: Path) -> None:
    """As they are written, with their comments."""
    sample = "# The smallest.\napiVersion: example.com/v1\nkind: Shop\n"
    (folder / "config/samples").mkdir(parents=True)
    (folder / "config/samples/shop.yaml").write_text(f"kind: Other\n---\n{sample}")

    docs("--from-crd", "crds.yaml")

    assert f"```yaml\n{sample}```" in (folder / "docs/api/shops.example.com.md").read_text()


def test_nothing_is_written_twice() -> None:
    """And `--check` tells a pipeline whether it would be."""
    docs("--from-crd", "crds.yaml")

    again = docs("--from-crd", "crds.yaml")
    check = docs("--from-crd", "crds.yaml", "--check")

    assert again.stdout == "docs/api is up to date\n"
    assert (check.exit_code, check.stdout) == (0, "")


def test_a_check_fails_for_what_is_stale(folder: Path) -> None:
    """It names the files and what to do, and writes nothing."""
    docs("--from-crd", "crds.yaml", "--format", "markdown")
    write_crds(folder / "crds.yaml", shop_crd(name={"type": "string"}), shop_crd("stores"))
    before = (folder / "docs/api/shops.example.com.md").read_text()

    check = docs("--from-crd", "crds.yaml", "--format", "markdown", "--check")

    assert check.exit_code == 1
    assert check.stdout == "stale  docs/api/shops.example.com.md\n"
    assert check.stderr == "Run the same command without --check, and commit the result.\n"
    assert (folder / "docs/api/shops.example.com.md").read_text() == before


def test_a_dry_run_writes_nothing(folder: Path) -> None:
    """And says what would be written."""
    done = docs("--from-crd", "crds.yaml", "--format", "html", "--dry-run")

    assert done.stdout == "would create  docs/api/index.html\n"
    assert not (folder / "docs").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            [],
            (
                "which operator? Name a file such as at.py, or a module; in the folder of a"
                " project (there is no file PROJECT here), its own operator is taken"
            ),
        ),
        (["none.py"], "cannot load none.py: there is no such file"),
        (
            ["empty.py"],
            (
                "the operator shop of empty.py has no kinds of its own to describe. Name CRDs"
                " with --from-crd"
            ),
        ),
        (
            ["empty.py", "--from-crd", "crds.yaml"],
            "name an operator or --from-crd, not both: which kinds are meant?",
        ),
        (["--from-crd", "none.yaml"], "there is no file or folder none.yaml"),
        (["--from-crd", "bad.yaml"], "bad.yaml: this is not YAML: "),
        (
            ["--from-crd", "crds.yaml", "--kind", "shp"],
            "--kind shp: there is none here. Did you mean Shop?",
        ),
        (
            ["--from-crd", "crds.yaml", "--samples", "none"],
            "there is no folder none, which --samples names",
        ),
        (
            ["--from-crd", "crds.yaml", "--samples", "samples"],
            "cannot read the sample samples/a.yaml: this is not YAML: ",
        ),
        (
            ["--from-crd", "crds.yaml", "--output", "mine"],
            (
                "not written by this command, and not overwritten: mine/index.md. Move it away,"
                " or name another folder with --output"
            ),
        ),
        (
            ["--from-crd", "crds.yaml", "--output", "crds.yaml"],
            "a folder above it is a file. Move that away",
        ),
        (["broken.py"], "ZeroDivisionError"),
    ],
)
def test_wrong_input_is_said(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    """In one sentence that says what to do, with status 2; nothing is written."""
    (folder / "empty.py").write_text('import kubewright as kw\n\noperator = kw.Operator("shop")\n')
    (folder / "broken.py").write_text("1 / 0\n")
    (folder / "bad.yaml").write_text("a: b: c\n")
    for path, text in (("samples/a.yaml", "a: b: c\n"), ("mine/index.md", "# Mine\n")):
        (folder / path).parent.mkdir()
        (folder / path).write_text(text)

    said = failing(monkeypatch, capsys, *arguments)

    assert message in said
    assert not (folder / "docs").exists()
    assert (folder / "mine/index.md").read_text() == "# Mine\n"
