"""The command ``kubewright scorecard``."""

import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree import ElementTree as ET

from kubewright.bundle.document import Document, read_documents, text
from kubewright.bundle.scoring import (
    PATH,
    Result,
    Scored,
    Stage,
    Wanted,
    score,
    wanted_stages,
)
from kubewright.cli.bundle.source import Source, read_source
from kubewright.cli.deploy.session import Access
from kubewright.cli.deploy.session import run as connected
from kubewright.errors import ConfigError

if TYPE_CHECKING:
    from kubewright.cli.deploy.screen import Screen
    from kubewright.client import Client

__all__ = ["Options", "run"]

_VERSION = "scorecard.operatorframework.io/v1alpha3"


class Options(NamedTuple):
    """What the user wants; see ``kubewright scorecard --help``."""

    source: str
    config: Path | None = None
    selector: str = ""
    output: str = "text"
    only_list: bool = False
    access: Access = Access()
    namespace: str = ""
    account: str = ""
    timeout: float = 30.0
    keep: bool = False
    untar_image: str = ""
    restricted: bool = False


def run(options: Options) -> int:
    """Run the tests, or list them; return the exit status.

    Raises:
        ConfigError: There is no such bundle or configuration, no test is selected, or tests need
            pods and there is no cluster.
    """
    source = read_source(options.source)
    content = _configuration(options, source.bundle.root, source.texts)
    stages = wanted_stages(content, options.selector)
    wanted = [one for stage in stages for one in stage.tests]
    if options.only_list:
        for one in wanted:
            labels = ",".join(f"{key}={value}" for key, value in sorted(one.labels.items()))
            print(f"{one.name:<26}  {labels}")  # noqa: T201  # the result
        return 0
    if all(one.is_own for one in wanted):
        return _tell(score(source.bundle, wanted), options)
    return _run_in_pods(options, content, source, stages)


def _run_in_pods(
    options: Options, content: Document | None, source: Source, stages: Sequence[Stage]
) -> int:
    from kubewright.bundle.testrun import PodSettings
    from kubewright.cli.bundle.testing import TestRun

    async def work(client: "Client", screen: "Screen") -> int:
        account = options.account or text(content.at("serviceaccount") if content else None)
        settings = PodSettings(
            options.namespace or client.namespace, account, restricted=options.restricted
        )
        if options.untar_image:
            settings = settings._replace(untar_image=options.untar_image)
        tests = TestRun(
            client, screen, source.bundle, source.texts,
            settings=settings, timeout=options.timeout, keep=options.keep,
        )  # fmt: skip
        scored = await tests.run(stages)
        screen.end()
        return _tell(scored, options)

    return connected(options.access, work, doing="run")


def _tell(scored: Sequence[Scored], options: Options) -> int:
    print(_text(scored, options.output))  # noqa: T201  # the result
    return int(any(one.result.state != "pass" for one in scored))


def _configuration(options: Options, place: str, texts: dict[str, str]) -> Document | None:
    if options.config is not None:
        try:
            return _read(str(options.config), options.config.read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"cannot read {options.config}: {error}") from None
    return _read(f"{place}/{PATH}", texts[PATH]) if PATH in texts else None


def _read(path: str, content: str) -> Document:
    documents = read_documents(path, content)
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
    # A test may have several results, which come one after the other.
    tests = groupby(scored, key=lambda one: id(one.wanted))
    each = [list(group) for _, group in tests]
    listed = [_item(one[0].wanted, [result for _, result in one]) for one in each]
    return {"apiVersion": _VERSION, "kind": "TestList", "items": listed}


def _item(wanted: Wanted, results: Sequence[Result]) -> dict[str, Any]:
    return {
        "apiVersion": _VERSION,
        "kind": "Test",
        "spec": {
            "image": wanted.image,
            "entrypoint": list(wanted.entrypoint),
            "labels": dict(wanted.labels),
        },
        "status": {"results": [_shown(one) for one in results]},
    }


def _shown(result: Result) -> dict[str, Any]:
    found = {
        "name": result.name,
        "log": result.log,
        "state": result.state,
        "errors": list(result.errors),
        "suggestions": list(result.suggestions),
    }
    return {key: one for key, one in found.items() if one}


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
            ET.SubElement(case, tag, message=said.partition("\n")[0]).text = said
        if result.suggestions:
            ET.SubElement(case, "system-out").text = "\n".join(result.suggestions)
    ET.indent(suite)
    return ET.tostring(suite, encoding="unicode")
