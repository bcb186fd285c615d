"""The command ``kubewright scorecard``."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

from kubewright.bundle.document import Document, read_documents
from kubewright.bundle.reading import read_bundle
from kubewright.bundle.scoring import PATH, Result, Scored, Wanted, score, wanted_tests
from kubewright.cli.bundle.folder import place_of, read_texts
from kubewright.errors import ConfigError

__all__ = ["Options", "run"]

_VERSION = "scorecard.operatorframework.io/v1alpha3"


class Options(NamedTuple):
    """What the user wants; see ``kubewright scorecard --help``."""

    folder: Path
    config: Path | None = None
    selector: str = ""
    output: str = "text"
    only_list: bool = False


def run(options: Options) -> int:
    """Run the tests, or list them; return the exit status.

    Raises:
        ConfigError: There is no such bundle or configuration, or no test is selected.
    """
    place, texts = place_of(options.folder), read_texts(options.folder, what="bundle")
    wanted = wanted_tests(_configuration(options, place, texts), options.selector)
    if options.only_list:
        for one in wanted:
            labels = ",".join(f"{key}={value}" for key, value in sorted(one.labels.items()))
            print(f"{one.name:<26}  {labels}")  # noqa: T201  # the result
        return 0
    scored = score(read_bundle(place, texts), wanted)
    print(_text(scored, options.output))  # noqa: T201  # the result
    return int(any(one.result.state != "pass" for one in scored))


def _configuration(options: Options, place: str, texts: dict[str, str]) -> Document | None:
    if options.config is not None:
        try:
            return _read(str(options.config), options.config.read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"cannot read {options.config}: {error}") from None
    return _read(f"{place}/{PATH}", texts[PATH]) if PATH in texts else None


def _read(path: str, text: str) -> Document:
    documents = read_documents(path, text)
    if len(documents) != 1:
        raise ConfigError(f"{path} should have one document, and has {len(documents)}")
    return documents[0]


def _text(scored: Sequence[Scored], output: str) -> str:
    if output == "json":
        return json.dumps(_listed(scored), indent=2, ensure_ascii=False)
    if output == "xunit":
        return _xunit(scored)
    lines: list[str] = []
    for _, result in scored:
        lines.append(f"{result.state:<5}  {result.name}")
        lines += [f"       error: {one}" for one in result.errors]
        lines += [f"       suggestion: {one}" for one in result.suggestions]
    return "\n".join(lines)


def _listed(scored: Sequence[Scored]) -> dict[str, Any]:
    return {"apiVersion": _VERSION, "kind": "TestList", "items": [_item(*one) for one in scored]}


def _item(wanted: Wanted, result: Result) -> dict[str, Any]:
    found = {
        "name": result.name,
        "state": result.state,
        "errors": list(result.errors),
        "suggestions": list(result.suggestions),
    }
    return {
        "apiVersion": _VERSION,
        "kind": "Test",
        "spec": {
            "image": wanted.image,
            "entrypoint": list(wanted.entrypoint),
            "labels": dict(wanted.labels),
        },
        "status": {"results": [{key: one for key, one in found.items() if one}]},
    }


def _xunit(scored: Sequence[Scored]) -> str:
    states = [one.result.state for one in scored]
    suite = ET.Element(
        "testsuite",
        name="scorecard",
        tests=str(len(states)),
        failures=str(states.count("fail")),
        errors=str(states.count("error")),
    )
    for wanted, result in scored:
        suite_of = wanted.labels.get("suite", "")
        case = ET.SubElement(suite, "testcase", name=result.name, classname=suite_of)
        if result.state != "pass":
            tag = "failure" if result.state == "fail" else "error"
            said = "\n".join(result.errors)
            ET.SubElement(case, tag, message=result.errors[0]).text = said
        if result.suggestions:
            ET.SubElement(case, "system-out").text = "\n".join(result.suggestions)
    ET.indent(suite)
    return ET.tostring(suite, encoding="unicode")
