"""kubectl apply: from the client, from the server, and from the one to the other."""

from tests.kubectl import differences
from tests.kubectl.conftest import Compare
from tests.kubectl.session import Difference, Step

CLIENT_SIDE = (
    Step("apply -f settings.yaml"),
    Step("apply -f settings.yaml"),
    Step("get configmap settings -o yaml"),
    Step('patch configmap settings --type=merge -p \'{"data":{"added":"by hand"}}\''),
    Step("diff -f settings-changed.yaml", code=1),
    Step("apply -f settings-changed.yaml"),
    Step("get configmap settings -o yaml"),
    Step("diff -f settings-changed.yaml"),
    Step("apply view-last-applied configmap settings"),
    Step("apply -f web.yaml"),
    Step("apply -f web.yaml"),
    Step(
        "diff -f web-changed.yaml",
        code=1,
        differs=Difference(
            why=differences.NO_NULL_TIME.why,
            newer=["@@ .*", "metadata:"],
            older=["@@ .*", "creationTimestamp: null"],
        ),
    ),
    Step("apply -f web-changed.yaml"),
    Step("get deployment web -o jsonpath='{.spec.replicas} {.spec.template.spec}'"),
    Step("apply -f web-changed.yaml --dry-run=server -o name"),
    Step("apply -f web.yaml --dry-run=client"),
    Step("create configmap bare --dry-run=client -o yaml --from-literal=a=1"),
    Step(
        "create -f -",
        stdin="apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bare}\ndata: {a: '1'}",
    ),
    Step(
        "apply -f -",
        stdin="apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bare}\ndata: {b: '2'}",
    ),
    Step("get configmap bare -o jsonpath='{.data}'"),
    Step("apply -f settings.yaml --prune -l app=web --prune-allowlist=core/v1/ConfigMap"),
    Step("apply edit-last-applied configmap settings", editor="sed -i s/blue/red/"),
    Step("apply set-last-applied -f settings.yaml"),
    Step("apply -f -", stdin="apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ''}", code=1),
)

SERVER_SIDE = (
    Step("apply --server-side -f settings.yaml"),
    Step("apply --server-side -f settings.yaml"),
    Step("get configmap settings -o yaml --show-managed-fields", sort=True),
    Step("apply --server-side --field-manager=other -f settings-changed.yaml", code=1),
    Step("apply --server-side --field-manager=other --force-conflicts -f settings-changed.yaml"),
    Step("get configmap settings -o yaml --show-managed-fields", sort=True),
    Step("apply --server-side -f settings.yaml", code=1),
    Step("diff --server-side --field-manager=other -f settings.yaml", code=1),
    Step("apply --server-side -f front.yaml"),
    Step("get deployment web -o yaml --show-managed-fields", differs=differences.NO_NULL_TIME),
    Step("scale deployment web --replicas=5"),
    Step(
        "apply --server-side -f front.yaml",
        code=1,
        differs=Difference(
            why="a scale has been a write of its own in the managed fields since 1.22",
            code=0,
            expect='conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas',
        ),
    ),
    Step("apply --server-side --dry-run=server -f front.yaml --force-conflicts"),
)

MIGRATION = (
    Step("apply -f settings.yaml"),
    Step("apply --server-side -f settings.yaml"),
    Step(
        "get configmap settings -o yaml --show-managed-fields",
        sort=True,  # managers come in the order of their seconds
        differs=Difference(
            why="an entry that a client has rewritten loses its time; 1.36 does so, too",
            older=['time: "<time>"'],
        ),
    ),
    Step("apply --server-side -f settings-changed.yaml"),
    Step("get configmap settings -o yaml"),
    Step("apply -f settings.yaml"),
    Step("get configmap settings -o jsonpath='{.data}'"),
)


def test_applying_from_the_client(compare: Compare) -> None:
    """The three-way merge needs the server's patches to be exact."""
    compare(CLIENT_SIDE)


def test_applying_on_the_server(compare: Compare) -> None:
    """Owners and conflicts are the same, and are named the same."""
    compare(SERVER_SIDE)


def test_migrating_to_the_server(compare: Compare) -> None:
    """Fields that the client applied pass to the server-side applier."""
    compare(MIGRATION)
