"""The files of charts: archives and folders of strangers, and what is packed into them."""

import io
import random
import tarfile
from contextlib import suppress
from pathlib import Path

import pytest

from kubewright.errors import ConfigError
from kubewright.helm import Chart, load_chart
from kubewright.helm.files import LARGEST, check_paths
from tests.unit.helm.charts import SETTINGS, chart

CHART = b"apiVersion: v2\nname: till\nversion: 1.0.0\n"


def packed(files: dict[str, bytes]) -> bytes:
    """Return the .tgz of *files*."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as made:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            made.addfile(member, io.BytesIO(text))
    return data.getvalue()


def test_archives_of_dependencies_are_unpacked(tmp_path: Path) -> None:
    """What their templates ask for counts; ``helm dependency build`` fetches them like this."""
    inner = packed({"bell/Chart.yaml": CHART, "bell/templates/a.yaml": b'{{ lookup "" "" "" "" }}'})
    till = packed({"till/Chart.yaml": CHART, "till/charts/bell-1.0.0.tgz": inner})
    folder = chart().write_to(tmp_path)
    (folder / "charts" / "till-1.0.0").mkdir(parents=True)
    (folder / "charts" / "till-1.0.0" / "Chart.yaml").write_bytes(CHART)
    (folder / "charts" / "till-1.0.0.tgz").write_bytes(till)

    found = load_chart(folder)

    assert found.asks_cluster
    assert not [path for path in found.files if path.endswith(".tgz")]
    assert "charts/till-1.0.0-/charts/bell-1.0.0/templates/a.yaml" in found.files


def test_links_in_a_folder_are_followed_but_not_in_circles(tmp_path: Path) -> None:
    """Charts of one repository share a subchart by a link."""
    shared = tmp_path / "shared"
    (shared / "templates").mkdir(parents=True)
    (shared / "Chart.yaml").write_bytes(CHART)
    (shared / "templates" / "till.yaml").write_text(SETTINGS)
    folder = chart().write_to(tmp_path)
    (folder / "charts").mkdir()
    (folder / "charts" / "till").symlink_to(shared)
    (folder / "charts" / "again").symlink_to(folder)
    (folder / "gone").symlink_to(tmp_path / "none")

    files = load_chart(folder).files

    assert "charts/till/templates/till.yaml" in files
    assert not [path for path in files if path.startswith(("charts/again", "gone"))]


def test_archive_with_an_extra_field_in_its_header_is_read(tmp_path: Path) -> None:
    """``helm package`` writes one."""
    plain = packed({"till/Chart.yaml": CHART, "till/a": bytes(100_000)})
    path = tmp_path / "till.tgz"
    path.write_bytes(plain[:3] + b"\x04" + plain[4:10] + b"\x02\x00ab" + plain[10:])

    assert sorted(load_chart(path).files) == ["Chart.yaml", "a"]


def test_archive_that_is_too_large_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    """A few hundred kilobytes may stand for all of the memory."""
    path = tmp_path / "shop.tgz"
    path.write_bytes(packed({"shop/large": bytes(LARGEST + 1)}))

    with pytest.raises(ConfigError, match=r"too large: large of more than 5 MB"):
        load_chart(path)


def test_damaged_archive_is_told_as_one(tmp_path: Path) -> None:
    """Whatever is wrong with it: a traceback helps nobody."""
    chance = random.Random(1)
    good = packed({"shop/Chart.yaml": CHART, "shop/a": chance.randbytes(2000) + bytes(9000)})
    path = tmp_path / "shop.tgz"
    for place in range(10, len(good), 11):
        path.write_bytes(good[:place] + chance.randbytes(3) + good[place + 3 :])
        with suppress(ConfigError):  # and nothing else
            load_chart(path)
    path.write_bytes(good[:-900])

    with pytest.raises(ConfigError, match="cannot read the chart"):
        load_chart(path)


def test_damaged_archive_of_a_dependency_is_named(tmp_path: Path) -> None:
    """It is one of many files."""
    folder = chart().write_to(tmp_path)
    (folder / "charts").mkdir()
    (folder / "charts" / "till-1.0.0.tgz").write_bytes(b"no")

    with pytest.raises(ConfigError, match=r"cannot read the chart charts/till-1\.0\.0\.tgz in"):
        load_chart(folder)


def test_lines_of_helmignore_in_any_encoding_are_read(tmp_path: Path) -> None:
    """An editor may have written it; and what it leaves behind is no template."""
    folder = chart().write_to(tmp_path)
    (folder / ".helmignore").write_bytes(b"\xff\n*.log\n")
    (folder / "a.log").write_text("x")
    (folder / "templates" / ".settings.yaml.swp").write_text("x")

    assert sorted(load_chart(folder).files) == [
        ".helmignore", "Chart.yaml", "templates/settings.yaml", "values.yaml",
    ]  # fmt: skip


@pytest.mark.parametrize("path", ["/etc/a", "../a", "a/../../b", "a\0b", "Chart.yaml/b"])
def test_paths_that_lead_out_of_the_chart_are_refused(path: str) -> None:
    """They would be written where they lead when the chart is rendered."""
    with pytest.raises(ConfigError, match="the chart shop has"):
        check_paths("shop", ["Chart.yaml", path])


@pytest.mark.parametrize("name", ["../../evil", "/tmp/evil", "a/b", "..", "[a]"])
def test_name_that_is_none_of_a_folder_is_refused(name: str) -> None:
    """The chart is rendered in a folder of its name."""
    with pytest.raises(ConfigError, match="write a name without slashes"):
        Chart("shop", {"Chart.yaml": f"apiVersion: v2\nname: {name}\n".encode()})
