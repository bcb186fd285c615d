"""The CronJob sample in its tests: its kinds and manifests, by their names in kubectl."""

from collections.abc import Callable

from tests.e2e.program import EXAMPLES, Program

NAME = "cronjob-sample"
SAMPLES = EXAMPLES / "cronjob" / "samples"
SAMPLE = (SAMPLES / "cronjob-v1.yaml").read_text()
GROUP = "batch.tutorial.kubebuilder.io"
V1, V2 = f"cronjobs.v1.{GROUP}", f"cronjobs.v2.{GROUP}"
CRD = f"customresourcedefinition/cronjobs.{GROUP}"
CONFIGURATIONS = tuple(
    f"{flavour}webhookconfiguration/cronjob-{flavour}-webhook-configuration"
    for flavour in ("mutating", "validating")
)

StartCronJob = Callable[[], Program]


def manifest(*lines: str, schedule: str = "*/1 * * * *", name: str = NAME) -> str:
    """Return the sample in v1, with more lines in its spec."""
    more = "".join(f"  {line}\n" for line in lines)
    text = SAMPLE.replace("*/1 * * * *", schedule).replace(NAME, name)
    return text.replace("spec:\n", f"spec:\n{more}", 1)
