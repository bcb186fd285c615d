"""The tests that operator-sdk's scorecard brings, as functions of a bundle: no pod, no cluster."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from kubewright.api.selectors import Selector
from kubewright.bundle.document import Document, at, items, mapping, text
from kubewright.bundle.finding import Level
from kubewright.bundle.reading import Bundle
from kubewright.bundle.scorecard import configuration
from kubewright.bundle.validation.selection import validate
from kubewright.errors import ConfigError

__all__ = [
    "PATH",
    "TESTS",
    "Result",
    "Scored",
    "Stage",
    "Wanted",
    "score",
    "wanted_stages",
    "wanted_tests",
]

PATH: str = "tests/scorecard/config.yaml"
"""Where a bundle says which tests should run."""
_COMMAND = "scorecard-test"
_IMAGE = "scorecard-test"


class Result(NamedTuple):
    """How a test has ended.

    Attributes:
        name: The test.
        state: ``pass``, ``fail``, or ``error`` for a test that could not run.
        errors: What is wrong.
        suggestions: What could be better.
        log: What else it has said.
    """

    name: str
    state: str
    errors: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    log: str = ""


class Wanted(NamedTuple):
    """A test that a configuration asks for.

    Attributes:
        entrypoint: The command that would run in a pod.
        image: The image of that pod.
        labels: What it is selected by.
        storage: A folder in its pod whose files are kept; empty for none.
    """

    entrypoint: tuple[str, ...]
    image: str
    labels: Mapping[str, str]
    storage: str = ""

    @property
    def name(self) -> str:
        """The name of the test."""
        return self.entrypoint[-1] if self.entrypoint else "?"

    @property
    def is_own(self) -> bool:
        """Whether it is one of `TESTS`, which need no pod."""
        return self.name in TESTS and self.entrypoint[0] == _COMMAND and _IMAGE in self.image


class Stage(NamedTuple):
    """Tests that run before those of the next stage.

    Attributes:
        tests: The tests.
        parallel: Whether they may run at the same time.
    """

    tests: tuple[Wanted, ...]
    parallel: bool = False


class Scored(NamedTuple):
    """A test, and how it has ended."""

    wanted: Wanted
    result: Result


Said = Iterator[tuple[str, str]]
"""Pairs of ``error`` or ``suggestion`` and a text."""


def wanted_stages(content: Document | None, selector: str = "") -> list[Stage]:
    """Return the tests of a configuration whose labels *selector* selects, stage by stage.

    Args:
        content: The configuration; by default, the one with all tests.
        selector: A selector of labels, such as ``suite=olm``; empty for all.

    Raises:
        ConfigError: The configuration has no tests, or the selector selects none.
    """
    said = content.content if content else configuration()
    place = content.path if content else PATH
    stages = [
        Stage(tuple(map(_read, items(at(one, "tests")))), at(one, "parallel") is True)
        for one in items(said.get("stages"))
    ]
    found = [one for stage in stages for one in stage.tests]
    if not found:
        raise ConfigError(f"{place} has no stages with tests")
    if any(not one.entrypoint or not one.image for one in found):
        raise ConfigError(f"{place}: each test needs an image and an entrypoint")
    try:
        wanted = Selector.parse(selector)
    except ValueError as error:
        raise ConfigError(f"--selector: {error}") from None
    chosen = [
        stage._replace(tests=tuple(one for one in stage.tests if wanted.matches(one.labels)))
        for stage in stages
    ]
    if not any(stage.tests for stage in chosen):
        known = ", ".join(f"{key}={one.labels[key]}" for one in found for key in sorted(one.labels))
        raise ConfigError(f"--selector: {selector!r} selects no test. There are {known}")
    return [stage for stage in chosen if stage.tests]


def wanted_tests(content: Document | None, selector: str = "") -> list[Wanted]:
    """Return the same without stages.

    Raises:
        ConfigError: As `wanted_stages`.
    """
    return [one for stage in wanted_stages(content, selector) for one in stage.tests]


def score(bundle: Bundle, wanted: Iterable[Wanted]) -> list[Scored]:
    """Run tests on *bundle*."""
    return [Scored(one, _run(bundle, one)) for one in wanted]


def _read(found: Any) -> Wanted:
    labels = {key: str(value) for key, value in mapping(at(found, "labels")).items()}
    entrypoint = tuple(map(str, items(at(found, "entrypoint"))))
    storage = text(at(found, "storage", "spec", "mountPath", "path"))
    return Wanted(entrypoint, text(at(found, "image")), labels, storage)


def _run(bundle: Bundle, wanted: Wanted) -> Result:
    if not wanted.is_own:
        said = " ".join(wanted.entrypoint)
        why = f"`{said}` of {wanted.image} runs in a pod, and there is no cluster for it"
        return Result(wanted.name, "error", (why,))
    found = list(TESTS[wanted.name](bundle))
    errors = tuple(what for kind, what in found if kind == "error")
    suggestions = tuple(what for kind, what in found if kind == "suggestion")
    return Result(wanted.name, "fail" if errors else "pass", errors, suggestions)


def _examples(bundle: Bundle) -> list[dict[str, Any]]:
    csv = bundle.csv
    said = csv.at("metadata", "annotations", "alm-examples") if csv else None
    try:
        found = json.loads(text(said) or "[]")
    except ValueError:
        return []  # the validation of the bundle says so
    return [mapping(one) for one in items(found)]


def _owned(bundle: Bundle) -> list[dict[str, Any]]:
    csv = bundle.csv
    found = csv.at("spec", "customresourcedefinitions", "owned") if csv else None
    return [mapping(one) for one in items(found)]


def _title(example: Mapping[str, Any]) -> str:
    return f"{text(example.get('kind'))} {text(at(example, 'metadata', 'name'))}"


def _of(bundle: Bundle, example: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry of the list of kinds that *example* is of."""
    version = text(example.get("apiVersion")).rpartition("/")[2]
    kind = example.get("kind")
    found = (one for one in _owned(bundle) if one.get("kind") == kind)
    return next((one for one in found if one.get("version") == version), {})


def _check_spec(bundle: Bundle) -> Said:
    if not _examples(bundle):
        yield "error", "alm-examples has no objects to look at"
    for one in _examples(bundle):
        if not mapping(one.get("spec")):
            yield "error", f"{_title(one)} has no spec"


def _check_bundle(bundle: Bundle) -> Said:
    for one in validate(bundle):
        yield "error" if one.level is Level.ERROR else "suggestion", str(one)


def _check_validation(bundle: Bundle) -> Said:
    for one in _examples(bundle):
        version = text(one.get("apiVersion")).rpartition("/")[2]
        for crd in bundle.crds:
            if crd.at("spec", "names", "kind") != one.get("kind"):
                continue
            for listed in items(crd.at("spec", "versions")):
                if at(listed, "name") == version:
                    schema = at(listed, "schema", "openAPIV3Schema", "properties")
                    yield from _unknown_fields(one, schema)


def _unknown_fields(example: Mapping[str, Any], schema: Any) -> Said:
    for part in ("spec", "status"):
        known = mapping(at(schema, part, "properties"))
        for field in mapping(example.get(part)):
            if field not in known:
                yield "error", f"{_title(example)}: the schema of its CRD has no {part}.{field}"


def _check_resources(bundle: Bundle) -> Said:
    for one in _owned(bundle):
        if not items(one.get("resources")):
            kind = f"{one.get('kind')} of {one.get('version')}"
            yield "error", f"{kind} has no resources: what do its objects consist of?"


def _check_spec_descriptors(bundle: Bundle) -> Said:
    for one in _examples(bundle):
        paths = {text(at(each, "path")) for each in items(_of(bundle, one).get("specDescriptors"))}
        for field in mapping(one.get("spec")):
            if field not in paths:
                yield "error", f"{_title(one)}: spec.{field} has no descriptor"


def _check_status_descriptors(bundle: Bundle) -> Said:
    for one in _examples(bundle):
        if not mapping(one.get("status")):
            yield "suggestion", f"{_title(one)} has no status to look at"
        elif not items(_of(bundle, one).get("statusDescriptors")):
            yield "error", f"{text(one.get('kind'))} has no descriptors of its status"


TESTS: Mapping[str, Callable[[Bundle], Said]] = {
    "basic-check-spec": _check_spec,
    "olm-bundle-validation": _check_bundle,
    "olm-crds-have-validation": _check_validation,
    "olm-crds-have-resources": _check_resources,
    "olm-spec-descriptors": _check_spec_descriptors,
    "olm-status-descriptors": _check_status_descriptors,
}
"""The tests, by name."""
