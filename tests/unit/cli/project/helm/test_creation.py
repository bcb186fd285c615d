import shutil
from pathlib import Path

import pytest
import yaml

from kubewright.cli.project.folder import get_project
from kubewright.cli.project.helm.creation import HelmKind, check_names
from kubewright.cli.project.helm.creation import run as add
from kubewright.cli.project.helm.options import ChartOptions
from kubewright.errors import ConfigError
from kubewright.scaffold.helm.chart import Chart
from kubewright.scaffold.wanted import Wanted
from tests.unit.cli.project.running import run, tree_of

NAMES = ("--group", "cache", "--version", "v1alpha1", "--kind", "Memcached")
CHART = ("--helm-chart", "../memcached")


def rendered(chart: Chart) -> str:
    """Return what a chart is with its default values."""
    return "apiVersion: apps/v1\nkind: StatefulSet\n"


def not_rendered(chart: Chart) -> str:
    """Refuse, as helm does."""
    raise ConfigError("helm says: set a password")


def kind(*, force: bool = False, name: str = "Memcached", schema: str = "") -> HelmKind:
    """Return a kind to make of the chart beside the project."""
    return HelmKind(
        wanted=Wanted(group="cache", version="v1alpha1", kind=name),
        chart=ChartOptions(chart="../memcached", crd_schema=schema),
        force=force,
    )


def rules(project: Path) -> list[dict[str, list[str]]]:
    """Return the rules of the operator."""
    found: list[dict[str, list[str]]] = yaml.safe_load(
        (project / "config/rbac/role.yaml").read_text()
    )["rules"]
    return found


def test_a_chart_is_copied_and_watched(project: Path) -> None:
    """And the role has what it installs."""
    add(kind(), get_project(), dry_run=False, rendered=rendered)

    assert (project / "helm-charts/memcached/values.yaml").read_text().endswith("size: 1\n")
    assert yaml.safe_load((project / "watches.yaml").read_text()) == [
        {
            "group": "cache.example.com",
            "version": "v1alpha1",
            "kind": "Memcached",
            "chart": "helm-charts/memcached",
        }
    ]
    assert rules(project)[-1]["resources"] == ["statefulsets"]
    assert "kind: Memcached" in (project / "PROJECT").read_text()


def test_names_that_are_left_out_are_those_of_the_chart(project: Path) -> None:
    """As operator-sdk chooses them."""
    run("create", "api", *CHART)

    [entry] = yaml.safe_load((project / "watches.yaml").read_text())
    assert (entry["group"], entry["version"], entry["kind"]) == (
        "charts.example.com", "v1alpha1", "Memcached",
    )  # fmt: skip


def test_without_a_chart_there_is_a_new_one(project: Path) -> None:
    """It installs what most applications have."""
    said = run("create", "api", *NAMES, "--resource", "--controller")

    assert "create  helm-charts/memcached/templates/deployment.yaml\n" in said
    assert said.endswith(
        "Next: look at config/rbac/role.yaml and the sample, then make install run\n"
    )


def test_a_whole_group_is_understood(project: Path) -> None:
    """People copy it from a manifest."""
    run("create", "api", "--group", "cache.example.com", *NAMES[2:], *CHART)

    assert "group: cache\n" in (project / "PROJECT").read_text()


def test_a_chart_that_is_not_rendered_gets_the_rights_of_its_templates(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a word about it, and what to do."""
    add(kind(), get_project(), dry_run=False, rendered=not_rendered)

    assert rules(project)[-1]["resources"] == ["deployments"]
    assert (
        "kubewright: helm-charts/memcached was not rendered, so config/rbac/role.yaml allows what"
        " its templates name, needed or not: helm says: set a password. Look at it, and add what is"
        " missing\n"
    ) in capsys.readouterr().err


def test_charts_that_are_missing_and_schemas_that_lose_something_are_told(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both would be found out on the cluster only."""
    chart = project.parent / "memcached"
    about = (chart / "Chart.yaml").read_text()
    (chart / "Chart.yaml").write_text(f"{about}dependencies:\n- name: redis\n")
    (chart / "values.schema.json").write_text(
        '{"properties": {"size": {"type": "integer", "if": 1}}}'
    )

    add(kind(schema="values"), get_project(), dry_run=False, rendered=rendered)

    said = capsys.readouterr().err
    assert (
        "depends on redis, which is not in its folder charts: run `helm dependency update" in said
    )
    assert "not in the schema of the CRD: size: if is left out, which a CRD cannot say" in said


def test_a_kind_is_made_again_with_force(project: Path) -> None:
    """Files of the old chart that the new one does not have go."""
    add(kind(), get_project(), dry_run=False, rendered=rendered)
    chart = project.parent / "memcached"
    (chart / "templates/a.yaml").rename(chart / "templates/b.yaml")
    with pytest.raises(ConfigError, match=r"has Memcached of cache\.example\.com/v1alpha1 already"):
        add(kind(), get_project(), dry_run=False, rendered=rendered)

    add(kind(force=True), get_project(), dry_run=False, rendered=rendered)

    there = {path.name for path in (project / "helm-charts/memcached/templates").iterdir()}
    assert there == {"b.yaml"}
    assert len(yaml.safe_load((project / "watches.yaml").read_text())) == 1
    assert sum(one["resources"] == ["statefulsets"] for one in rules(project)) == 1


def test_a_folder_that_is_in_the_way_is_not_mixed_with_the_chart(project: Path) -> None:
    """Templates of both would be installed."""
    old = project / "helm-charts/memcached/templates/old.yaml"
    old.parent.mkdir(parents=True)
    old.write_text("mine")
    before = tree_of(project)

    with pytest.raises(ConfigError, match="there is a chart in helm-charts/memcached already"):
        run("create", "api", *NAMES, *CHART)

    assert tree_of(project) == before


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("--kind", "Memcached"), "Missing option '--group': a kind has a group, a version"),
        ((*NAMES[:5], "memcached"), "--kind: 'memcached' is not in CamelCase"),
        ((*NAMES[:3], "alpha", *NAMES[4:]), "--version: 'alpha' is not a version of an API"),
        (("--group", "a_b", *NAMES[2:]), "--group: 'a_b' cannot be part of an API group"),
        ((*NAMES, "--plural", "A B"), "--plural: 'A B' is not a name"),
        ((*NAMES, "--no-namespaced"), "--no-namespaced: a release is in the namespace of its"),
        ((*NAMES, "--no-controller"), "--no-controller is for projects in Python"),
        ((*NAMES, "--no-resource"), "--no-resource is for projects in Python"),
        ((*NAMES, "--image", "a:1"), "--image is for projects in Python"),
        ((*NAMES, "--external-api-domain", "io"), "--external-api-domain is for projects in"),
        ((*NAMES, "--helm-chart", "../nothing"), "there is no folder and no archive ../nothing"),
        ((*NAMES, "--helm-chart-version", "1"), "--helm-chart-version goes with --helm-chart"),
        ((*NAMES, "--crd-schema", "yes"), "--crd-schema: 'yes' is not known"),
        ((*NAMES, *CHART, "--helm-chart-repo", "x"), "'x' is not the address of a repository"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_written(
    words: tuple[str, ...], fault: str, project: Path
) -> None:
    """Half a kind is worse than none."""
    before = tree_of(project)

    with pytest.raises(ConfigError) as refused:
        run("create", "api", *words)

    assert fault in str(refused.value)
    assert tree_of(project) == before


@pytest.mark.parametrize(
    ("path", "text", "fault"),
    [
        ("Chart.yaml", "name: [\n", "../memcached/Chart.yaml:2: this is not YAML"),
        ("Chart.yaml", "apiVersion: v2\nname: ../up\nversion: 1\n",
         "../memcached/Chart.yaml:2: a chart cannot be called '../up'"),
        ("values.yaml", "a: 1\n\tb: 2\n", "../memcached/values.yaml:2: this is not YAML"),
        ("values.schema.json", "{\n", "helm-charts/memcached/values.schema.json:2: this is not"),
    ],
)  # fmt: skip
def test_a_broken_chart_is_refused_with_file_and_line(
    path: str, text: str, fault: str, project: Path
) -> None:
    """Nothing of it gets into the project."""
    (project.parent / "memcached" / path).write_text(text)
    before = tree_of(project)

    with pytest.raises(ConfigError) as refused:
        run("create", "api", *NAMES, *CHART, "--crd-schema", "values")

    assert fault in str(refused.value)
    assert tree_of(project) == before


def test_a_kind_has_one_version(project: Path) -> None:
    """Nothing converts between two of them."""
    run("create", "api", *NAMES, *CHART)

    with pytest.raises(
        ConfigError, match="Memcached is in this project already, in version v1alph"
    ):
        run("create", "api", *NAMES[:2], "--version", "v1", "--kind", "Memcached", *CHART)


def test_there_are_no_webhooks_without_code(project: Path) -> None:
    """The message says what a chart can check instead."""
    run("create", "api", *NAMES, *CHART)

    with pytest.raises(ConfigError, match="charts instead of code, and webhooks are functions"):
        run("create", "webhook", *NAMES, "--defaulting")


def test_a_dry_run_writes_nothing(project: Path) -> None:
    """It says what would be written."""
    before = tree_of(project)

    said = run("create", "api", *NAMES, *CHART, "--dry-run")

    assert "would create  helm-charts/memcached/Chart.yaml\n" in said
    assert "would update  watches.yaml\n" in said
    assert tree_of(project) == before


def test_names_may_be_left_out_with_a_chart_only() -> None:
    """There is nothing else that they could be made of."""
    nameless = Wanted(group="", version="", kind="")

    check_names(nameless, ChartOptions(chart="a"))
    with pytest.raises(ConfigError, match="Missing option '--group'"):
        check_names(nameless, ChartOptions())


def test_a_chart_that_is_in_the_project_already_stays_where_it_is(project: Path) -> None:
    """Somebody has written it there, and then makes its kind."""
    home = project / "helm-charts/memcached"
    shutil.copytree(project.parent / "memcached", home)

    said = run("create", "api", *NAMES, "--helm-chart", "helm-charts/memcached")

    assert "helm-charts" not in said.partition("Next")[0].partition("kubewright:")[0]
    assert len(yaml.safe_load((project / "watches.yaml").read_text())) == 1


def test_two_kinds_may_have_one_chart_but_not_two_of_one_name(project: Path) -> None:
    """The second would take the place of the first, even with --force."""
    run("create", "api", *NAMES, *CHART)
    run("create", "api", *NAMES[:5], "Other", *CHART)
    values = project.parent / "memcached/values.yaml"
    values.write_text("size: 2\n")

    with pytest.raises(
        ConfigError, match="helm-charts/memcached has the chart of Memcached already"
    ):
        run("create", "api", *NAMES[:5], "Third", *CHART, "--force")

    assert len(yaml.safe_load((project / "watches.yaml").read_text())) == 2


def test_ends_of_lines_stay_when_a_kind_is_added(project: Path) -> None:
    """A checkout on Windows has others than the scaffold writes."""
    add(kind(), get_project(), dry_run=False, rendered=rendered)
    for path in ("PROJECT", "watches.yaml", "config/rbac/role.yaml"):
        text = (project / path).read_bytes()
        (project / path).write_bytes(text.replace(b"\n", b"\r\n"))
    for file in (project / "helm-charts/memcached").rglob("*.yaml"):
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))

    add(kind(name="Cache"), get_project(), dry_run=False, rendered=rendered)

    for path in ("PROJECT", "watches.yaml", "config/rbac/role.yaml"):
        text = (project / path).read_bytes()
        assert b"ache" in text
        assert text.count(b"\r\n") == text.count(b"\n")
