from typing import Any

import pytest

from kubewright.apiserver.authentication.user import UserInfo
from kubewright.apiserver.authorization import reviews
from kubewright.apiserver.authorization.rbac import RBAC
from kubewright.apiserver.meta.status import StatusError
from tests.unit.apiserver.authorization.roles import binding, paths, role, rule, store

Obj = dict[str, Any]
ANN = UserInfo("ann", groups=("dev",))
PODS = {"verb": "get", "resource": "pods", "namespace": "shop"}
REASON = 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to Group "dev"'
ONE_OF = "exactly one of nonResourceAttributes or resourceAttributes must be specified"


@pytest.fixture
def rbac() -> RBAC:
    given = role("r", rule("get", "pods"), paths("get", "/x"))
    return RBAC(store(given, binding("b", "ClusterRole r", "Group dev")))


def review(**spec: Any) -> Obj:
    return {"kind": "SubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "spec": spec}


def test_an_access_review_is_answered_in_its_status(rbac: RBAC) -> None:
    """The rest comes back as it was sent."""
    asked = review(groups=["dev"], resourceAttributes=PODS)

    assert reviews.review_access(asked, rbac) == {
        **asked,
        "metadata": {},
        "status": {"allowed": True, "reason": REASON},
    }


def test_a_refusal_has_no_reason_but_the_missing_roles(rbac: RBAC) -> None:
    """No rule is no error."""
    answer = reviews.review_access(review(user="bob", resourceAttributes=PODS), rbac)

    assert answer["status"] == {"allowed": False}


@pytest.mark.parametrize(
    ("spec", "problems"),
    [
        (
            {},
            [
                ("spec", f"Invalid value: null: {ONE_OF}"),
                ("spec.user", 'Invalid value: "": at least one of user or group must be specified'),
            ],
        ),
        (
            {"user": "x", "resourceAttributes": {**PODS, "fieldSelector": {}}},
            [
                (
                    "spec.resourceAttributes.fieldSelector.requirements",
                    (
                        "Required value: when spec.resourceAttributes.fieldSelector is specified,"
                        " requirements or rawSelector is required"
                    ),
                )
            ],
        ),
    ],
)
def test_a_review_that_makes_no_sense_is_refused(
    rbac: RBAC, spec: Obj, problems: list[tuple[str, str]]
) -> None:
    """Each broken rule is a cause, with the real server's words."""
    with pytest.raises(StatusError) as caught:
        reviews.review_access(review(**spec), rbac)

    assert caught.value.code == 422
    assert caught.value.message.startswith('.authorization.k8s.io "" is invalid: ')
    assert [(one["field"], one["message"]) for one in caught.value.details["causes"]] == problems


def test_selectors_are_accepted(rbac: RBAC) -> None:
    """RBAC does not look at them, but other authorizers do, and clients send them."""
    selector = {"rawSelector": "a=b"}
    asked = {**PODS, "fieldSelector": selector, "labelSelector": selector}

    answer = reviews.review_access(review(groups=["dev"], resourceAttributes=asked), rbac)

    assert answer["status"]["allowed"]


def test_a_local_review_is_about_its_namespace(rbac: RBAC) -> None:
    """Who may only ask about one namespace must not learn about others."""
    asked = review(groups=["dev"], resourceAttributes=PODS)

    inside = reviews.review_local_access(asked, rbac, namespace="shop")
    with pytest.raises(StatusError, match=r"must match metadata\.namespace"):
        reviews.review_local_access(asked, rbac, namespace="other")

    assert inside["status"]["allowed"]


def test_everybody_may_ask_about_themselves(rbac: RBAC) -> None:
    """A path works as well as a resource."""
    asked = review(nonResourceAttributes={"verb": "get", "path": "/x"})

    answer = reviews.review_own_access(asked, ANN, authorizer=rbac)

    assert answer["status"] == {"allowed": True, "reason": REASON}


def test_own_rules_come_in_two_lists(rbac: RBAC) -> None:
    """That is what ``kubectl auth can-i --list`` prints."""
    answer = reviews.review_own_rules(review(namespace="shop"), ANN, authorizer=rbac)

    assert answer["status"] == {
        "resourceRules": [{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}],
        "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/x"]}],
        "incomplete": False,
    }


def test_own_rules_need_a_namespace(rbac: RBAC) -> None:
    """The real server refuses it in these words."""
    with pytest.raises(StatusError, match="no namespace on request"):
        reviews.review_own_rules(review(), ANN, authorizer=rbac)


def test_metadata_must_be_empty(rbac: RBAC) -> None:
    """A review is not stored, so a name for it is a mistake."""
    asked = {**review(groups=["dev"], resourceAttributes=PODS), "metadata": {"name": "x"}}

    with pytest.raises(StatusError, match="must be empty"):
        reviews.review_access(asked, rbac)
