from datetime import UTC, datetime

from kubewright import _json
from kubewright.api.kind import ObjectKey
from kubewright.api.meta import (
    Condition,
    LabelSelector,
    ListMeta,
    ManagedFieldsEntry,
    ObjectMeta,
    OwnerReference,
)

FULL = (
    b'{"name":"web","namespace":"shop","uid":"u","resourceVersion":"7","generation":2,'
    b'"creationTimestamp":"2026-01-01T00:00:00Z","labels":{"a":"b"},'
    b'"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"q","controller":true}],'
    b'"finalizers":["a/b"],"managedFields":[{"manager":"kubectl","operation":"Apply",'
    b'"apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1",'
    b'"fieldsV1":{"f:spec":{"f:size":{}}}}]}'
)


def test_metadata_is_written_back_as_it_was_read() -> None:
    """Nothing of what a server sends is lost or renamed."""
    assert _json.loads(_json.encode(_json.decode(FULL, ObjectMeta))) == _json.loads(FULL)


def test_metadata_is_never_none_where_code_reads_it() -> None:
    """``obj.metadata.labels["a"]`` and ``metadata.name`` need no check for None."""
    empty = ObjectMeta()

    assert (empty.name, empty.namespace, empty.uid, empty.resource_version) == ("",) * 4
    assert (empty.labels, empty.annotations) == ({}, {})
    assert (empty.owner_references, empty.finalizers) == ([], [])
    assert _json.encode(empty) == b"{}"


def test_the_nulls_of_go_are_accepted() -> None:
    """``creationTimestamp: null`` stands in every manifest that Go has printed."""
    raw = b'{"name":"a","creationTimestamp":null,"labels":null,"finalizers":null,"generation":null}'

    assert _json.decode(raw, ObjectMeta) == ObjectMeta(name="a")


def test_times_have_a_zone() -> None:
    """They can be compared with the clock."""
    assert _json.decode(FULL, ObjectMeta).creation_timestamp == datetime(2026, 1, 1, tzinfo=UTC)


def test_the_key_is_namespace_and_name() -> None:
    """What queues and caches are keyed by."""
    assert ObjectMeta(name="a", namespace="b").key == ObjectKey("b", "a")


def test_a_managed_fields_entry_reads_its_fields_when_asked() -> None:
    """They are kept as bytes, because nearly nobody asks."""
    [entry] = _json.decode(FULL, ObjectMeta).managed_fields

    assert entry.fields == {"f:spec": {"f:size": {}}}
    assert ManagedFieldsEntry().fields == {}
    assert _json.encode(ManagedFieldsEntry()) == b"{}"


def test_a_list_says_where_it_goes_on() -> None:
    """``continue`` is a keyword in Python, so the field has another name."""
    meta = _json.decode(b'{"resourceVersion":"5","continue":"t","remainingItemCount":3}', ListMeta)

    assert (meta.continue_, meta.remaining_item_count) == ("t", 3)
    assert _json.encode(meta) == b'{"resourceVersion":"5","continue":"t","remainingItemCount":3}'


def test_a_condition_always_sends_its_message() -> None:
    """The schema of metav1.Condition requires it, even when it is empty."""
    raw = _json.encode(Condition(type="Ready", status="True", reason="Up"))

    assert _json.loads(raw) == {"type": "Ready", "status": "True", "reason": "Up", "message": ""}


def test_references_and_selectors_read_and_write() -> None:
    """The smallest of the API types."""
    reference = OwnerReference(api_version="v1", kind="Pod", name="a", uid="u")
    assert _json.encode(reference) == b'{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u"}'

    raw = b'{"matchLabels":{"a":"b"},"matchExpressions":[{"key":"c","operator":"Exists"}]}'
    assert _json.encode(_json.decode(raw, LabelSelector)) == raw
    assert _json.encode(LabelSelector()) == b"{}"
