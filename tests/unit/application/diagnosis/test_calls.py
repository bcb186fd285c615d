from kubewright.api.kind import RESTMapping
from kubewright.application.diagnosis.calls import judge, specimen
from tests.unit.application.diagnosis.ward import told

SHOPS = RESTMapping("example.com", "v1", "Shop", "shops", namespaced=True)
FLOORS = RESTMapping("example.com", "v1", "Floor", "floors", namespaced=False)


def test_a_webhook_that_cannot_be_called_is_told_with_the_reason() -> None:
    """The server says why, to whoever happened to write an object."""
    said = 'Internal error occurred: failed calling webhook "a.example.com": no route to host'

    (found,) = judge(said, SHOPS)

    assert told([found]) == [("error", "webhook a.example.com")]
    assert found.what == "The API server cannot call it: no route to host"


def test_a_conversion_that_fails_is_told() -> None:
    """Lists of one version fail, and those of another work."""
    (found,) = judge("conversion webhook for example.com/v1, Kind=Shop failed: refused", SHOPS)

    assert told([found]) == [("error", "crd/shops.example.com")]


def test_another_refusal_is_an_answer() -> None:
    """A validator that says no works."""
    assert list(judge('admission webhook "a" denied the request: too large', SHOPS)) == []
    assert list(judge("spec.name: Required value", SHOPS)) == []
    assert list(judge("", SHOPS)) == []


def test_what_is_tried_is_a_copy_of_what_there_is() -> None:
    """An empty object might not get as far as the webhook."""
    found = {"metadata": {"namespace": "a", "name": "b", "uid": "c"}, "spec": {"d": 1}}

    assert specimen(found, SHOPS, namespace="x") == {
        "apiVersion": "example.com/v1",
        "kind": "Shop",
        "metadata": {"generateName": "doctor-", "namespace": "a"},
        "spec": {"d": 1},
    }
    assert specimen(None, FLOORS, namespace="")["metadata"] == {"generateName": "doctor-"}
