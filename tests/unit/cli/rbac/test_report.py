"""What people and programs get to read."""

import json

from kubewright.application.calls import Trace
from kubewright.application.coverage import Comparison, Exempt, Missing, Unused
from kubewright.application.rights import Right
from kubewright.cli.rbac.report import as_json, lines_of, right_text, rules_missing
from kubewright.crd import PolicyRule

OWNS = ': test it, or declare kw.Owns(Deployment, verbs=["create"])'
STATUS = ": test it, or declare kw.For(Shop, writes_status=False)"
DELETE = Right("", "apps", "deployments", "delete")


def lines(found: Comparison, *, verbose: bool = False) -> list[str]:
    return list(lines_of(found, verbose=verbose))


def test_nothing_found_is_one_line() -> None:
    """With the rights that may stay only on demand."""
    found = Comparison([], [], [Exempt(DELETE, "why")])

    assert lines(found) == ["nothing missing, nothing unused"]
    assert lines(found, verbose=True) == [
        "unused, but needed in a cluster:",
        "  delete deployments.apps: why",
        "nothing missing, nothing unused",
    ]


def test_many_names_are_cut() -> None:
    """A test of a thousand objects would hide everything else."""
    trace = Trace(1, "", "")
    found = Comparison([Missing(DELETE, ["a", "b", "c", "d"], trace)], [], [])

    assert lines(found)[1:3] == ["  delete deployments.apps: 'a', 'b', 'c', …", "      once"]


def test_a_call_without_a_line_was_made_by_the_runtime() -> None:
    """Nobody shall look for it in their own code."""
    found = Comparison([Missing(DELETE, [], Trace(2, "test_a", ""))], [], [])

    assert lines(found)[2] == "      2 times, first by Kubewright itself in test_a"


def test_unused_verbs_stand_together_with_what_to_declare() -> None:
    """One line for each thing, and the words to write."""
    why = ["reconciler 'a' (a.py:1) owns Deployment"]
    status = Right("", "example.com", "shops/status", "patch")
    found = Comparison(
        [],
        [
            Unused(DELETE, why),
            Unused(DELETE._replace(verb="patch"), why),
            Unused(status, ["reconciler 'a' (a.py:1) writes the status of Shop"]),
            Unused(Right("", "", "nodes", "get"), ["rules= of the operator 'a'"]),
        ],
        [],
    )

    assert lines(found)[1:] == [
        "  delete, patch deployments.apps",
        "      reconciler 'a' (a.py:1) owns Deployment" + OWNS,
        "  patch shops/status.example.com",
        "      reconciler 'a' (a.py:1) writes the status of Shop" + STATUS,
        "  get nodes",
        "      rules= of the operator 'a'",
    ]


def test_a_right_is_said_with_all_that_limits_it() -> None:
    """Names and namespaces are what rules differ in."""
    assert right_text(Right("shop", "", "pods", "get", "web")) == (
        "get pods 'web' in the namespace shop"
    )
    assert right_text(Right("", "", "", "get", url="/metrics")) == "get /metrics"


def test_missing_rules_are_for_a_cluster_role_unless_said_otherwise() -> None:
    """A test has a namespace of its own, which is no reason to be bound to it."""
    found = Comparison([Missing(DELETE._replace(namespace="a"), [], Trace(1))], [], [])
    rule = PolicyRule(("apps",), ("deployments",), ("delete",))

    assert rules_missing(found) == [rule]
    assert [one.namespace for one in rules_missing(found, everywhere=False)] == ["a"]


def test_programs_get_every_field() -> None:
    """And none that is empty, but for the core group."""
    found = Comparison(
        [Missing(Right("a", "", "pods", "get"), ["b"], Trace(1, "t", "a.py:1"))],
        [Unused(DELETE, ["why"])],
        [Exempt(Right("", "", "", "get", url="/x"), "because")],
    )

    assert json.loads(as_json(found, passed=3)) == {
        "testsPassed": 3,
        "missing": [
            {
                "verb": "get", "group": "", "resource": "pods", "namespace": "a", "names": ["b"],
                "count": 1, "test": "t", "place": "a.py:1",
            }
        ],
        "unused": [
            {"verb": "delete", "group": "apps", "resource": "deployments", "declared": ["why"]}
        ],
        "exempt": [{"verb": "get", "group": "", "url": "/x", "reason": "because"}],
    }  # fmt: skip
