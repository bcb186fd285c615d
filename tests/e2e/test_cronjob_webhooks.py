"""The webhooks of the CronJob operator as a process, and what users of kubectl see of them."""

import json
from typing import Any

import pytest
import yaml

from tests.e2e.cluster import EndToEndCluster
from tests.e2e.cronjobs import NAME, SAMPLES, V1, V2, StartCronJob, manifest
from tests.e2e.kubectl import Kubectl
from tests.e2e.program import Program

pytest_plugins = ("tests.e2e.cronjob_fixtures",)

SPARSE = """\
apiVersion: batch.tutorial.kubebuilder.io/{version}
kind: CronJob
metadata:
  name: cronjob-sample
spec:
  {line}
"""


@pytest.fixture
def program(start_cronjob: StartCronJob) -> Program:
    """The operator, with its webhooks registered."""
    return start_cronjob()


@pytest.fixture(autouse=True)
def _running(program: Program) -> None:
    """Let it run in every test."""


def apply(kubectl: Kubectl, text: str, *flags: str) -> str:
    """Apply a manifest; return what kubectl prints."""
    return kubectl("apply", *flags, "--filename", "-", stdin=text)


def spec_of(kubectl: Kubectl, kind: str, name: str = NAME) -> dict[str, Any]:
    """Return the spec of an object in a version."""
    found: dict[str, Any] = yaml.safe_load(kubectl("get", kind, name, "--output=yaml"))["spec"]
    return found


def apply_part(kubectl: Kubectl, version: str, line: str, *, manager: str) -> None:
    """Apply one field of the sample by server-side apply; old servers miss the others."""
    text = SPARSE.format(version=version, line=line)
    apply(kubectl, text, "--server-side", f"--field-manager={manager}", "--validate=false")


async def test_defaults_are_in_what_kubectl_shows(kubectl: Kubectl) -> None:
    """Nobody has to know them by heart, nor to look into the source of the operator."""
    apply(kubectl, manifest(schedule="0 6 * * *").replace("  concurrencyPolicy: Allow\n", ""))

    spec = spec_of(kubectl, V1)

    assert spec["concurrencyPolicy"] == "Allow"
    assert spec["suspend"] is False
    assert spec["successfulJobsHistoryLimit"] == 3
    assert spec["failedJobsHistoryLimit"] == 1


async def test_a_refusal_shows_each_field_with_its_path(kubectl: Kubectl) -> None:
    """As kubectl shows what a schema refuses: all of it, one line for each."""
    name = "t" * 53

    said = kubectl.run_refused(
        "apply", "--filename", "-", stdin=manifest(schedule="0 25 * * *", name=name)
    )

    assert f'The CronJob "{name}" is invalid' in said
    assert f'* metadata.name: Invalid value: "{name}": must be no more than 52 characters' in said
    assert (
        '* spec.schedule: Invalid value: "0 25 * * *":'
        " cannot read '25' as hour: write 0 to 23, not '25'" in said
    )
    assert kubectl("get", V1, "--output=name") == ""


async def test_a_refusal_of_one_field_is_one_line(kubectl: Kubectl) -> None:
    """This is what is read most often."""
    said = kubectl.run_refused("apply", "--filename", "-", stdin=manifest(schedule="@often"))

    assert said.splitlines()[-1].startswith(
        f'The CronJob "{NAME}" is invalid: spec.schedule: Invalid value: "@often":'
        " there is no '@often': write one of @yearly, "
    )


async def test_a_v2_object_is_refused_like_one_of_v1(kubectl: Kubectl) -> None:
    """The check is written once, for the version that is stored."""
    text = (SAMPLES / "cronjob-v2.yaml").read_text().replace("*/1", "61")

    said = kubectl.run_refused("apply", "--filename", "-", stdin=text)

    assert "cannot read '61' as minute: write 0 to 59, not '61'" in said


async def test_warnings_are_printed(kubectl: Kubectl) -> None:
    """What is allowed, and probably not meant, is said before it hurts."""
    said = kubectl.warnings("apply", "--filename", "-", stdin=manifest(schedule="0 0 30 2 *"))

    assert said == ["Warning: spec.schedule: '0 0 30 2 *' never comes: no month has that day"]


async def test_a_dry_run_is_checked_and_filled_in_too(kubectl: Kubectl) -> None:
    """A pipeline finds out before it changes anything."""
    flags = ("--dry-run=server", "--output=yaml")

    shown = yaml.safe_load(apply(kubectl, manifest(), *flags))
    said = kubectl.run_refused(
        "apply", "--dry-run=server", "--filename", "-", stdin=manifest(schedule="every day")
    )

    assert shown["spec"]["failedJobsHistoryLimit"] == 1
    assert "spec.schedule" in said
    assert kubectl("get", V1, "--output=name") == ""


async def test_a_v1_object_can_be_read_as_v2_and_back(kubectl: Kubectl) -> None:
    """Both versions show one object, and a macro survives what is done by way of v2."""
    apply(kubectl, manifest(schedule="@hourly"))

    assert spec_of(kubectl, V2)["schedule"] == {"minute": "0"}

    kubectl("patch", V2, NAME, "--type=merge", '--patch={"spec":{"suspend":true}}')
    spec = spec_of(kubectl, V1)
    assert (spec["schedule"], spec["suspend"]) == ("@hourly", True)

    kubectl("patch", V2, NAME, "--type=merge", '--patch={"spec":{"schedule":{"hour":"6"}}}')
    assert spec_of(kubectl, V1)["schedule"] == "0 6 * * *"


async def test_kubectl_get_shows_the_columns_of_the_version(kubectl: Kubectl) -> None:
    """A list is converted as well as a single object."""
    apply(kubectl, manifest(schedule="30 6 * * MON-FRI"))

    old, new = (kubectl("get", kind).splitlines() for kind in (V1, V2))

    assert old[0].split()[:2] == ["NAME", "SCHEDULE"]
    assert "30 6 * * MON-FRI" in old[1]
    assert new[0].split()[:6] == ["NAME", "MINUTE", "HOUR", "DAY", "MONTH", "WEEKDAY"]
    assert new[1].split()[:4] == [NAME, "30", "6", "MON-FRI"]


async def test_both_samples_can_be_applied_and_applied_again(kubectl: Kubectl) -> None:
    """What is applied again has not changed, in whichever version it is stored."""
    first = kubectl("apply", "--filename", str(SAMPLES))
    second = kubectl("apply", "--filename", str(SAMPLES))

    names = [f"cronjob.batch.tutorial.kubebuilder.io/{name}" for name in (NAME, f"{NAME}-v2")]
    assert first.splitlines() == [f"{name} created" for name in names]
    assert second.splitlines() == [f"{name} unchanged" for name in names]
    assert spec_of(kubectl, V1, f"{NAME}-v2")["schedule"] == "*/1 * * * *"
    assert spec_of(kubectl, V2)["schedule"] == {"minute": "*/1"}


async def test_one_object_can_be_applied_in_both_versions_by_turns(kubectl: Kubectl) -> None:
    """A team that moves to v2 does so file by file, and may have to go back."""
    text = (SAMPLES / "cronjob-v2.yaml").read_text().replace(f"{NAME}-v2", NAME)
    old, new = manifest(), text.replace('minute: "*/1"', 'minute: "5"')

    apply(kubectl, old)
    apply(kubectl, new)
    assert spec_of(kubectl, V1)["schedule"] == "5 * * * *"
    assert spec_of(kubectl, V1)["concurrencyPolicy"] == "Forbid"

    apply(kubectl, old)
    assert spec_of(kubectl, V2)["schedule"] == {"minute": "*/1"}
    assert spec_of(kubectl, V2)["concurrencyPolicy"] == "Allow"


async def test_a_v2_object_can_be_applied_by_the_server_again(
    kubectl: Kubectl, program: Program
) -> None:
    """Deployment tools do it every few minutes, and the operator owns the status in v1."""
    text = (SAMPLES / "cronjob-v2.yaml").read_text().replace("*/1", "5")
    apply(kubectl, text, "--server-side")
    program.wait_for_line('"reconciled"')

    apply(kubectl, text.replace('"5"', '"6"'), "--server-side")

    assert spec_of(kubectl, V2, f"{NAME}-v2")["schedule"] == {"minute": "6"}


async def test_two_managers_own_fields_in_different_versions(kubectl: Kubectl) -> None:
    """Server-side apply converts for each, and neither takes anything from the other."""
    flags = ("--server-side", "--field-manager=old")
    apply(kubectl, manifest(schedule="0 6 * * *"), *flags)
    apply_part(kubectl, "v2", "suspend: true", manager="new")

    apply(kubectl, manifest(schedule="0 7 * * *"), *flags)
    apply_part(kubectl, "v2", "failedJobsHistoryLimit: 5", manager="new")

    spec = spec_of(kubectl, V2)
    assert spec["schedule"] == {"minute": "0", "hour": "7"}
    assert spec["failedJobsHistoryLimit"] == 5
    assert spec["suspend"] is False  # given up by its only owner, and then the default
    assert managers(kubectl) >= {("old", "v1"), ("new", "v2")}


async def test_a_conflict_is_found_across_versions(
    cluster: EndToEndCluster, kubectl: Kubectl
) -> None:
    """The text of one manager is the fields of another; who changes them is told whose they are."""
    if cluster.choice == "embedded":
        pytest.skip("the embedded server does not convert managedFields: see docs/differences.md")
    flags = ("--server-side", "--field-manager=old")
    apply(kubectl, manifest(schedule="0 6 * * *"), *flags)
    part = SPARSE.format(version="v2", line='schedule: {minute: "30", hour: "6"}')
    arguments = ("apply", "--server-side", "--field-manager=new", "--validate=false")

    said = kubectl.run_refused(*arguments, "--filename", "-", stdin=part)
    assert 'conflict with "old": .spec.schedule' in said

    kubectl(*arguments, "--force-conflicts", "--filename", "-", stdin=part)
    assert spec_of(kubectl, V1)["schedule"] == "30 6 * * *"


def managers(kubectl: Kubectl) -> set[tuple[str, str]]:
    """Return who owns fields of the sample, and in which version."""
    shown = kubectl("get", V1, NAME, "--output=json", "--show-managed-fields")
    entries = json.loads(shown)["metadata"]["managedFields"]
    return {(one["manager"], one["apiVersion"].rpartition("/")[2]) for one in entries}
