import io
import tarfile

import pytest

from kubewright.errors import ConfigError
from kubewright.scaffold.helm.archive import unpacked

CHART = {"shop/Chart.yaml": b"name: shop\n", "shop/icon.png": b"\x89PNG\xff"}


def packed(files: dict[str, bytes], *more: tarfile.TarInfo) -> bytes:
    """Return an archive with *files*."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for path, data in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in more:
            archive.addfile(info)
    return stream.getvalue()


def info(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    """Return an entry that is not a file."""
    made = tarfile.TarInfo(name)
    made.type, made.linkname = kind, target
    return made


def test_the_files_of_the_one_folder_are_those_of_the_chart() -> None:
    """Also such that are not text."""
    found = unpacked(packed(CHART, info("shop/templates", tarfile.DIRTYPE)), place="shop.tgz")

    assert found == {"Chart.yaml": "name: shop\n", "icon.png": "\udc89PNG\udcff"}


@pytest.mark.parametrize("path", ["../up", "shop/../../up", "/etc/up", "shop\\..\\..\\up", "C:/up"])
def test_files_outside_of_the_chart_are_refused(path: str) -> None:
    """An archive from anywhere could overwrite what the user has."""
    with pytest.raises(ConfigError, match=r"^shop\.tgz is refused: it has a file .* outside"):
        unpacked(packed({**CHART, path: b"x"}), place="shop.tgz")


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_are_refused(kind: bytes) -> None:
    """What is behind a link is not the chart's."""
    with pytest.raises(ConfigError, match="'shop/a' in it is a link or a device"):
        unpacked(packed(CHART, info("shop/a", kind, "/etc/passwd")), place="shop.tgz")


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "shop.tgz is not an archive of a chart"),
        (b"hello", "shop.tgz is not an archive of a chart"),
        (packed(CHART)[:-30], "shop.tgz is not an archive of a chart"),
        (packed({}), "shop.tgz has no chart: its files should be in one folder"),
        (packed({"Chart.yaml": b"x"}), "shop.tgz has no chart"),
        (packed({"a/Chart.yaml": b"x", "b/Chart.yaml": b"x"}), "shop.tgz has no chart"),
    ],
)
def test_what_is_not_an_archive_of_a_chart_is_refused(data: bytes, fault: str) -> None:
    """A download that broke off, or a page that says that it is not there."""
    with pytest.raises(ConfigError, match=fault):
        unpacked(data, place="shop.tgz")


def test_an_archive_that_becomes_too_large_is_refused() -> None:
    """A few kilobytes of zeros can fill the memory."""
    data = packed({**CHART, "shop/zeros": bytes(101 * 1024 * 1024)})

    with pytest.raises(ConfigError, match="more than 10,000 files or 100 MiB"):
        unpacked(data, place="shop.tgz")
