"""Files that a command writes: all of them or none."""

import subprocess
import sys
from pathlib import Path

import pytest

from kubewright.cli.files import FileChange, changes_of, check_new, diff_of, lines_of, write
from kubewright.errors import ConfigError


def test_files_are_written_with_their_folders(tmp_path: Path) -> None:
    """A scaffold is many files in folders that are not there yet."""
    changes = changes_of(tmp_path, {"a/b/one.txt": "1\n", "two.txt": "2\n"})

    write(tmp_path, changes)

    assert (tmp_path / "a/b/one.txt").read_text() == "1\n"
    assert list(lines_of(changes)) == ["create  a/b/one.txt", "create  two.txt"]


def test_a_file_that_is_as_it_should_be_is_left_alone(tmp_path: Path) -> None:
    """Its time of change stays, so that make does not build again what depends on it."""
    (tmp_path / "one.txt").write_text("1\n")
    before = (tmp_path / "one.txt").stat()

    changes = changes_of(tmp_path, {"one.txt": "1\n"})
    write(tmp_path, changes)

    assert list(lines_of(changes)) == []
    assert (tmp_path / "one.txt").stat().st_ino == before.st_ino


def test_when_one_file_cannot_be_written_the_folder_is_as_it_was(tmp_path: Path) -> None:
    """Half a project is worse than none: people would have to find out what is missing."""
    (tmp_path / "kept.txt").write_text("old\n")
    changes = changes_of(tmp_path, {"kept.txt": "new\n", "x/new.txt": "1\n", "y/z.txt": "2\n"})
    (tmp_path / "y").write_text("a file where a folder should be")

    with pytest.raises(ConfigError, match=r"cannot write .*/y.*Nothing was changed"):
        write(tmp_path, changes)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept.txt", "y"]
    assert (tmp_path / "kept.txt").read_text() == "old\n"


def test_what_cannot_be_put_back_is_named_and_the_rest_is_put_back(tmp_path: Path) -> None:
    """On a full disk, the old text of a file may have no room; that is no reason to stop there."""
    (tmp_path / "PROJECT").write_text("old\n")
    (tmp_path / "big.txt").write_text("old\n" * 50_000)
    (tmp_path / "small.txt").write_text("old\n")
    script = """
import resource, signal, sys
from pathlib import Path
from kubewright.cli.files import changes_of, write

root = Path(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # so that a file that is too large is an OSError
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
texts = {"PROJECT": "x" * 200_000, "big.txt": "small", "made/a.txt": "1", "small.txt": "2"}
write(root, changes_of(root, texts))
"""

    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=False
    )

    said = done.stderr.splitlines()[-1]
    assert f"cannot write {tmp_path}/PROJECT: File too large. These files could not be" in said
    assert "are not as they were: big.txt. Restore them, for instance with git" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["PROJECT", "big.txt", "small.txt"]
    assert (tmp_path / "PROJECT").read_text() == (tmp_path / "small.txt").read_text() == "old\n"


def test_a_file_can_go(tmp_path: Path) -> None:
    """The CRD of a class that was removed should not be applied for ever."""
    (tmp_path / "old.yaml").write_text("old\n")
    changes = changes_of(tmp_path, {"old.yaml": None})

    write(tmp_path, changes)

    assert list(lines_of(changes)) == ["delete  old.yaml"]
    assert not (tmp_path / "old.yaml").exists()


def test_the_mode_of_a_file_stays(tmp_path: Path) -> None:
    """A script stays executable when it is updated."""
    (tmp_path / "run").write_text("old\n")
    (tmp_path / "run").chmod(0o750)

    write(tmp_path, changes_of(tmp_path, {"run": "new\n"}))

    assert (tmp_path / "run").stat().st_mode & 0o777 == 0o750


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    """People share a file between folders; an own copy would part from it unseen."""
    shared, link = tmp_path / "shared/rbac.yaml", tmp_path / "config/rbac/kustomization.yaml"
    for place in (shared, link):
        place.parent.mkdir(parents=True)
    shared.write_text("old\n")
    link.symlink_to("../../shared/rbac.yaml")
    (tmp_path / "later").symlink_to("made/later.txt")

    write(tmp_path, changes_of(tmp_path, {"config/rbac/kustomization.yaml": "new\n", "later": "1"}))

    assert (link.is_symlink(), shared.read_text()) == (True, "new\n")
    assert ((tmp_path / "later").is_symlink(), (tmp_path / "made/later.txt").read_text()) == (
        True,
        "1",
    )


def test_a_link_that_goes_leaves_what_it_led_to_and_comes_back_as_a_link(tmp_path: Path) -> None:
    """The file is another's, too."""
    (tmp_path / "file").write_text("mine\n")
    (tmp_path / "a.py").symlink_to("file")
    (tmp_path / "b.py").mkdir()
    failing = [FileChange("a.py", "mine\n", None), FileChange("b.py", "", None)]

    with pytest.raises(ConfigError, match="Nothing was changed"):
        write(tmp_path, failing)
    assert (tmp_path / "a.py").readlink() == Path("file")

    write(tmp_path, failing[:1])
    assert not (tmp_path / "a.py").is_symlink()
    assert (tmp_path / "file").read_text() == "mine\n"


def test_a_link_that_leads_out_meanwhile_is_not_written_through(tmp_path: Path) -> None:
    """Nothing outside of the folder is ever written without a word."""
    root = tmp_path / "project"
    root.mkdir()
    changes = changes_of(root, {"a": "1\n", "b": "2\n"})
    (tmp_path / "outside").write_text("not ours")
    (root / "b").symlink_to("../outside")

    with pytest.raises(ConfigError, match=r"leads out of .* by a link"):
        write(root, changes)

    assert (tmp_path / "outside").read_text() == "not ours"
    assert not (root / "a").exists()


def test_ends_of_lines_stay(tmp_path: Path) -> None:
    """With git's autocrlf, every line of the file would be a change."""
    texts = {"crlf": b"a\r\nb\r\n", "lf": b"a\nb\n", "mixed": b"a\r\nb\nc\n", "same": b"x\r\n"}
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text)
    wanted = {"crlf": "a\nc\n", "lf": "a\nc\n", "mixed": "a\n", "same": "x\n", "new": "x\n"}

    changes = changes_of(tmp_path, wanted)
    write(tmp_path, changes)

    found = {name: (tmp_path / name).read_bytes() for name in wanted}
    assert found == {
        "crlf": b"a\r\nc\r\n",
        "lf": b"a\nc\n",
        "mixed": b"a\n",
        "same": b"x\r\n",
        "new": b"x\n",
    }
    assert [one.path for one in changes if one.action == "keep"] == ["same"]


def test_files_of_users_are_named_before_they_are_overwritten(tmp_path: Path) -> None:
    """Nothing of theirs is lost without their word."""
    (tmp_path / "Makefile").write_text("mine\n")
    changes = changes_of(tmp_path, {"Makefile": "ours\n", "README.md": "ours\n"})

    with pytest.raises(ConfigError, match=r"there already: Makefile\. Use --force"):
        check_new(changes, hint="Use --force")


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("folder", "is a folder, where a file should be"),
        ("file/x", "a folder above it is a file"),
        ("binary", "is not a text in UTF-8"),
        ("link", "leads out of .* by a link"),
        ("circle", "is a link that leads to itself"),
    ],
)
def test_what_is_in_the_way_is_named(tmp_path: Path, wanted: str, message: str) -> None:
    """Each is found before anything is written."""
    root = tmp_path / "project"
    (root / "folder").mkdir(parents=True)
    (root / "file").write_text("")
    (root / "binary").write_bytes(b"\xff\xfe")
    (tmp_path / "outside").write_text("not ours")
    (root / "link").symlink_to(tmp_path / "outside")
    (root / "circle").symlink_to("circle")

    with pytest.raises(ConfigError, match=message):
        changes_of(root, {wanted: "text\n"})


def test_a_dry_run_says_what_would_happen(tmp_path: Path) -> None:
    """The same words, in a form that cannot be taken for done."""
    changes = changes_of(tmp_path, {"one.txt": "1\n"})

    assert list(lines_of(changes, dry_run=True)) == ["would create  one.txt"]


def test_changes_are_shown_as_a_patch(tmp_path: Path) -> None:
    """``git apply`` and people read it."""
    (tmp_path / "one.txt").write_text("a\nb\n")

    text = diff_of(changes_of(tmp_path, {"one.txt": "a\nc", "two.txt": "x\n"}))

    assert text.splitlines() == [
        *("--- a/one.txt", "+++ b/one.txt", "@@ -1,2 +1,2 @@", " a", "-b", "+c"),
        r"\ No newline at end of file",
        *("--- /dev/null", "+++ b/two.txt", "@@ -0,0 +1 @@", "+x"),
    ]


def test_only_line_feeds_end_the_lines_of_a_patch() -> None:
    """A form feed or a separator of Unicode in a line would make a patch that fits nowhere."""
    text = diff_of([FileChange("a.txt", "a\fb\u2028c\n", "a\fb\u2028d\r\n")])

    assert text.endswith("@@ -1 +1 @@\n-a\fb\u2028c\n+a\fb\u2028d\r\n")


def test_a_file_keeps_its_encoding(tmp_path: Path) -> None:
    """Python reads a module by the encoding that its first line names."""
    write(tmp_path, [FileChange("a.py", None, "# coding: latin-1\né\n", "latin-1")])

    assert (tmp_path / "a.py").read_bytes() == b"# coding: latin-1\n\xe9\n"


def test_bytes_that_are_not_text_are_kept_as_they_are(tmp_path: Path) -> None:
    """Charts have pictures, and archives of other charts, and a failed write puts them back."""
    old, new = b"\x89PNG\xff", b"\xfe\x00"
    (tmp_path / "icon.png").write_bytes(old)
    (tmp_path / "y").write_text("a file where a folder should be")
    text = new.decode("utf-8", "surrogateescape")

    with pytest.raises(ConfigError, match="a folder above it is a file"):
        changes_of(tmp_path, {"icon.png": text, "y/z": "1"})
    write(tmp_path, changes_of(tmp_path, {"icon.png": text}))

    assert (tmp_path / "icon.png").read_bytes() == new


def test_bytes_are_not_given_other_ends_of_lines(tmp_path: Path) -> None:
    """What looks like the end of a line in a picture is not one."""
    new = b"\x89PNG\n\xff\n"
    (tmp_path / "icon.png").write_bytes(b"\x89PNG\r\n\x1a\r\n")

    write(tmp_path, changes_of(tmp_path, {"icon.png": new.decode("utf-8", "surrogateescape")}))

    assert (tmp_path / "icon.png").read_bytes() == new


def test_a_text_does_not_replace_bytes(tmp_path: Path) -> None:
    """Whatever they are, they are not what the scaffold wrote."""
    (tmp_path / "Makefile").write_bytes(b"\xff")

    with pytest.raises(ConfigError, match=r"is not a text in UTF-8\. Move it away"):
        changes_of(tmp_path, {"Makefile": "all:\n"})
