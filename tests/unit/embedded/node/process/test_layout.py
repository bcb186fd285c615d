import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from kubewright.embedded.node.process.layout import PodFolder, rewritten
from kubewright.embedded.node.volumes.material import File, Files
from kubewright.kinds.core.v1 import Container, VolumeMount


def mounted(*mounts: tuple[str, str, str]) -> Container:
    """Return a container with mounts: volume, path and path inside of the volume."""
    return Container(
        name="c",
        volume_mounts=[
            VolumeMount(name=name, mount_path=path, sub_path=inner or None)
            for name, path, inner in mounts
        ],
    )


@pytest.fixture
def folder(tmp_path: Path) -> PodFolder:
    """Give the folder of a pod."""
    return PodFolder(tmp_path / "pod", tmp_path / "claims")


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("/data", "/real/data"),
        ("/data/x.yaml", "/real/data/x.yaml"),
        ("--config=/data/x", "--config=/real/data/x"),
        ("cat /data/a /data/b", "cat /real/data/a /real/data/b"),
        ("'/data'", "'/real/data'"),
        ("/data:/usr/bin", "/real/data:/usr/bin"),
        ("/data/sub/x", "/real/sub/x"),
        ("/database", "/database"),
        ("/data-old", "/data-old"),
        ("/my/data", "/my/data"),
        ("http://host/data", "http://host/data"),
        ("nothing", "nothing"),
    ],
)
def test_mount_paths_are_replaced_where_they_are_meant(text: str, result: str) -> None:
    """As words of their own or at the beginning of a path, and nowhere else."""
    places = {"/data": Path("/real/data"), "/data/sub": Path("/real/sub")}

    assert rewritten(text, places) == result
    assert rewritten(text, {}) == text


def test_what_is_mounted_is_found_below_the_root(folder: PodFolder) -> None:
    """A process begins there, so ``etc/conf/a`` is right."""
    folder.write({"conf": Files({"a": File(b"1")}), "work": Files()})

    places = folder.make_root(mounted(("conf", "/etc/conf", ""), ("work", "/data/", "")))

    root = folder.root("c")
    assert (root / "etc/conf/a").read_bytes() == b"1"
    (root / "data/x").write_text("x")
    assert (folder.volume("work") / "x").exists()
    assert places["/etc/conf"] == root / "etc/conf"
    assert places["/data"] == root / "data"
    assert places["/dev/termination-log"].exists()


def test_a_restart_finds_its_volumes_and_nothing_else(folder: PodFolder) -> None:
    """What a container writes outside of its volumes ends with it."""
    folder.write({"work": Files()})
    container = mounted(("work", "/data", ""))
    folder.make_root(container)
    (folder.root("c") / "scratch").write_text("x")
    (folder.root("c") / "data/kept").write_text("x")

    folder.make_root(container)

    assert not (folder.root("c") / "scratch").exists()
    assert (folder.root("c") / "data/kept").exists()


def test_a_sub_path_is_a_part_of_a_volume(folder: PodFolder) -> None:
    """A file of a ConfigMap, or a folder of its own in a shared one."""
    folder.write({"conf": Files({"a": File(b"1"), "d/b": File(b"2")}), "work": Files()})

    folder.make_root(
        mounted(("conf", "/etc/a.conf", "a"), ("conf", "/etc/d", "d"), ("work", "/w", "mine"))
    )

    root = folder.root("c")
    assert (root / "etc/a.conf").read_bytes() == b"1"
    assert (root / "etc/d/b").read_bytes() == b"2"
    assert (root / "w").resolve() == (folder.volume("work") / "mine").resolve()
    with pytest.raises(OSError, match="leads out of its volume"):
        folder.make_root(mounted(("work", "/w", "../..")))


def test_a_mount_in_another_volume_is_there_for_all_and_after_a_restart(folder: PodFolder) -> None:
    """The link to it lies in that volume, which other containers see, and which stays."""
    folder.write({"work": Files(), "cache": Files(), "conf": Files({"a": File(b"1")})})
    mounts = (("work", "/data", ""), ("cache", "/data/cache", ""), ("conf", "/data/a", "a"))
    container, other = mounted(*mounts), replace(mounted(*mounts), name="other")
    folder.make_root(container)
    (folder.volume("cache") / "x").write_text("x")

    for one in (other, container):
        folder.make_root(one)

    for name in ("c", "other"):
        assert (folder.root(name) / "data/cache/x").read_text() == "x"
        assert (folder.root(name) / "data/a").read_text() == "1"


def test_a_mount_in_a_config_map_stays_when_its_files_change(folder: PodFolder) -> None:
    """Only files that are no longer in the source are removed."""
    folder.write({"conf": Files({"a": File(b"1")}), "work": Files()})
    folder.make_root(mounted(("conf", "/conf", ""), ("work", "/conf/work", "")))

    folder.write({"conf": Files({"b": File(b"1")})})

    found = {one.name for one in folder.volume("conf").iterdir() if one.name[0] != "."}
    assert found == {"b", "work"}


def test_nothing_is_made_in_a_folder_of_the_machine(folder: PodFolder, tmp_path: Path) -> None:
    """What is mounted in it is found by its path, and the folder is left as it was."""
    (tmp_path / "host").mkdir()
    folder.write({"h": Files(link=str(tmp_path / "host")), "work": Files()})

    places = folder.make_root(mounted(("h", "/h", ""), ("work", "/h/deep/work", "")))

    assert places["/h/deep/work"] == folder.volume("work")
    assert not list((tmp_path / "host").iterdir())


def test_a_mount_hides_what_is_in_its_place(folder: PodFolder) -> None:
    """That is not removed; the path means the volume."""
    folder.write({"work": Files(), "cache": Files()})
    (folder.volume("work") / "cache").mkdir()
    (folder.volume("work") / "cache/precious").write_text("x")

    places = folder.make_root(mounted(("work", "/data", ""), ("cache", "/data/cache", "")))

    assert places["/data/cache"] == folder.volume("cache")
    assert (folder.volume("work") / "cache/precious").exists()


def test_a_volume_may_be_the_root(folder: PodFolder) -> None:
    """It is so after a restart, too."""
    folder.write({"work": Files()})
    container = mounted(("work", "/", ""))
    folder.make_root(container)
    (folder.root("c") / "kept").write_text("x")

    folder.make_root(container)

    assert (folder.volume("work") / "kept").exists()
    assert (folder.root("c") / "kept").exists()


def test_files_follow_their_source_in_one_step(folder: PodFolder) -> None:
    """A reader sees all of the old ones or all of the new ones."""
    place = folder.volume("conf")
    folder.write({"conf": Files({"a": File(b"1"), "b": File(b"1")})})
    before = (place / "..data").resolve()

    folder.write({"conf": Files({"a": File(b"2"), "c": File(b"2", 0o600)})})

    assert {one.name for one in place.iterdir() if not one.name.startswith("..")} == {"a", "c"}
    assert (place / "a").read_bytes() == b"2"
    assert (place / "c").stat().st_mode & 0o777 == 0o600
    assert not before.exists()


def test_files_that_are_the_same_are_left_alone(folder: PodFolder) -> None:
    """Programs that watch their configuration are not woken for nothing."""
    folder.write({"v": Files({"a": File(b"1")})})
    before = (folder.volume("v") / "..data").readlink()

    folder.write({"v": Files({"a": File(b"1")})})

    assert (folder.volume("v") / "..data").readlink() == before


def test_pipes_in_a_volume_hold_up_nobody(folder: PodFolder) -> None:
    """A pod puts them where the node reads and writes; to open one waits for ever."""
    folder.write({"v": Files({"a": File(b"1")})})
    place = folder.volume("v")
    for name in ("..v2", "..v3"):
        (place / name).mkdir()
        os.mkfifo(place / name / "a")
    (place / "a").resolve().unlink()
    os.mkfifo((place / "..data").resolve() / "a")

    folder.write({"v": Files({"a": File(b"2")})})
    copied = folder.make_root(mounted(("v", "/etc/a", "a")))["/etc/a"]

    assert (place / "a").read_bytes() == b"2"
    assert copied.read_bytes() == b"2"


def test_a_link_of_a_pod_is_not_followed_to_what_is_removed(
    folder: PodFolder, tmp_path: Path
) -> None:
    """It could lead to a neighbour's volume, or to all files of this machine."""
    folder.write({"v": Files({"a": File(b"1")})})
    (tmp_path / "..vicinity").mkdir()
    data = folder.volume("v") / "..data"
    data.unlink()
    data.symlink_to(tmp_path / "..vicinity")

    folder.write({"v": Files({"a": File(b"2")})})

    assert (tmp_path / "..vicinity").is_dir()
    assert (folder.volume("v") / "a").read_bytes() == b"2"


def test_what_a_pod_puts_in_the_place_of_a_file_stays(folder: PodFolder) -> None:
    """The other files follow their source nevertheless."""
    folder.write({"v": Files({"a": File(b"1"), "b": File(b"1")})})
    mine = folder.volume("v") / "a"
    mine.unlink()
    os.mkfifo(mine)

    folder.write({"v": Files({"a": File(b"2"), "b": File(b"2")})})

    assert mine.is_fifo()
    assert (folder.volume("v") / "b").read_bytes() == b"2"


def test_a_sub_path_over_a_file_stays_when_its_volume_changes(folder: PodFolder) -> None:
    """A ConfigMap whose one file comes from another, which does not follow its source."""
    folder.write({"v": Files({"a": File(b"1")}), "w": Files({"x": File(b"3")})})
    folder.make_root(mounted(("v", "/etc", ""), ("w", "/etc/a", "x")))

    folder.write({"v": Files({"a": File(b"2")}), "w": Files({"x": File(b"4")})})

    assert (folder.volume("v") / "a").read_bytes() == b"3"


def test_folders_of_the_machine_and_of_claims_outlive_the_pod(
    folder: PodFolder, tmp_path: Path
) -> None:
    """Removing a pod must not remove what it was linked to."""
    host = tmp_path / "host"
    folder.write({"h": Files(link=str(host), create=True), "c": Files(kept="shop_data")})
    (folder.volume("h") / "x").write_text("x")
    (folder.volume("c") / "y").write_text("y")

    folder.remove()

    assert not folder.path.exists()
    assert (host / "x").exists()
    assert (tmp_path / "claims/shop_data/y").exists()


def test_a_folder_of_the_machine_that_is_not_there_is_an_error(folder: PodFolder) -> None:
    """Made only if the pod asks for that."""
    with pytest.raises(OSError, match="the path /does/not/exist does not exist"):
        folder.write({"h": Files(link="/does/not/exist")})
