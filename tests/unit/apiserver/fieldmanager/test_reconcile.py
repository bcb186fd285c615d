from kubewright.apiserver.fieldmanager import shape
from kubewright.apiserver.fieldmanager.reconcile import reconciled
from tests.unit.apiserver.fieldmanager import custom

ITEM = 'k:{"name":"a","port":80}'


def test_what_has_become_atomic_is_owned_as_a_whole() -> None:
    """A CRD may change a list or map from granular to atomic under existing owners."""
    fields = {
        "f:spec": {
            "f:size": {},
            "f:whole": {".": {}, "f:a": {}},
            "f:plain": {'v:"x"': {}},
            "f:items": {ITEM: {"f:more": {"f:a": {}}}},
        }
    }
    atomic = {**custom.ITEM["properties"]["more"], "x-kubernetes-map-type": "atomic"}
    item = {**custom.ITEM, "properties": {**custom.ITEM["properties"], "more": atomic}}
    found = shape.root(custom.schema(items={**custom.SPEC["items"], "items": item}))

    assert reconciled(fields, found) == {
        "f:spec": {"f:size": {}, "f:whole": {}, "f:plain": {}, "f:items": {ITEM: {"f:more": {}}}}
    }


def test_what_fits_stays_the_same_object() -> None:
    """Nearly always nothing has changed, and nothing is copied."""
    fields = {
        "f:spec": {"f:labels": {"f:a": {}}, "f:free": {"f:x": {"f:y": {}}}, "f:gone": {"f:x": {}}}
    }

    assert reconciled(fields, shape.root(custom.schema())) is fields
