from pathlib import Path

from kubewright.embedded.storage.folders import Folders
from tests.unit.embedded.storage.samples import claim


def leaves(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


async def test_a_folder_comes_and_goes(tmp_path: Path) -> None:
    """Twice is as good as once: whoever was killed does it again."""
    folders = Folders(tmp_path / "node" / "claims", real=True)
    place = folders.path("pvc-1", claim())
    for _ in range(2):
        folders.make("pvc-1", claim())
    (place / "deep").mkdir()

    for _ in range(2):
        await folders.remove(place.name)

    assert place.name == "pvc-1_default_data"
    assert leaves(tmp_path / "node" / "claims") == []
    assert (tmp_path / "node").stat().st_mode & 0o077 == 0


async def test_simulated_pods_leave_the_disk_alone(tmp_path: Path) -> None:
    """They have no files."""
    folders = Folders(tmp_path / "claims")

    folders.make("pvc-1", claim())
    await folders.remove("pvc-1_default_data")

    assert leaves(tmp_path) == []
