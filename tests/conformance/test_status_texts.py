"""The Status of an error: code, reason, details and the text that users read."""

import time

import pytest

from tests.conformance.bodies import config_map, deployment
from tests.conformance.crds import Things
from tests.conformance.wire import Wire


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_what_is_not_there(api: Wire, things: Things, method: str) -> None:
    """The resource and the name, in text and in details."""
    body = things.body("none")
    body["metadata"]["resourceVersion"] = "1"

    status = api.ask(method, f"{things.path}/none", body if method == "PUT" else None).refused(
        404, "NotFound"
    )

    assert status["message"] == f'{things.qualified} "none" not found'
    assert status["details"] == things.details("none")
    assert status["metadata"] == {}


@pytest.mark.parametrize("path", ["/api/v1/nonsense", "/apis/apps/v1/nonsense"])
def test_a_resource_that_does_not_exist(api: Wire, path: str) -> None:
    """The server could not find the requested resource."""
    status = api.get(path).refused(404, "NotFound")

    assert status["message"] == "the server could not find the requested resource"
    assert status["details"] == {}


def test_a_group_that_does_not_exist(api: Wire) -> None:
    """Nobody answers for it."""
    assert api.get("/apis/nonsense.example.com/v1/things").status == 404


def test_a_subresource_that_does_not_exist(api: Wire, things: Things) -> None:
    """ConfigMaps have no status."""
    api.post(things.path, things.body("a")).ok(201)

    assert api.get(f"{things.path}/a/status").status == 404


@pytest.mark.parametrize(
    ("method", "where"), [("PUT", ""), ("PATCH", ""), ("POST", "/a")], ids=["put", "patch", "post"]
)
def test_a_verb_that_is_not_served(api: Wire, configmaps: str, method: str, where: str) -> None:
    """A collection is not replaced, an object is not posted to (custom resources are laxer)."""
    headers = {"Content-Type": "application/merge-patch+json"} if method == "PATCH" else {}

    reply = api.ask(method, configmaps + where, config_map("a"), headers=headers)

    status = reply.refused(405, "MethodNotAllowed")
    assert status["message"] == ("the server does not allow this method on the requested resource")


def test_several_mistakes_are_listed_in_brackets(api: Wire, pods: str) -> None:
    """Text and causes agree."""
    body = {"metadata": {"name": "Bad_"}, "spec": {"containers": [{"image": "a"}]}}

    status = api.post(pods, body).refused(422, "Invalid")

    causes = status["details"]["causes"]
    assert len(causes) >= 2
    assert status["message"].startswith('Pod "Bad_" is invalid: [')
    for cause in causes:
        assert f"{cause['field']}: {cause['message']}" in status["message"]
    assert status["details"]["kind"] == "Pod"


@pytest.mark.parametrize(
    ("spec", "field", "message"),
    [
        ({"containers": []}, "spec.containers", "Required value"),
        ({"containers": [{"image": "a"}]}, "spec.containers[0].name", "Required value"),
        ({"containers": [{"name": "a"}]}, "spec.containers[0].image", "Required value"),
        (
            {"containers": [{"name": "a", "image": "a"}, {"name": "a", "image": "b"}]},
            "spec.containers[1].name",
            'Duplicate value: "a"',
        ),
        (
            {"containers": [{"name": "a", "image": "a"}], "restartPolicy": "Sometimes"},
            "spec.restartPolicy",
            'Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
        ),
        (
            {"containers": [{"name": "a", "image": "a", "ports": [{"containerPort": 70000}]}]},
            "spec.containers[0].ports[0].containerPort",
            "Invalid value: 70000: must be between 1 and 65535, inclusive",
        ),
        (
            {
                "containers": [
                    {"name": "a", "image": "a", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}
                ]
            },
            "spec.containers[0].volumeMounts[0].name",
            'Not found: "v"',
        ),
        (
            {
                "containers": [
                    {
                        "name": "a",
                        "image": "a",
                        "resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}},
                    }
                ]
            },
            "spec.containers[0].resources.requests",
            'Invalid value: "2": must be less than or equal to cpu limit',
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("spec") else "",
)
def test_a_pod_that_cannot_be_is_told_why(
    api: Wire, pods: str, *, spec: dict[str, object], field: str, message: str
) -> None:
    """The mistakes that everybody makes once."""
    causes = api.post(pods, {"metadata": {"name": "a"}, "spec": spec}).causes()

    told = [(name, text) for _, name, text in causes]
    assert any(name == field and text.startswith(message[:60]) for name, text in told), told


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"spec": {"replicas": "three"}}, "cannot be handled as a Deployment"),
        ({"spec": {"replicas": 1.5}}, "cannot be handled as a Deployment"),
        ({"metadata": {"labels": {"a": 1}}}, "cannot be handled as a Deployment"),
        ({"metadata": {"labels": ["a"]}}, "cannot be handled as a Deployment"),
        ({"spec": {"template": []}}, "cannot be handled as a Deployment"),
        ({"kind": "Pod", "apiVersion": "v1"}, "cannot be handled as a Deployment"),
        ({"apiVersion": "apps/v2"}, "apps/v2"),
    ],
    ids=str,
)
def test_a_value_of_the_wrong_type_is_a_bad_request(
    api: Wire, deployments: str, body: dict[str, object], said: str
) -> None:
    """It cannot even be decoded, so there is no field to name."""
    full = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, **body}

    status = api.post(deployments, full).refused(400, "BadRequest")

    assert said in status["message"]


def test_a_negative_scale_is_refused_as_a_scale(api: Wire, deployments: str) -> None:
    """What was sent is a Scale, so that is what is wrong."""
    api.post(deployments, deployment("a")).ok(201)

    status = api.patch(f"{deployments}/a/scale", {"spec": {"replicas": -1}}).refused(422, "Invalid")

    assert status["message"] == (
        'Scale.autoscaling "a" is invalid: spec.replicas: Invalid value: -1: must be greater than'
        " or equal to 0"
    )


def test_events_of_the_newer_group_need_their_time(api: Wire, namespace: str) -> None:
    """Both groups share their objects, and not their rules."""
    events = f"/apis/events.k8s.io/v1/namespaces/{namespace}/events"
    event = {
        "metadata": {"name": "a"},
        "regarding": {"namespace": namespace},
        "reportingController": "example.com/a",
        "reportingInstance": "a-1",
        "action": "Look",
        "reason": "Looked",
        "type": "Normal",
    }

    status = api.post(events, event).refused(422, "Invalid")
    made = api.post(events, {**event, "eventTime": "2026-01-01T00:00:00.000000Z"}).ok(201)

    assert status["message"] == 'Event "a" is invalid: eventTime: Required value'
    assert api.get(f"/api/v1/namespaces/{namespace}/events/a").ok()["involvedObject"]
    assert made["regarding"] == {"namespace": namespace}


def test_a_claim_keeps_to_the_limits_of_its_namespace(api: Wire, namespace: str) -> None:
    """A LimitRange counts for disks, too."""
    limits = [{"type": "PersistentVolumeClaim", "max": {"storage": "1Gi"}}]
    body = {"metadata": {"name": "a"}, "spec": {"limits": limits}}
    api.post(f"/api/v1/namespaces/{namespace}/limitranges", body).ok(201)
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "2Gi"}}}
    claims = f"/api/v1/namespaces/{namespace}/persistentvolumeclaims"

    # The real plugin has a cache, which a dry run may be too early for.
    deadline = time.monotonic() + 20
    while True:
        reply = api.post(f"{claims}?dryRun=All", {"metadata": {"name": "a"}, "spec": spec})
        if reply.status != 201 or time.monotonic() > deadline:
            break
        time.sleep(0.05)

    status = reply.refused(403, "Forbidden")
    assert status["message"] == (
        'persistentvolumeclaims "a" is forbidden: maximum storage usage per PersistentVolumeClaim'
        " is 1Gi, but request is 2Gi"
    )
