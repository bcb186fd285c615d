"""Where a bundle comes from."""

from pathlib import Path

import pytest

from kubewright.cli.bundle.source import read_source
from kubewright.errors import ConfigError
from tests.unit.bundle.sample import files
from tests.unit.cli.registry.server import layer, serving


def test_an_image_is_as_good_as_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its digest is known then, and OLM gets that."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    for path, text in files().items():
        place = tmp_path / "bundle" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    with serving() as registry:
        digest = registry.add("shop-bundle:v1", layer(files()))

        pulled = read_source(f"{registry.host}/shop-bundle:v1")
    read = read_source("bundle/")

    assert pulled.texts == read.texts == files()
    assert pulled.image == f"{registry.host}/shop-bundle@{digest}"
    assert (read.image, read.bundle.root) == ("", "bundle")


def test_a_folder_may_have_the_name_of_an_image(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is there, is meant."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop:v1").mkdir()

    assert read_source("shop:v1").texts == {}


@pytest.mark.parametrize(
    ("name", "message"),
    [("", "Its name is empty"), ("none", "there is no bundle none"), ("A:b", "is not the name of")],
)
def test_what_is_neither_is_refused(name: str, message: str) -> None:
    """With what it should be."""
    with pytest.raises(ConfigError, match=message):
        read_source(name)
