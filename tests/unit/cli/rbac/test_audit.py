"""The whole command, but for its command line."""

import json
from pathlib import Path

import pytest

from kubewright.cli.rbac.audit import Options, run
from kubewright.errors import ConfigError
from tests.unit.cli.rbac.world import FILES, FIXED, log_of

IMPORT = "from kubewright.crd import PolicyRule"
CLEAN: tuple[tuple[str, str], ...] = (
    ("create", "configmaps"),
    ("watch", "configmaps"),
    ("patch", "configmaps"),
    ("delete", "configmaps"),
    ("watch", "secrets"),
)
"""What the operator does, if it does all that its role allows."""


def logged(project: Path, *calls: tuple[str, str], **more: object) -> Options:
    """Return the options with which a log of *calls* is audited."""
    options = {"audit_log": log_of(project, *calls), "user": "me", **more}
    return Options(**options)  # type: ignore[arg-type]  # it says so itself if one is wrong


def test_the_tests_of_a_project_tell_what_is_missing_and_what_is_never_used(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The calls of the operator count, and the test's own do not."""
    status = run(Options())

    said = capsys.readouterr()
    assert status == 1
    assert said.out == (
        "missing: the operator did this, and its role does not allow it\n"
        "  list services in the namespace default\n"
        "      2 times, first by shop_operator/controller.py:8 in tests/test_it.py::test_copy\n"
        "\n"
        "# in a ClusterRole:\n"
        '- apiGroups: [""]\n'
        '  resources: ["services"]\n'
        '  verbs: ["list"]\n'
        "\n"
        "never used: rights that nothing showed to be needed\n"
        "  delete configmaps\n"
        "      reconciler 'secret' (shop_operator/controller.py:6) owns ConfigMap: test it, or"
        ' declare kw.Owns(ConfigMap, verbs=["create", "patch"])\n'
    )
    assert said.err == (
        f"running the tests in {project} …\ntests passed: 1; different calls of the operator: 7\n"
    )


def test_fix_adds_to_the_code_from_which_the_role_is_made(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is written to role.yaml would be gone after the next ``kubewright manifests``."""
    status = run(logged(project, *CLEAN, ("list", "services"), fix=True))

    assert status == 0
    assert (project / "shop_operator/operator.py").read_text() == FIXED
    assert (project / "config/rbac/role.yaml").read_text() == FILES["config/rbac/role.yaml"]
    assert "update  shop_operator/operator.py" in capsys.readouterr().err


def test_fix_leaves_what_is_never_used_to_people(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A test that is missing is as likely."""
    status = run(logged(project, *CLEAN[:3], CLEAN[4], fix=True))

    assert status == 1
    assert "change it there" in capsys.readouterr().err


def test_a_dry_run_shows_the_change_and_makes_none(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """To look at it first."""
    before = FILES["shop_operator/operator.py"]

    status = run(logged(project, *CLEAN, ("list", "services"), fix=True, dry_run=True))

    said = capsys.readouterr()
    assert status == 1
    assert "+++ b/shop_operator/operator.py\n" in said.out
    assert "would update  shop_operator/operator.py\n" in said.err
    assert (project / "shop_operator/operator.py").read_text() == before


def test_fix_writes_a_role_that_is_named(project: Path) -> None:
    """Somebody writes it by hand; the comment at its head stays."""
    role = project / "config/rbac/role.yaml"
    calls = (*CLEAN[:3], ("watch", "secrets"), ("list", "services"))

    first = run(logged(project, *calls, roles=(role,), fix=True))
    again = run(logged(project, *calls, roles=(role,)))

    assert (first, again) == (0, 0)
    text = role.read_text()
    assert text.startswith("# What the operator may do.\n")
    assert "services" in text
    assert "delete" not in text


def test_unused_rights_can_be_accepted(project: Path) -> None:
    """For a first look, or where tests are few."""
    calls = (*CLEAN[:3], CLEAN[4])

    assert run(logged(project, *calls)) == 1
    assert run(logged(project, *calls, allow_unused=True)) == 0


def test_programs_get_one_document(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With everything that people get."""
    run(logged(project, *CLEAN[:3], CLEAN[4], ("get", "nodes"), json=True))

    found = json.loads(capsys.readouterr().out)
    assert found["testsPassed"] is None
    assert [(one["verb"], one["resource"]) for one in found["missing"]] == [("get", "nodes")]
    assert [(one["verb"], one["resource"]) for one in found["unused"]] == [("delete", "configmaps")]


def make_namespaced(project: Path) -> None:
    """Make the project one for a single namespace."""
    (project / "PROJECT").write_text(FILES["PROJECT"] + "namespaced: true\n")
    folder = project / "config/rbac"
    for name in ("role.yaml", "role_binding.yaml"):
        text = (folder / name).read_text().replace("ClusterRole", "Role")
        (folder / name).write_text(text)
    role = (folder / "role.yaml").read_text()
    (folder / "role.yaml").write_text(
        role.replace("metadata:\n", "metadata:\n  namespace: system\n")
    )


def test_a_project_of_one_namespace_is_tested_in_another(project: Path) -> None:
    """The namespace of the deployment is not that of a test."""
    make_namespaced(project)

    assert run(logged(project, *CLEAN)) == 0


def test_a_project_of_one_namespace_gets_rights_there_only(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A right for the whole cluster is what such a project is made to do without."""
    make_namespaced(project)
    log = log_of(project, *CLEAN, ("list", "services"), ("list", "nodes"))
    everywhere = log.read_text().replace('"nodes","namespace":"shop"', '"nodes"')
    log.write_text(everywhere)

    status = run(Options(audit_log=log, user="me", fix=True))

    code = (project / "shop_operator/operator.py").read_text()
    services = 'groups=("",), resources=("services",), verbs=("list",), namespace="system"'
    assert f"PolicyRule({services})" in code
    assert 'PolicyRule(groups=("",), resources=("nodes",), verbs=("list",))' in code
    assert "# in a Role in the namespace system:" in capsys.readouterr().out
    assert status == 0


def test_what_is_granted_in_the_namespace_of_the_operator_counts_in_that_of_a_test(
    project: Path,
) -> None:
    """Also if the operator is named, and compared with its code."""
    make_namespaced(project)
    text = FILES["shop_operator/operator.py"]
    rules = 'rules=[PolicyRule(("",), ("services",), ("list",), namespace="system")]'
    text = text.replace('"shop-operator")', f'"shop-operator", {rules})')
    text = text.replace("import kubewright as kw\n", f"import kubewright as kw\n{IMPORT}\n")
    (project / "shop_operator/operator.py").write_text(text)

    calls = (*CLEAN, ("list", "services"))
    assert run(logged(project, *calls, operator="shop_operator.main")) == 0


def test_outside_of_a_project_the_operator_is_compared_with_what_it_declares(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It has no manifests yet."""
    (project / "PROJECT").unlink()

    status = run(logged(project, *CLEAN, operator="shop_operator.main"))

    assert (status, capsys.readouterr().out) == (0, "nothing missing, nothing unused\n")


def test_failing_tests_are_shown_and_nothing_is_compared(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What they would have done is not known."""
    (project / "tests/test_it.py").write_text("def test_it():\n    assert 1 == 2\n")

    status = run(Options())

    said = capsys.readouterr()
    assert (status, said.out) == (1, "")
    assert "assert 1 == 2" in said.err
    assert "mend them, or use --keep-going" in said.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (Options(audit_log=Path("a")), "whose calls in the audit log? Name the operator's user"),
        (Options(user="me"), "--user is for --audit-log"),
        (Options(audit_log=Path("a"), user="me", pytest=("tests",)), "only one of them is read"),
        (Options(dry_run=True), "--dry-run is for --fix"),
        (Options(audit_log=Path("nowhere"), user="me"), "there is no file nowhere"),
        (Options(audit_log=Path("tests"), user="me"), "cannot read the audit log tests: Is a dir"),
        (Options(roles=(Path("nowhere.yaml"),)), "there is no file nowhere.yaml"),
        (Options(operator="nowhere.py"), "cannot load nowhere.py: there is no such file"),
        (Options(pytest=("nowhere",)), "pytest did not run the tests: its arguments are wrong"),
        (Options(pytest=("shop_operator",)), "pytest found no tests in "),
    ],
)
def test_wrong_input_is_told(project: Path, options: Options, said: str) -> None:
    """In one line that says what to do; nothing is written."""
    with pytest.raises(ConfigError) as refused:
        run(options)

    assert said in str(refused.value)


def test_a_place_without_a_project_and_without_an_operator_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newcomer has most likely not changed into the folder."""
    monkeypatch.chdir(tmp_path)

    with pytest.raises(ConfigError, match="which operator"):
        run(Options())


def test_tests_that_run_no_operator_are_told(project: Path) -> None:
    """Every right would be unused."""
    (project / "tests/test_it.py").write_text("def test_it():\n    pass\n")

    with pytest.raises(ConfigError, match=r"1 tests passed, and in none of them did an operator"):
        run(Options())


def test_a_project_without_roles_is_told(project: Path) -> None:
    """They are made by a command."""
    for path in (project / "config/rbac").iterdir():
        path.unlink()

    with pytest.raises(ConfigError, match="run `kubewright manifests`"):
        run(Options())
