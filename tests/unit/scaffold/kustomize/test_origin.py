"""Where objects come from."""

from kubewright.scaffold.kustomize.collection import Collection
from kubewright.scaffold.kustomize.origin import Origin, forget, note_origin, note_transformation
from kubewright.scaffold.kustomize.resource import resources

ORIGIN = "config.kubernetes.io/origin"
TRANSFORMATIONS = "alpha.config.kubernetes.io/transformations"


def test_paths_are_those_from_where_the_build_began() -> None:
    """Whoever reads the output finds the file."""
    origin = Origin().below("../base").below("a.yaml")

    assert str(origin) == "path: ../base/a.yaml\n"


def test_transformations_are_noted_one_after_the_other() -> None:
    """What comes from no file is the transformation's own."""
    first, second = resources(
        "kind: A\nmetadata: {name: a}\n---\nkind: B\nmetadata: {name: b}\n", place=""
    )
    found = Collection([first, second])
    note_origin(first, Origin().below("a.yaml"))
    by = Origin().by("PrefixTransformer", "kustomization.yaml")

    note_transformation(found, by)
    note_transformation(found, by)

    assert first.annotations[TRANSFORMATIONS].count("- configuredIn: kustomization.yaml\n") == 2
    assert second.annotations[ORIGIN] == str(by)


def test_notes_that_nobody_asked_for_are_removed() -> None:
    """They are made as soon as one of them is wanted."""
    (one,) = resources("kind: A\nmetadata: {name: a}\n", place="")
    note_origin(one, Origin())

    forget(Collection([one]), ["originAnnotations"])
    assert ORIGIN in one.annotations

    forget(Collection([one]), ["managedByLabel"])
    assert not one.annotations
