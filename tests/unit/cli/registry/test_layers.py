"""The files in the layers of an image."""

import io
import tarfile

import pytest

from kubewright.cli.registry.layers import unpack
from kubewright.errors import ConfigError
from tests.unit.cli.registry.server import layer

FOLDERS = ("manifests", "metadata")


def test_the_last_layer_wins() -> None:
    """With what it takes away."""
    first = layer({"manifests/a.yaml": "1", "manifests/b.yaml": "1", "etc/passwd": "x"})
    second = layer({"./manifests/a.yaml": "2", "manifests/.wh.b.yaml": ""}, packed=False)

    assert unpack([first, second], FOLDERS) == {"manifests/a.yaml": "2"}


def test_a_whole_folder_can_be_taken_away() -> None:
    """In either of the two ways that there are."""
    first = layer({"manifests/a.yaml": "1", "metadata/b.yaml": "1"})

    assert unpack([first, layer({"manifests/.wh..wh..opq": ""})], FOLDERS) == {
        "metadata/b.yaml": "1"
    }
    assert unpack([first, layer({".wh.metadata": ""})], FOLDERS) == {"manifests/a.yaml": "1"}


def test_links_and_paths_that_lead_out_are_left_out() -> None:
    """Nothing is written to disk, and nothing is read from there."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as archive:
        link = tarfile.TarInfo("manifests/passwd.yaml")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        hard = tarfile.TarInfo("manifests/hard.yaml")
        hard.type, hard.linkname = tarfile.LNKTYPE, "/etc/passwd"
        archive.addfile(hard)
        for name in ("../../manifests/up.yaml", "manifests/../../etc/out.yaml"):
            archive.addfile(tarfile.TarInfo(name))
        binary = tarfile.TarInfo("manifests/logo.png")
        binary.size = 1
        archive.addfile(binary, io.BytesIO(b"\xff"))

    assert unpack([plain.getvalue()], FOLDERS) == {"manifests/up.yaml": ""}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"nonsense" * 100, "a layer of the image is not an archive"),
        (b"\x1f\x8bnonsense", "a layer of the image cannot be unpacked"),
        (layer({"a": "b"})[:-20], "a layer of the image cannot be unpacked"),
        (layer({"manifests/a": "0" * 100_000}), "that is not a bundle"),
    ],
)
def test_what_is_no_layer_is_refused(data: bytes, message: str) -> None:
    """Also one that becomes endless when it is unpacked."""
    with pytest.raises(ConfigError, match=message):
        unpack([data], FOLDERS, limit=50_000)
