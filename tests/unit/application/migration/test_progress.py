"""The file that says how far a migration has come."""

from pathlib import Path

import msgspec

from kubewright.application.migration.definition import Definition
from kubewright.application.migration.progress import Progress, ProgressFile


def definition(uid: str = "1", storage: str = "v2") -> Definition:
    """Return a CRD."""
    return msgspec.convert(
        {
            "metadata": {"name": "shops.example.com", "uid": uid, "resourceVersion": "7"},
            "spec": {
                "group": "example.com",
                "scope": "Namespaced",
                "names": {"plural": "shops", "kind": "Shop"},
                "versions": [{"name": name, "storage": name == storage} for name in ("v1", "v2")],
            },
        },
        Definition,
    )


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    """By a later process."""
    progress = Progress(3, "token", 12, failed={"default/a": "no"})
    ProgressFile(tmp_path / "new", "https://a", definition()).save(progress)

    found = ProgressFile(tmp_path / "new", "https://a", definition()).load(3)

    assert found == progress


def test_each_server_crd_and_version_has_its_own(tmp_path: Path) -> None:
    """Progress elsewhere says nothing about this one."""
    ProgressFile(tmp_path, "https://a", definition()).save(Progress(3, migrated=12))

    others = [
        ProgressFile(tmp_path, "https://b", definition()),
        ProgressFile(tmp_path, "https://a", definition(uid="2")),
        ProgressFile(tmp_path, "https://a", definition(storage="v1")),
    ]

    assert [one.load(3) for one in others] == [Progress(3)] * 3


def test_progress_with_an_older_crd_is_not_loaded(tmp_path: Path) -> None:
    """The storage version may have been another one in between."""
    file = ProgressFile(tmp_path, "https://a", definition())
    file.save(Progress(3, migrated=12))

    assert file.load(4) == Progress(4)


def test_a_damaged_file_is_no_progress(tmp_path: Path) -> None:
    """To begin anew is always right."""
    file = ProgressFile(tmp_path, "https://a", definition())
    file.save(Progress(3, migrated=12))
    next(tmp_path.iterdir()).write_text("{")

    assert file.load(3) == Progress(3)


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """Neither after the end, nor if there never was anything."""
    file = ProgressFile(tmp_path, "https://a", definition())
    file.save(Progress(3))

    file.clear()
    file.clear()

    assert list(tmp_path.iterdir()) == []


def test_without_a_folder_nothing_is_kept() -> None:
    """A program that wants no file gets none."""
    file = ProgressFile(None, "https://a", definition())

    file.save(Progress(3, migrated=12))

    assert file.load(3) == Progress(3)
