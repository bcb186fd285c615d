"""The files that a kustomization may read."""

import pytest

from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.source import Folder

FILES = {"a/x.yaml": "x", "y.yaml": "y", "a/Kustomization": "k", "b/c/kustomization.yml": "c"}
FOLDER = Folder("a", FILES.get)


def test_paths_are_normalised() -> None:
    """The reader gets one path for one file."""
    assert FOLDER.load("./deep/../x.yaml") == "x"
    assert FOLDER.find("none.yaml") is None
    assert Folder(".", FILES.get).load("y.yaml") == "y"


def test_the_file_has_three_names() -> None:
    """All of them are in use."""
    assert FOLDER.find_kustomization() == ("Kustomization", "k")
    assert FOLDER.folder("../b/c").find_kustomization() == ("kustomization.yml", "c")
    assert FOLDER.folder("../b").find_kustomization() is None


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("none.yaml", "there is no file a/none.yaml"),
        (
            "../y.yaml",
            (
                "y.yaml is not in a or below, so kustomize would not read it; copy it there, or"
                " give its folder a kustomization.yaml and name the folder"
            ),
        ),
        ("../../z", "../../z leads out of the folder that all files are read from"),
        ("/etc/passwd", "/etc/passwd is absolute; give a path from a"),
        (
            "https://example.com/x.yaml",
            "https://example.com/x.yaml is remote; download it, and name the file instead",
        ),
        (
            "github.com/a/b?ref=main",
            "github.com/a/b?ref=main is remote; download it, and name the file instead",
        ),
    ],
)
def test_what_may_not_be_read_is_refused(path: str, why: str) -> None:
    """A kustomization is what its folder says, on every machine."""
    with pytest.raises(ProblemError) as caught:
        FOLDER.load(path)

    assert str(caught.value) == why


@pytest.mark.parametrize("path", [".", "..", "../b/../a"])
def test_circles_are_refused(path: str) -> None:
    """They would never end."""
    with pytest.raises(ProblemError, match="the paths make a circle"):
        FOLDER.folder(path)


def test_two_files_are_one_too_many() -> None:
    """One of them would be read, and the other edited."""
    two = {"kustomization.yaml": "", "Kustomization": ""}

    with pytest.raises(ProblemError) as caught:
        Folder(".", two.get).find_kustomization()

    assert str(caught.value) == (
        "the folder . has kustomization.yaml, Kustomization; keep one of them"
    )
