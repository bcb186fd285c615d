from kubewright.embedded.controllers.deployment.revision import (
    HISTORY,
    REVISION,
    annotate,
    expendable,
    find_new,
    next_revision,
    replica_set_for,
)
from kubewright.embedded.controllers.pod_template import HASH_LABEL
from tests.unit.embedded.controllers.deployment.objects import deployment, replica_set


def test_the_set_of_the_present_template_is_found() -> None:
    """The oldest of several, so that all agree on one."""
    old, new, twin = replica_set("bad"), replica_set(age=60), replica_set(age=1)

    assert find_new(deployment(), [twin, old, new]) is new
    assert find_new(deployment(), [old]) is None


def test_a_new_set_has_the_hash_everywhere() -> None:
    """In its name, its labels, its selector and its pods."""
    made = replica_set_for(deployment(3), 7)

    digest = made.metadata.labels[HASH_LABEL]
    assert made.spec.template is not None
    assert made.metadata.name == f"web-{digest}"
    assert made.spec.selector.match_labels == {"app": "web", HASH_LABEL: digest}
    assert made.spec.template.metadata.labels == {"app": "web", HASH_LABEL: digest}
    assert made.metadata.annotations == {
        REVISION: "7",
        "deployment.kubernetes.io/desired-replicas": "3",
        "deployment.kubernetes.io/max-replicas": "4",
    }


def test_another_name_is_tried_when_one_is_taken() -> None:
    """The collision count is part of the hash."""
    made = deployment()
    first = replica_set_for(made, 1).metadata.name

    made.status.collision_count = 1

    assert replica_set_for(made, 1).metadata.name != first


def test_annotations_are_copied_but_for_those_that_belong_to_one_object() -> None:
    """The cause of a change is shown by `kubectl rollout history`."""
    made, one = deployment(), replica_set(revision=2)
    made.metadata.annotations = {
        "kubernetes.io/change-cause": "because",
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
        REVISION: "9",
    }

    annotate(one, made, 2)

    expected = {"kubernetes.io/change-cause": "because", REVISION: "2"}
    assert one.metadata.annotations == expected


def test_a_set_that_comes_back_remembers_its_old_numbers() -> None:
    """But not for ever: annotations have a limit."""
    made, one = deployment(), replica_set(revision=1)

    annotate(one, made, 3)
    annotate(one, made, 5)
    kept = one.metadata.annotations[HISTORY]
    one.metadata.annotations[HISTORY] = ",".join(["12345"] * 333)
    annotate(one, made, 7)

    assert (kept, one.metadata.annotations[REVISION]) == ("1,3", "7")
    assert len(one.metadata.annotations[HISTORY]) <= 2000
    assert one.metadata.annotations[HISTORY].endswith(",5")


def test_the_next_revision_is_one_more_than_any_old_one() -> None:
    """A set without a number, or with nonsense, counts as none."""
    assert next_revision([replica_set(revision=4), replica_set(revision="x")]) == 5
    assert next_revision([]) == 1


def test_the_first_revisions_are_forgotten_unless_they_have_pods() -> None:
    """Whatever their age: a set that came back has a later number."""
    sets = [
        replica_set("back", age=100, revision=5),
        replica_set("first", age=90, revision=1),
        replica_set("busy", 1, age=80, revision=2),
        replica_set("last", age=70, revision=4),
    ]

    names = [one.metadata.name for one in expendable(deployment(), sets)]

    assert names == ["first"]
    assert expendable(deployment(revisionHistoryLimit=None), sets) == []
