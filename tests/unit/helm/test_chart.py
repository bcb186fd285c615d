"""Charts: their files, and what can be told from these."""

import io
import tarfile
from base64 import b64decode
from pathlib import Path

import pytest

from kubewright.errors import ConfigError
from kubewright.helm import Chart, load_chart
from tests.unit.helm.charts import chart


def archive(files: dict[str, str]) -> bytes:
    """Return the .tgz of a chart, as ``helm package`` makes it."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as made:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            made.addfile(member, io.BytesIO(text.encode()))
    return data.getvalue()


def test_folder_and_archive_are_the_same_chart(tmp_path: Path) -> None:
    """Users have either; releases must not change when one is exchanged for the other."""
    of = chart()
    folder = of.write_to(tmp_path)
    packed = tmp_path / "shop.tgz"
    packed.write_bytes(archive({f"shop/{path}": text.decode() for path, text in of.files.items()}))

    assert load_chart(folder).digest == load_chart(packed).digest == of.digest


def test_helmignore_is_followed(tmp_path: Path) -> None:
    """A release would carry what is in the folder by chance, up to the limit of a Secret."""
    folder = chart(_helmignore="*.log\ndrafts/\n", a_log="x", drafts__b_txt="x").write_to(tmp_path)
    (folder / "kept.txt").write_text("x")

    assert {path for path in load_chart(folder).files if "." in path} >= {"kept.txt"}
    assert not {"a.log", "drafts/b.txt"} & set(load_chart(folder).files)


def test_versions_are_texts_as_they_are_written() -> None:
    """An appVersion of 1.10 is not 1.1."""
    of = Chart("shop", {"Chart.yaml": b"name: shop\nversion: 0.1.0\nappVersion: 1.10\n"})

    assert of.metadata["appVersion"] == "1.10"


def test_record_is_what_helm_stores() -> None:
    """``helm get`` and ``helm status`` read it."""
    record = chart(values__schema_json="").record()

    assert record["metadata"]["name"] == "shop"
    assert [one["name"] for one in record["templates"]] == ["templates/settings.yaml"]
    assert b64decode(record["templates"][0]["data"]).startswith(b"apiVersion: v1")
    assert record["values"] == {"colour": "blue"}


def test_questions_of_templates_are_seen() -> None:
    """They say what a rendering depends on besides the values."""
    of = chart(
        {
            "a.yaml": '{{ lookup "v1" "Secret" "a" "b" }}{{ randAlphaNum 3 }}',
            "b.yaml": '{{ .Capabilities.APIVersions.Has "example.com/v1" }}',
            "c.yaml": "{{ .Release.Revision }}{{ .Capabilities.KubeVersion.Minor }}",
        }
    )

    assert (of.asks_cluster, of.is_random, of.asks_revision, of.asks_version) == (True,) * 4
    assert of.asked_apis == ("example.com/v1",)
    plain = chart()
    assert not any([plain.asks_cluster, plain.is_random, plain.asks_revision, plain.asks_version])


def test_definitions_of_dependencies_count() -> None:
    """Helm installs the CRDs of subcharts, too."""
    of = chart()
    of.files["charts/sub/crds/a.yaml"] = b"kind: CustomResourceDefinition\n"

    assert of.definitions == [{"kind": "CustomResourceDefinition"}]


def test_file_that_is_not_yaml_is_named(tmp_path: Path) -> None:
    """With its line."""
    with pytest.raises(ConfigError, match=r"shop/values\.yaml:2 is not YAML"):
        chart(values="a: 1\nb: : c\n")


def test_missing_chart_says_what_to_name(tmp_path: Path) -> None:
    """The path may be wrong, or a folder that holds something else."""
    with pytest.raises(ConfigError, match="there is no chart"):
        load_chart(tmp_path / "none")
    with pytest.raises(ConfigError, match=r"no Chart\.yaml"):
        load_chart(tmp_path)
    (tmp_path / "a.tgz").write_text("no")
    with pytest.raises(ConfigError, match="cannot read the chart"):
        load_chart(tmp_path / "a.tgz")


def test_paths_out_of_an_archive_are_not_followed(tmp_path: Path) -> None:
    """An archive from a stranger must not write where it likes."""
    path = tmp_path / "shop.tgz"
    path.write_bytes(archive({"shop/Chart.yaml": "name: shop\n", "shop/../../evil": "x"}))

    assert list(load_chart(path).files) == ["Chart.yaml"]


def test_values_of_a_chart_that_no_memory_holds_are_refused() -> None:
    """When it is read, and not in the middle of a release."""
    with pytest.raises(ConfigError, match=r"shop/values\.yaml is nested too deeply"):
        chart(values=f"a: {'[' * 300}{']' * 300}\n")
