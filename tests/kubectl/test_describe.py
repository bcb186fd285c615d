"""kubectl describe: what a person reads when something is wrong."""

from tests.kubectl import differences
from tests.kubectl.conftest import Compare
from tests.kubectl.session import Step

EVENT = """
apiVersion: v1
kind: Event
metadata: {name: first.1}
involvedObject: {kind: Pod, name: first, namespace: describing-objects, apiVersion: v1}
reason: Pulled
message: the image is here
type: Normal
count: 3
source: {component: kubelet, host: node-1}
firstTimestamp: "2026-01-01T00:00:00Z"
lastTimestamp: "2026-01-01T00:05:00Z"
"""

OBJECTS = (
    Step("create -f settings.yaml"),
    Step("create -f pods.yaml"),
    Step("create -f -", stdin=EVENT),
    Step("describe configmap settings", sort=True),  # kubectl walks the data in any order
    Step("describe pod first"),
    Step("describe pod second"),
    Step("describe pods -l tier=front"),
    Step("describe pod fir"),
    Step("describe pod missing", code=1),
    Step("create -f web.yaml"),
    Step("describe deployment web"),
    Step("describe service web", differs=differences.SERVICE),
    Step("describe -f web.yaml", differs=differences.SERVICE),
    Step("describe namespace describing-objects", differs=differences.NAMESPACE_LABEL),
)


def test_describing_objects(compare: Compare) -> None:
    """A description joins an object with its events and relatives."""
    compare(OBJECTS)
