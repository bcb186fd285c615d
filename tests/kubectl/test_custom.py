"""Custom resources, against Kubernetes' own custom-resource server."""

from tests.kubectl.conftest import Compare
from tests.kubectl.session import Difference, Step


def shop(content: str) -> str:
    """Return a Shop with *content* as its spec, in YAML's flow style."""
    return f"apiVersion: example.org/v1\nkind: Shop\nmetadata: {{name: other}}\nspec: {content}\n"


def explained(pattern: str) -> Difference:
    """Return the difference for `explain`."""
    return Difference(
        why="the custom-resource server alone publishes no OpenAPI of custom kinds",
        code=1,
        expect=pattern,
    )


READY = '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}'
SET_READY = f"patch shop corner --subresource=status --type=merge -p '{READY}'"
SESSION = (
    Step("get shops", code=1),
    Step("apply --validate=false -f shop.yaml", code=1),
    Step("apply --validate=false -f crd.yaml"),
    Step("wait crd shops.example.org --for=condition=Established --timeout=20s"),
    Step("get crd shops.example.org"),
    Step("get crd shops.example.org -o yaml"),
    Step("describe crd shops.example.org"),
    Step("api-resources --api-group=example.org"),
    Step("api-resources --api-group=example.org -o wide"),
    Step("api-resources --categories=market -o name"),
    Step("explain shops", differs=explained("spec\t<Object> -required-")),
    Step("explain shops.spec", differs=explained("counters\t<integer>\n    How many counters")),
    Step("explain shops.spec.address.city", differs=explained("FIELD: city <string>")),
    Step("explain shops --recursive", differs=explained("  goods\t<.*>\n *name\t<string> -req")),
    Step("get shops"),
    Step("apply --validate=false -f shop.yaml"),
    Step("apply --validate=false -f shop.yaml"),
    Step("apply --validate=false -f shop-changed.yaml"),
    Step("get shop corner -o jsonpath='{.spec}'"),
    Step("apply --validate=false -f shop.yaml"),
    Step("get shops"),
    Step("get shops -o wide"),
    Step("get sh corner -o yaml"),
    Step("get shop.v1.example.org/corner -o name"),
    Step("get market"),
    Step("get all"),
    Step("describe shop corner"),
    Step("create --validate=false -f -", stdin=shop("{}"), code=1),
    Step(
        "create --validate=false -f -",
        stdin=shop("{owner: A, counters: -1, kind: cars}"),
        code=1,
        sort=True,
    ),
    Step(
        "create --validate=false -f -", stdin=shop("{owner: Bob, kind: food, counters: 0}"), code=1
    ),
    Step("create --validate=false -f -", stdin=shop("{owner: Bob, counters: many}"), code=1),
    Step(
        "create -f - --validate=strict",
        stdin=shop("{owner: Bob, colour: blue}"),
        code=1,
        differs=explained('strict decoding error: unknown field "spec.colour"'),
    ),
    Step("create --validate=false -f -", stdin=shop("{owner: Bob, colour: blue}")),
    Step("get shop other -o jsonpath='{.spec}'"),
    Step("scale shop corner --replicas=7"),
    Step("get shop corner --subresource=scale"),
    Step("get shop corner --subresource=status -o name"),
    Step('patch shop corner --subresource=status --type=merge -p \'{"status":{"open":7}}\''),
    Step('patch shop corner --type=merge -p \'{"status":{"open":8},"spec":{"owner":"Eve"}}\''),
    Step("get shop corner -o jsonpath='{.status} {.spec.owner} {.metadata.generation}'"),
    Step("patch shop corner -p '{}'", code=1),
    Step('patch shop corner --type=merge -p \'{"spec":{"owner":1}}\'', code=1),
    Step("apply --validate=false --server-side -f shop.yaml", code=1),
    Step("apply --validate=false --server-side --force-conflicts -f shop.yaml"),
    Step("get shop corner -o yaml --show-managed-fields"),
    Step("edit --validate=false shop corner", editor="sed -i s/Oslo/Bergen/"),
    Step("diff -f shop.yaml", code=1),
    Step("replace --validate=false -f shop.yaml"),
    Step("label shop corner open=yes"),
    Step("get shops -l open=yes --show-labels"),
    Step("get shops --field-selector=metadata.name=other"),
    Step("get shops --field-selector=spec.owner=Ada", code=1),
    Step(
        "wait shop corner --for=condition=Ready --timeout=20s",
        during=(SET_READY,),
    ),
    Step("delete shop other"),
    Step("delete -f shop.yaml"),
    Step("delete crd shops.example.org"),
    Step("get shops", code=1),
)


def test_custom_resources(compare: Compare) -> None:
    """A kind that a user brings is as good as a built-in one."""
    compare(SESSION, real="real-crd")
