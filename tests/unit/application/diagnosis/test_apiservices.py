from kubewright.application.diagnosis.apiservices import judge
from kubewright.kinds.apiregistration.v1 import APIService
from tests.unit.application.diagnosis.ward import made, told

GONE = """
metadata: {name: v1.metrics.example.com}
spec: {group: metrics.example.com, version: v1, groupPriorityMinimum: 1, versionPriority: 1,
       service: {name: metrics, namespace: monitoring}}
status: {conditions: [{type: Available, status: "False", message: no route to host}]}
"""


def test_one_that_does_not_answer_is_an_error() -> None:
    """It breaks discovery, and with it every kubectl."""
    found = list(judge(made(APIService, GONE)))

    assert told(found) == [("error", "apiservice/v1.metrics.example.com")]
    assert "no route to host" in found[0].what
    assert found[0].mend[-1] == "kubectl delete apiservice v1.metrics.example.com"


def test_one_that_answers_or_is_local_is_fine() -> None:
    """Most of them are the server's own."""
    local = "metadata: {name: v1.apps}\nspec: {groupPriorityMinimum: 1, versionPriority: 1}"

    assert list(judge(made(APIService, GONE.replace("False", "True")))) == []
    assert list(judge(made(APIService, local))) == []
