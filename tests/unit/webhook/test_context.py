"""What a defaulter or a validator knows about a request, and may answer."""

from datetime import UTC, datetime
from typing import Any

import pytest

import kubewright as kw
from kubewright._aio import VirtualClock
from kubewright.client import Config
from kubewright.cluster import Cluster
from kubewright.errors import LifecycleError
from kubewright.webhook import AdmissionContext, AdmissionRequest
from tests.unit.webhook.reviews import Shelf, Shop, ShopSpec, asked, document

SHOP = Shop(
    metadata=kw.ObjectMeta(
        name="corner",
        labels={"tier": "front"},
        annotations={"example.com/owner": "ann"},
    ),
    spec=ShopSpec(size=3, shelves=[Shelf(name="low"), Shelf(name="high", depth=2)]),
)


def context(
    request: AdmissionRequest | None = None, *, given: Any = SHOP, cluster: Cluster | None = None
) -> AdmissionContext[Any]:
    """Return what a function gets that is asked about *given*."""
    return AdmissionContext(request or asked(document()), given, lambda: None, cluster)


# --- What it knows ---


def test_the_request_is_told_in_the_words_of_the_decorators() -> None:
    """Users declare on=["delete"], and compare with the same word."""
    found = context(asked(old=document(), subResource="status", dryRun=True))

    assert (found.operation, found.subresource, found.dry_run) == ("delete", "status", True)
    assert (found.user.username, found.user.groups) == ("ann", ["owners"])
    assert found.request.namespace == "town"


def test_a_request_that_says_nothing_of_a_dry_run_is_none() -> None:
    """Older servers leave the member out, and their requests are real."""
    assert context(asked(document(), dryRun=None)).dry_run is False


@pytest.mark.parametrize("options", [None, {}, [1, 2, 3]])
def test_options_that_were_not_given_are_empty(options: Any) -> None:
    """A check of one option need not ask first whether there are any."""
    assert context(asked(document(), options=options)).options == {}


def test_options_are_in_the_names_of_the_api() -> None:
    """Each operation has a kind of its own for them, and no class here."""
    options = {"kind": "CreateOptions", "fieldManager": "kubectl"}

    assert context(asked(document(), options=options)).options["fieldManager"] == "kubectl"


def test_the_object_before_is_read_once_and_only_when_it_is_asked_for() -> None:
    """Reading costs time, and may fail for an object that the function wants to repair."""
    reads: list[Shop] = []

    def read() -> Shop:
        reads.append(Shop())
        return reads[-1]

    found = AdmissionContext(asked(document()), SHOP, read)
    before = len(reads)
    first, second = found.old, found.old

    assert (before, len(reads)) == (0, 1)
    assert first is second is reads[0]


def test_that_there_is_none_before_is_found_out_once_too() -> None:
    """None is an answer, and not a reason to look again."""
    reads: list[int] = []
    found = AdmissionContext[Shop](asked(document()), SHOP, lambda: reads.append(1))

    first, second = found.old, found.old

    assert (first, second, reads) == (None, None, [1])


def test_the_cluster_of_the_manager_is_at_hand() -> None:
    """A check may have to look at other objects, and at the clock."""
    clock = VirtualClock(datetime(2026, 7, 1, tzinfo=UTC))
    cluster = Cluster(Config(server="http://127.0.0.1:1"), clock=clock)

    found = context(cluster=cluster)

    assert found.cluster is cluster
    assert found.client is cluster.client
    assert found.cache is cluster.cache
    assert found.now() == datetime(2026, 7, 1, tzinfo=UTC)


@pytest.mark.parametrize("name", ["client", "cache", "cluster"])
def test_without_a_cluster_the_error_says_where_there_is_one(name: str) -> None:
    """Somebody who calls the routes from a test of their own reads what to do."""
    with pytest.raises(LifecycleError, match="run it in a manager, or in operator_test"):
        getattr(context(), name)


# --- Warnings ---


def test_a_warning_is_one_line_that_kubernetes_does_not_cut() -> None:
    """It travels in a header, which has no line ends, and of which 256 characters are shown."""
    found = context()

    found.warn("look\n\tout")
    found.warn("x" * 300)

    assert found.warnings == ["look out", "x" * 256]


def test_a_warning_has_no_control_characters() -> None:
    """API servers drop a warning that has one, and the user never sees it."""
    found = context()

    found.warn("\x1b[31mred\x1b[0m\x00 and\x7f \x85\u00fcber\x9f")

    assert found.warnings == ["[31mred [0m and \u00fcber"]


def test_a_warning_that_says_nothing_is_none() -> None:
    """A user would see a line without a text."""
    found = context()

    found.warn(" \n")

    assert found.warnings == []


# --- Refusals ---


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("spec.size", "3"),
        ("spec.shelves[1].name", '"high"'),
        ("spec.shelves[1]", '{"name":"high","depth":2}'),
        ("metadata.labels[tier]", '"front"'),
        ("metadata.annotations[example.com/owner]", '"ann"'),
        ("metadata.annotations['example.com/owner']", '"ann"'),
        ('metadata.annotations["example.com/owner"]', '"ann"'),
        ("spec.colour", "null"),
        ("spec.shelves[7].name", "null"),
        ("spec.shelves[name]", "null"),
        ("spec.shelves.name", "null"),
        ("spec.size.more", "null"),
        ("metadata.name[0]", "null"),
        ("", "null"),
    ],
)
def test_the_value_at_the_path_is_shown(path: str, shown: str) -> None:
    """Users see what they have written, in the paths that Kubernetes uses in its own errors."""
    found = context()

    found.refuse(path, "must be otherwise")

    assert found.problems == [
        {
            "reason": "FieldValueInvalid",
            "message": f"Invalid value: {shown}: must be otherwise",
            "field": path,
        }
    ]


def test_the_value_is_found_without_a_look_at_the_rest_of_the_object() -> None:
    """Thousands of mistakes in a large object would else take minutes, and all others wait."""
    unspeakable: Any = object()
    found = context(given=Shop(metadata=kw.ObjectMeta(labels={"a": unspeakable}), spec=SHOP.spec))

    found.refuse("spec.size", "must be otherwise")

    assert found.problems[0]["message"] == "Invalid value: 3: must be otherwise"


def test_the_value_of_an_object_without_a_class_is_shown() -> None:
    """It is a dict, whose parts have no classes either."""
    found = context(given=kw.Unstructured(spec={"rooms": [{"name": "bar"}], "colours": {"red"}}))

    found.refuse("spec.rooms[0].name", "closed")
    found.refuse("spec.colours[0]", "too loud")

    said = [problem["message"] for problem in found.problems]
    assert said == ['Invalid value: "bar": closed', 'Invalid value: "red": too loud']


@pytest.mark.parametrize(
    ("reason", "message"),
    [
        ("Invalid", "Invalid value: 3: said"),
        ("Duplicate", "Duplicate value: 3: said"),
        ("NotFound", "Not found: 3: said"),
        ("NotSupported", "Unsupported value: 3: said"),
        ("Required", "Required value: said"),
        ("Forbidden", "Forbidden: said"),
        ("TooLong", "Too long: said"),
    ],
)
def test_each_reason_has_the_words_of_kubernetes(reason: Any, message: str) -> None:
    """The text and the cause are those of a schema error, by which clients and people know it."""
    found = context()

    found.refuse("spec.size", "said", reason=reason)

    assert found.problems == [
        {"reason": f"FieldValue{reason}", "message": message, "field": "spec.size"}
    ]


def test_a_reason_that_kubernetes_does_not_know_is_refused() -> None:
    """A misspelt reason would be shown by no client."""
    wrong: Any = "Wrong"

    with pytest.raises(ValueError, match=r"'Wrong' is not a reason .* use Invalid, Required"):
        context().refuse("spec.size", "said", reason=wrong)


def test_another_value_may_be_shown() -> None:
    """One that stands elsewhere, or one that was worked out; also null."""
    found = context()

    found.refuse("spec.size", "said", value="3 m²")
    found.refuse("spec.size", "said", value=None)

    assert [one["message"] for one in found.problems] == [
        'Invalid value: "3 m²": said',
        "Invalid value: null: said",
    ]


def test_without_a_message_the_value_says_enough() -> None:
    """As in Kubernetes, for a duplicate."""
    found = context()

    found.refuse("metadata.name", "", reason="Duplicate")

    assert found.problems[0]["message"] == 'Duplicate value: "corner"'


def test_a_long_value_is_cut() -> None:
    """Nobody reads a whole object in an error, and a Status has to travel."""
    found = context(given=kw.Unstructured(spec={"text": "x" * 9000}))

    found.refuse("spec.text", "said")

    assert found.problems[0]["message"] == f'Invalid value: "{"x" * 511}…: said'
