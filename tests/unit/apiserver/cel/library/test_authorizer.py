"""Questions of rights within expressions."""

import pytest

from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.library.authorizer import AUTHORIZER, Authorizer, Decision, Question
from kubewright.apiserver.cel.program import compile_rule


def evaluate(source: str) -> list[Question]:
    """Evaluate *source*, and return what it asked."""
    asked: list[Question] = []

    def decide(question: Question) -> Decision:
        asked.append(question)
        return Decision(allowed=question.verb == "get", reason="because", error="")

    rule = compile_rule(source, {"authorizer": AUTHORIZER}, result=None)
    assert rule.evaluate({"authorizer": Authorizer(decide)}) is True
    return asked


def test_a_question_about_a_resource_collects_its_parts() -> None:
    """Each call adds one part, and check asks."""
    asked = evaluate(
        "authorizer.serviceAccount('shop', 'robot').group('apps').resource('deployments')"
        ".subresource('scale').namespace('shop').name('web').labelSelector('a=b')"
        ".check('get').allowed()"
    )

    assert asked == [
        Question(
            service_account=("shop", "robot"),
            verb="get",
            group="apps",
            resource="deployments",
            subresource="scale",
            namespace="shop",
            name="web",
            label_selector="a=b",
        )
    ]


def test_a_question_about_a_path_and_the_parts_of_a_decision() -> None:
    """A decision has a reason, and perhaps an error."""
    asked = evaluate(
        "!authorizer.path('/healthz').check('post').allowed()"
        " && [authorizer.path('/').check('get')].all(d, d.reason() == 'because' && !d.errored())"
    )

    assert [(question.path, question.verb) for question in asked] == [
        ("/healthz", "post"),
        ("/", "get"),
    ]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("authorizer.path(' ').check('get').allowed()", "path must not be empty"),
        ("authorizer.group('').resource('').check('get').allowed()", "resource must not be empty"),
        (
            "authorizer.serviceAccount('a', 'B').path('/').check('get').allowed()",
            "Invalid service account name",
        ),
    ],
)
def test_impossible_questions_are_refused(source: str, text: str) -> None:
    """The error comes from the expression, and the authorizer is not called."""
    with pytest.raises(EvaluationError, match=text):
        evaluate(source)
