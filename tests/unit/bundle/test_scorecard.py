"""The configuration of the scorecard."""

from kubewright.bundle.scorecard import configuration


def test_it_has_the_tests_of_operator_sdk() -> None:
    """Those who run the scorecard there find it as they know it."""
    found = configuration()

    tests = found["stages"][0]["tests"]
    assert found["apiVersion"] == "scorecard.operatorframework.io/v1alpha3"
    assert [one["entrypoint"][1] for one in tests][:2] == [
        "basic-check-spec",
        "olm-bundle-validation",
    ]
    assert tests[0]["labels"] == {"suite": "basic", "test": "basic-check-spec-test"}
    assert len(tests) == 6
