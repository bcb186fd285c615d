"""Which validators run: those for every bundle, and the optional ones that somebody selects."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from kubewright.api.selectors import Selector
from kubewright.bundle.finding import Finding
from kubewright.bundle.reading import Bundle
from kubewright.bundle.validation.community import check_community
from kubewright.bundle.validation.definitions import check_definitions
from kubewright.bundle.validation.hub import check_capabilities, check_categories, check_hub
from kubewright.bundle.validation.layout import check_layout
from kubewright.bundle.validation.objects import check_objects
from kubewright.bundle.validation.platforms import check_platforms
from kubewright.bundle.validation.practices import check_practices
from kubewright.bundle.validation.removed import check_removed
from kubewright.bundle.validation.serviceversion import check_service_version

__all__ = ["OPTIONAL", "Validator", "selected", "validate"]

Check = Callable[[Bundle, Mapping[str, str]], Iterator[Finding]]


class Validator(NamedTuple):
    """A check that is made only if it is asked for.

    Attributes:
        name: Its name.
        about: What it looks at.
        check: The function.
        suite: The suite that it belongs to; empty for none.
        aliases: Other names that operator-sdk has had for it.
    """

    name: str
    about: str
    check: Check
    suite: str = "operatorframework"
    aliases: tuple[str, ...] = ()

    @property
    def labels(self) -> list[Mapping[str, str]]:
        """The labels by which it is selected, for each of its names."""
        suite = {"suite": self.suite} if self.suite else {}
        return [{"name": one, **suite} for one in (self.name, *self.aliases)]


def _plain(check: Callable[[Bundle], Iterator[Finding]]) -> Check:
    return lambda bundle, options: check(bundle)


def _whole_hub(bundle: Bundle, options: Mapping[str, str]) -> Iterator[Finding]:
    for check in (check_hub, check_capabilities, check_categories):
        yield from check(bundle)
    yield from check_removed(bundle, options)


OPTIONAL: tuple[Validator, ...] = (
    Validator(
        "operatorhubv2",
        "What a public catalog asks: provider, maintainers, links, icon.",
        _plain(check_hub),
        aliases=("operatorhub/v2",),
    ),
    Validator(
        "capabilities",
        "The annotation capabilities names a known level.",
        _plain(check_capabilities),
        aliases=("standardcapabilities",),
    ),
    Validator(
        "categories",
        "The annotation categories names known ones.",
        _plain(check_categories),
        aliases=("standardcategories",),
    ),
    Validator(
        "operatorhub",
        "The three above and alpha-deprecated-apis together.",
        _whole_hub,
        suite="",
    ),
    Validator(
        "good-practices",
        "Requests of containers, names, channels, descriptions, rights about CRDs.",
        _plain(check_practices),
    ),
    Validator(
        "alpha-deprecated-apis",
        "Objects that Kubernetes 1.22, 1.25 or 1.26 does not know any more; the value k8s-version"
        " says which is meant.",
        check_removed,
    ),
    Validator(
        "community",
        "Bundles with objects that are gone in 1.22 stay off OpenShift 4.9; the value index-path"
        " names their Dockerfile.",
        check_community,
        suite="",
    ),
    Validator(
        "multiarch",
        "Images run on the platforms that the labels promise; their registries are asked.",
        check_platforms,
        suite="",
    ),
)
"""The optional validators."""

_DEFAULT: tuple[tuple[str, Callable[[Bundle], Iterator[Finding]]], ...] = (
    ("format", check_layout),
    ("csv", check_service_version),
    ("crd", check_definitions),
    ("objects", check_objects),
)


def selected(selector: str) -> list[Validator]:
    """Return the optional validators whose labels *selector* selects; none if it is empty.

    Raises:
        ValueError: It is not a selector, or selects nothing; the message says what there is.
    """
    if not selector:
        return []
    # The names of validators may have a slash in them, which values of labels have not.
    wanted = Selector.parse(selector.replace("operatorhub/v2", "operatorhubv2"))
    found = [one for one in OPTIONAL if any(wanted.matches(labels) for labels in one.labels)]
    if not found:
        names = ", ".join(f"name={one.name}" for one in OPTIONAL)
        raise ValueError(
            f"{selector!r} selects no validator. There are {names}; suite=operatorframework"
        )
    return found


def validate(
    bundle: Bundle, optional: Iterable[Validator] = (), options: Mapping[str, str] | None = None
) -> list[Finding]:
    """Return what is wrong with *bundle*.

    Args:
        bundle: The bundle.
        optional: Validators to run besides those for every bundle.
        options: Values for them, such as ``k8s-version``.
    """
    found = [one._replace(validator=name) for name, check in _DEFAULT for one in check(bundle)]
    for validator in optional:
        found += [
            one._replace(validator=validator.name) for one in validator.check(bundle, options or {})
        ]
    different = {(one.path, one.line, one.message): one for one in reversed(found)}
    return list(reversed(different.values()))
