"""What ``kubewright manifests`` does in a project, and for a single file."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubewright.cli.manifests.run import Options, run
from kubewright.crd import from_yaml
from kubewright.errors import ConfigError, SchemaError
from kubewright.scaffold.manifests import MARK

BASE = "config/crd/bases/shop.example.com_stalls.yaml"
ROLE = "config/rbac/role.yaml"
PROJECT = """\
domain: example.com
layout: [python.kubewright.dev/v1]
projectName: stalls
repo: stall_project
version: "3"
"""
KIND = '''\
import kubewright as kw

class StallSpec(kw.Model):
    size: int = 1

@kw.resource(group="shop.example.com", version="v1")
class Stall(kw.Resource):
    """A stall."""

    spec: StallSpec = kw.field(default_factory=StallSpec)
'''
OPERATOR = """
operator = kw.Operator("stalls")

@operator.reconciler(Stall)
async def reconcile(stall: Stall, ctx: kw.Context) -> None: ...
"""
MAIN = f"{KIND}{OPERATOR}\nprint('loaded')\n"
VALIDATOR = """
@operator.validator(Stall)
def check(stall: Stall, ctx: kw.AdmissionContext[Stall]) -> None: ...
"""

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in a folder of its own, and forget what was imported from it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield tmp_path
    forget(tmp_path)


def forget(folder: Path) -> None:
    """Let modules in *folder* be imported anew, as in another process."""
    for name, module in list(sys.modules.items()):
        if str(folder) in str(getattr(module, "__file__", None)):
            del sys.modules[name]


@pytest.fixture
def project(folder: Path) -> Path:
    """Make a project with one kind, and kustomizations that list its manifests."""
    files = {
        "PROJECT": PROJECT,
        "stall_project/__init__.py": "",
        "stall_project/main.py": MAIN,
        "config/crd/kustomization.yaml": f"resources: [bases/{Path(BASE).name}]\n",
        "config/rbac/kustomization.yaml": "resources: [role.yaml]\n",
    }
    for path, text in files.items():
        put(folder / path, text)
    return folder


def put(path: Path, text: str) -> None:
    """Write *text* to *path*, in a folder that may be new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def tree(folder: Path) -> dict[str, str]:
    """Return the manifests in *folder*, by path."""
    found = (one for one in folder.rglob("*.yaml") if one.name != "kustomization.yaml")
    return {one.relative_to(folder).as_posix(): one.read_text() for one in found}


def change(project: Path, before: str, after: str) -> None:
    """Change the code of *project*."""
    forget(project)
    main = project / "stall_project/main.py"
    assert before in main.read_text()
    main.write_text(main.read_text().replace(before, after))


# --- In a project ---


def test_manifests_are_written_where_kustomizations_list_them(
    project: Path, capsys: Capture
) -> None:
    """And the user sees which."""
    assert run(Options()) == 0

    assert sorted(tree(project)) == [BASE, ROLE]
    assert capsys.readouterr().out == f"create  {BASE}\ncreate  {ROLE}\n"


def test_it_works_from_every_folder_of_the_project(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Like git."""
    monkeypatch.chdir(project / "config/crd")

    assert run(Options()) == 0

    assert sorted(tree(project)) == [BASE, ROLE]


def test_what_has_not_changed_is_not_written(project: Path, capsys: Capture) -> None:
    """`make` and reloading tools look at the times of files."""
    run(Options())
    before = (project / BASE).stat()
    capsys.readouterr()

    assert run(Options()) == 0

    assert (project / BASE).stat().st_mtime_ns == before.st_mtime_ns
    assert (project / BASE).stat().st_ino == before.st_ino
    assert capsys.readouterr().out == ""


def test_a_change_of_a_class_is_one_of_its_crd_alone(project: Path, capsys: Capture) -> None:
    """The diff in a review is about what was meant."""
    run(Options())
    capsys.readouterr()
    change(project, "size: int = 1", "size: int = 2")

    assert run(Options()) == 0

    assert capsys.readouterr().out == f"update  {BASE}\n"
    assert "default: 2" in (project / BASE).read_text()


def test_what_modules_print_does_not_get_among_the_results(project: Path, capsys: Capture) -> None:
    """A pipe into kubectl would break."""
    run(Options(diff=True))

    captured = capsys.readouterr()
    assert "loaded" not in captured.out
    assert captured.err == "loaded\n"


def test_the_crd_of_a_kind_that_is_gone_is_removed(project: Path, capsys: Capture) -> None:
    """A kind that was renamed would stay in all clusters."""
    run(Options())
    put(project / "config/crd/bases/by_hand.yaml", "kind: CustomResourceDefinition\n")
    capsys.readouterr()
    change(project, "Stall", "Booth")

    assert run(Options()) == 0

    captured = capsys.readouterr()
    assert f"delete  {BASE}" in captured.out
    assert sorted(one.name for one in (project / BASE).parent.iterdir()) == [
        "by_hand.yaml",
        "shop.example.com_booths.yaml",
    ]
    assert "add `- bases/shop.example.com_booths.yaml`" in captured.err
    assert f"lists bases/{Path(BASE).name}, which is not made any more" in captured.err


@pytest.mark.parametrize("check", [False, True])
def test_another_prefix_is_refused_in_a_project_with_webhooks(project: Path, check: bool) -> None:
    """Everything else passes, a deployment is ready, and no webhook ever answers."""
    put(project / "config/default/kustomization.yaml", "namePrefix: other-\n")
    assert run(Options()) == 0
    change(project, "print(", f"{VALIDATOR}\nprint(")

    with pytest.raises(ConfigError, match=r"has namePrefix 'other-'.* write `namePrefix: stalls-`"):
        run(Options(check=check))

    assert not (project / "config/webhook/manifests.yaml").exists()


def test_webhooks_that_are_gone_take_their_file_with_them(project: Path, capsys: Capture) -> None:
    """Otherwise API servers would ask somebody who does not answer, and refuse all objects."""
    put(project / "config/webhook/kustomization.yaml", "resources: [manifests.yaml]\n")
    change(project, "print(", f"{VALIDATOR}\nprint(")
    run(Options())
    assert (project / "config/webhook/manifests.yaml").exists()
    change(project, VALIDATOR, "")
    capsys.readouterr()

    assert run(Options()) == 0

    captured = capsys.readouterr()
    assert "delete  config/webhook/manifests.yaml" in captured.out
    assert "config/webhook/kustomization.yaml lists manifests.yaml" in captured.err


# --- Checking ---


def test_a_check_passes_if_all_is_up_to_date(project: Path, capsys: Capture) -> None:
    """It says nothing then."""
    run(Options())
    capsys.readouterr()
    forget(project)

    assert run(Options(check=True)) == 0

    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "loaded\n")


def test_a_check_lists_what_is_stale_and_says_what_to_do(project: Path, capsys: Capture) -> None:
    """In the log of CI, where nobody can try things out."""
    run(Options())
    capsys.readouterr()
    change(project, "size: int = 1", "size: int = 2")

    assert run(Options(check=True)) == 1

    captured = capsys.readouterr()
    assert captured.err.endswith(
        f"stale   {BASE}\n"
        "kubewright: the manifests are not up to date. Run `kubewright manifests` and commit the"
        " result.\n"
    )
    assert captured.out == ""
    assert "default: 1" in (project / BASE).read_text()


def test_a_check_with_a_diff_prints_a_patch_that_git_takes(project: Path, capsys: Capture) -> None:
    """So the log of CI has the fix, too."""
    run(Options())
    capsys.readouterr()
    change(project, "size: int = 1", "size: int = 2")

    assert run(Options(check=True, diff=True)) == 1

    patch = capsys.readouterr().out
    assert "-                default: 1\n+                default: 2\n" in patch
    subprocess.run(["git", "apply", "-"], input=patch, text=True, cwd=project, check=True)
    forget(project)
    assert run(Options(check=True)) == 0


def test_a_check_finds_a_manifest_that_no_kustomization_lists(
    project: Path, capsys: Capture
) -> None:
    """It is up to date, and not deployed."""
    run(Options())
    put(project / "config/crd/kustomization.yaml", "resources: []\n")
    capsys.readouterr()

    assert run(Options(check=True)) == 1

    said = capsys.readouterr().err
    assert f"{BASE} is not deployed: add `- bases/{Path(BASE).name}` to the resources" in said
    assert "up to date" not in said


@pytest.mark.parametrize(
    "options", [Options(dry_run=True), Options(diff=True), Options(check=True)]
)
def test_nothing_is_written_for_those_who_only_ask(project: Path, options: Options) -> None:
    """Nor are folders made."""
    run(options)

    assert tree(project) == {}
    assert not (project / BASE).parent.exists()


def test_a_dry_run_says_what_would_happen(project: Path, capsys: Capture) -> None:
    """In the words of the real run."""
    assert run(Options(dry_run=True)) == 0

    assert capsys.readouterr().out == f"would create  {BASE}\nwould create  {ROLE}\n"


def test_another_folder_gets_the_same_layout(project: Path, capsys: Capture) -> None:
    """For those whose kustomizations are in another place; nobody can tell if they list them."""
    put(project / "config/crd/kustomization.yaml", "resources: []\n")

    assert run(Options(output=Path("deploy/made"))) == 0

    made = project / "deploy/made"
    assert sorted(tree(made)) == ["crd/bases/shop.example.com_stalls.yaml", "rbac/role.yaml"]
    assert not (project / BASE).exists()
    assert "not deployed" not in capsys.readouterr().err


# --- A single file ---


def test_a_file_gives_one_stream_that_can_be_applied(folder: Path, capsys: Capture) -> None:
    """`kubewright manifests stall.py | kubectl apply -f -`."""
    put(folder / "stall_alone.py", f"{MAIN}{VALIDATOR}")

    assert run(Options("stall_alone.py", namespace="booths")) == 0

    text = capsys.readouterr().out
    assert text.startswith(MARK)
    assert text.count(MARK) == 1
    assert [(one["kind"], one["metadata"].get("namespace")) for one in from_yaml(text)] == [
        ("CustomResourceDefinition", None),
        ("ClusterRole", None),
        ("Role", "booths"),
        ("ValidatingWebhookConfiguration", None),
        ("Service", "booths"),
    ]


def test_a_file_gives_files_if_a_folder_is_named(folder: Path) -> None:
    """They can be checked in CI as those of a project can."""
    put(folder / "stall_alone.py", MAIN)

    assert run(Options("stall_alone.py", output=Path("made"))) == 0
    forget(folder)

    assert sorted(tree(folder)) == ["made/crd.yaml", "made/rbac.yaml"]
    assert run(Options("stall_alone.py", output=Path("made"), check=True)) == 0


def test_a_file_beside_the_package_of_a_project_stands_alone(
    project: Path, capsys: Capture
) -> None:
    """A second operator has no business in the config/ of the first."""
    put(project / "tools/stall_alone.py", MAIN.replace('"stalls"', '"other"'))

    assert run(Options("tools/stall_alone.py")) == 0

    assert tree(project) == {}
    assert "name: other" in capsys.readouterr().out


@pytest.mark.parametrize(
    "target", ["stall_project.main", "stall_project.main:operator", "stall_project/main.py"]
)
def test_the_operator_of_a_project_may_be_named(project: Path, target: str) -> None:
    """If there are several in its main module, it has to be."""
    assert run(Options(target)) == 0

    assert ROLE in tree(project)


# --- What goes wrong ---


def fails(options: Options, said: str, kind: type[Exception] = ConfigError) -> None:
    """Check that the command ends with an error that matches *said*."""
    with pytest.raises(kind, match=said):
        run(options)


def test_a_file_that_was_written_by_hand_is_not_overwritten(project: Path) -> None:
    """Nor anything else, so that nothing is half done."""
    put(project / ROLE, "kind: ClusterRole\n")

    fails(Options(), rf"somebody may have edited them: {ROLE}\. Move them away, or let --force")
    fails(Options(check=True), rf"edited them: {ROLE}")

    assert tree(project) == {ROLE: "kind: ClusterRole\n"}


def test_force_overwrites_it(project: Path) -> None:
    """As when a project came from controller-gen, whose files have no such line."""
    put(project / ROLE, "kind: ClusterRole\n")

    assert run(Options(force=True)) == 0

    assert tree(project)[ROLE].startswith(MARK)


def test_an_operator_with_another_name_is_refused(project: Path) -> None:
    """See `kubewright.scaffold.manifests`."""
    change(project, 'Operator("stalls")', 'Operator("booths")')

    fails(Options(), "the operator is called 'booths', and the project 'stalls'")


def test_a_type_without_a_schema_is_named_with_file_and_line(project: Path) -> None:
    """An editor opens it with a click."""
    change(project, "size: int = 1", "size: int | str = 1")

    said = r"^stall_project/main\.py:4: Stall\.spec\.size: int \| str has no structural schema"
    fails(Options(), said, SchemaError)
    assert tree(project) == {}


def test_two_reconcilers_that_do_not_fit_are_refused(project: Path) -> None:
    """The deployed operator would not start."""
    change(project, "print(", f"{OPERATOR.partition(chr(10) * 2)[2]}\nprint(")

    fails(Options(), r"(?s)main\.py\", line 17.*Stall has a reconciler named 'stall' already")


def test_code_that_fails_comes_with_its_traceback(project: Path) -> None:
    """From the user's line on."""
    change(project, "size: int = 1", "size: int = 1 / 0")

    fails(Options(), r"(?s)cannot load stall_project\.main: it fails.*main\.py.*ZeroDivisionError")


def test_a_project_without_its_main_module_is_refused(project: Path) -> None:
    """Somebody has moved it."""
    (project / "stall_project/main.py").unlink()

    fails(Options(), r"cannot load stall_project\.main: there is no such file or module")


def test_two_operators_are_a_question(project: Path) -> None:
    """The answer is in the message."""
    change(project, "print(", "second = kw.Operator('second')\nprint(")

    fails(Options(), r"Say which: stall_project\.main:operator")


def test_outside_of_a_project_a_target_is_needed() -> None:
    """The newcomer has most likely not changed into the folder."""
    fails(Options(), "which operator")


@pytest.mark.parametrize(
    "options", [{"check": True}, {"diff": True}, {"dry_run": True}], ids=lambda one: next(iter(one))
)
def test_a_stream_cannot_be_compared(folder: Path, options: dict[str, bool]) -> None:
    """There are no files to compare with."""
    put(folder / "stall_alone.py", MAIN)

    fails(Options("stall_alone.py", **options), "say with --output in which folder")  # type: ignore[arg-type]  # a part of the options


def test_a_namespace_must_be_one(folder: Path) -> None:
    """The server would refuse the Service, after it took the CRDs."""
    put(folder / "stall_alone.py", MAIN)

    fails(Options("stall_alone.py", namespace="My.Shops"), "--namespace: 'My.Shops'")


def test_a_folder_that_is_a_file_is_refused(project: Path) -> None:
    """Nothing is written then."""
    put(project / "taken", "")

    fails(Options(output=Path("taken")), "a folder above it is a file")


def test_a_broken_kustomization_is_named(project: Path) -> None:
    """Before anything is written."""
    put(project / "config/crd/kustomization.yaml", "resources: [")

    fails(Options(), r"config/crd/kustomization\.yaml is not YAML")

    assert tree(project) == {}


def test_namespaces_that_get_wider_rights_are_told(project: Path, capsys: Capture) -> None:
    """Whoever wrote `namespaces=` believes that the role is narrow."""
    change(project, "reconciler(Stall)", "reconciler(kw.For(Stall, namespaces=['east']))")

    assert run(Options()) == 0

    said = "the code names the namespaces east, and gets its rights in all namespaces"
    assert said in capsys.readouterr().err
