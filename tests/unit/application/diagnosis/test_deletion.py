from kubewright.api.kind import RESTMapping
from kubewright.api.meta import ObjectMeta
from kubewright.application.diagnosis.deletion import Keeper, judge, judge_namespace
from kubewright.application.diagnosis.finding import Finding
from kubewright.kinds.core.v1 import Namespace
from tests.unit.application.diagnosis.ward import NOW, made, told

SHOPS = RESTMapping("example.com", "v1", "Shop", "shops", namespaced=True)
SUBJECT = "shops.example.com/corner in namespace a"
KEEPER = Keeper(frozenset({"example.com/shop"}), deployment="deployment/shop in namespace shops")


def meta(*finalizers: str, since: str = "2026-11-01T11:30:00Z") -> ObjectMeta:
    """Return the metadata of an object that is being deleted."""
    names = ", ".join(finalizers)
    return made(
        ObjectMeta,
        f"{{name: corner, namespace: a, deletionTimestamp: {since}, finalizers: [{names}]}}",
    )


def judged(one: ObjectMeta, keeper: Keeper = KEEPER) -> list[Finding]:
    """Return the findings after five minutes."""
    return list(judge(one, SHOPS, keeper=keeper, now=NOW, after=300))


def test_our_finalizer_without_an_operator_is_an_error() -> None:
    """Nobody else will remove it; and it goes with the Deployment that is down."""
    (found,) = judged(meta("example.com/shop", "example.com/other"))

    assert told([found]) == [("error", SUBJECT)]
    assert "30 minutes ago" in found.what
    assert found.causes == (KEEPER.deployment,)
    assert found.mend[-1] == (
        "kubectl patch shops.example.com corner --namespace a --type merge --patch"
        """ '{"metadata": {"finalizers": ["example.com/other"]}}'"""
    )


def test_our_finalizer_with_an_operator_that_runs_points_to_its_log() -> None:
    """Its clean-up fails, and it says why."""
    keeper = KEEPER._replace(works=True, ref="deployment/shop --namespace shops")

    (found,) = judged(meta("example.com/shop"), keeper)

    assert told([found]) == [("warning", SUBJECT)]
    assert found.mend == ("kubectl logs deployment/shop --namespace shops --tail 50",)


def test_a_foreign_finalizer_is_named() -> None:
    """Whoever set it has to be found."""
    (found,) = judged(meta("example.com/backup"))

    assert told([found]) == [("warning", SUBJECT)]
    assert "example.com/backup, which is not the operator's" in found.what


def test_a_deletion_that_has_just_begun_is_no_fault() -> None:
    """Clean-ups take time."""
    assert judged(meta("example.com/backup", since="2026-11-01T11:58:00Z")) == []
    assert judged(ObjectMeta(name="corner", finalizers=["example.com/backup"])) == []
    assert judged(meta()) == []  # it waits for its pods, or for garbage collection


NAMESPACE = """
metadata: {name: old, deletionTimestamp: "2026-11-01T11:00:00Z"}
status:
  conditions:
  - {type: NamespaceContentRemaining, status: "True", message: Some resources remain.}
  - {type: NamespaceDeletionDiscoveryFailure, status: "True", message: metrics is gone}
  - {type: NamespaceDeletionContentFailure, status: "False", message: All deleted}
"""


def test_a_namespace_says_what_it_waits_for() -> None:
    """The cause first: a broken API service explains everything else."""
    (found,) = judge_namespace(made(Namespace, NAMESPACE), NOW, after=300)

    assert told([found]) == [("warning", "namespace/old")]
    assert "still there: metrics is gone; Some resources remain." in found.what


def test_a_namespace_that_lives_is_fine() -> None:
    """Most of them do."""
    lives = made(Namespace, "metadata: {name: old}")

    assert list(judge_namespace(lives, NOW, after=300)) == []
    assert list(judge_namespace(made(Namespace, NAMESPACE), NOW, after=7200)) == []
