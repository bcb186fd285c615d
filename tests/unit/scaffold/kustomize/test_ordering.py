"""The order in which objects are printed."""

import pytest

from kubewright.scaffold.kustomize.collection import Collection
from kubewright.scaffold.kustomize.fields import LegacySortOptions, SortOptions
from kubewright.scaffold.kustomize.identity import GroupVersionKind
from kubewright.scaffold.kustomize.ordering import kind_key, sort
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.resource import resources

SOME = "---\n".join(
    f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: {name}}}\n"
    for version, kind, name in (
        ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "w"),
        ("example.com/v1", "Shop", "b"),
        ("apps/v1", "Deployment", "d"),
        ("example.com/v1", "Shop", "a"),
        ("other.com/v1", "Namespace", "foreign"),
        ("v1", "Namespace", "n"),
    )
)


def names_after(options: SortOptions | None) -> str:
    """Return the names in their order."""
    found = Collection(resources(SOME, place=""))
    sort(found, options)
    return " ".join(one.name for one in found)


def test_what_others_need_comes_first() -> None:
    """A namespace before what is in it, webhooks after what answers them."""
    assert names_after(None) == "n foreign d a b w"
    assert names_after(SortOptions(order="legacy")) == "n foreign d a b w"


def test_the_order_of_the_files_can_stay() -> None:
    """With ``fifo``, people have put it in order themselves."""
    assert names_after(SortOptions(order="fifo")) == "w b d a foreign n"


def test_kinds_can_have_an_order_of_ones_own() -> None:
    """Those that are not named come between."""
    own = LegacySortOptions(order_first=["Shop"], order_last=["Namespace"])

    assert names_after(SortOptions(order="legacy", legacy_sort_options=own)) == "a b w d n foreign"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (SortOptions(order="random"), "order 'random' is neither fifo nor legacy"),
        (
            SortOptions(order="fifo", legacy_sort_options=LegacySortOptions()),
            "legacySortOptions need `order: legacy`",
        ),
    ],
)
def test_an_unknown_order_is_refused(options: SortOptions, why: str) -> None:
    """It would not be the one that was meant."""
    with pytest.raises(ProblemError) as caught:
        names_after(options)

    assert str(caught.value) == why


def test_kinds_without_a_place_sort_by_group() -> None:
    """Fields of one kind are sorted so, too."""
    kinds = [GroupVersionKind(), GroupVersionKind("b", "v1", "B"), GroupVersionKind("a", "v1", "A")]

    assert [one.kind for one in sorted(kinds, key=kind_key)] == ["A", "B", ""]
