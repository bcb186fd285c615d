import json

from kubewright.application.diagnosis import Diagnosis
from kubewright.application.diagnosis.examination import conclude
from kubewright.application.diagnosis.finding import error, fine, info, warning
from kubewright.cli.doctor.report import Header, as_json, as_text, with_flags

DEPLOYMENT = "deployment/shop in namespace shop-system"
HEADER = Header("https://10.0.0.1:6443", "v1.31.0", "shop", "shop-system")


def diagnosis() -> Diagnosis:
    """Return a bit of everything."""
    return conclude(
        [
            info("kubectl", "kubectl is old."),
            error(
                DEPLOYMENT,
                "Pod shop-1 crashes. Its last words:\n  Traceback\n  ValueError: " + "x" * 120,
                why="Nothing is reconciled. " * 8,
                mend=["# Look at it:", "kubectl logs shop-1 --namespace shop-system"],
            ),
            warning(
                "service/shop",
                "No pod is ready.",
                causes=["deployment/shop in namespace shop-system"],
            ),
            fine("the CRDs are installed"),
        ],
        checks=3,
    )


def test_a_block_says_what_why_and_how_to_mend_it() -> None:
    """In the order in which one asks at three in the morning."""
    text = as_text(diagnosis(), HEADER)

    assert text == (
        "ERROR deployment/shop in namespace shop-system\n"
        "  Pod shop-1 crashes. Its last words:\n"
        "    Traceback\n"
        f"    ValueError: {'x' * 120}\n"
        f"  {' '.join(['Nothing is reconciled.'] * 4)}\n"
        f"  {' '.join(['Nothing is reconciled.'] * 4)}\n"
        "  With it goes:\n"
        "  - service/shop: No pod is ready.\n"
        "  To mend it:\n"
        "    # Look at it:\n"
        "    kubectl logs shop-1 --namespace shop-system\n"
        "\n"
        "HINT kubectl\n"
        "  kubectl is old.\n"
        "\n"
        "1 error, 1 hint (3 checks). Kubernetes v1.31.0 at https://10.0.0.1:6443, operator shop,"
        " namespace shop-system"
    )


def test_health_is_one_line() -> None:
    """And it says of what, since the wrong cluster is healthy, too."""
    found = conclude([fine("the CRDs are installed")], checks=1)

    assert as_text(found, HEADER) == f"Nothing is wrong (1 checks). {HEADER}"
    assert "FINE\n  the CRDs are installed\n" in as_text(found, HEADER, verbose=True)


def test_colours_are_for_terminals() -> None:
    """A log would show their codes."""
    assert "\x1b[" not in as_text(diagnosis(), HEADER)
    assert "\x1b[31;1mERROR\x1b[0m deployment" in as_text(diagnosis(), HEADER, colours=True)


def test_a_manifest_can_be_pasted_as_it_is() -> None:
    """Indented, the shell would never see its end."""
    mend = ["kubectl apply --filename - <<'END'\nkind: Role\nEND"]
    text = as_text(
        conclude([error("a", "b", mend=mend)], checks=1), HEADER, flags=("--context", "x")
    )

    assert "\n\nkubectl --context x apply --filename - <<'END'\nkind: Role\nEND\n\n" in text


def test_commands_reach_the_cluster_that_was_looked_at() -> None:
    """Mending another one is worse than not mending."""
    flags = ("--kubeconfig", "/a b", "--context", "prod")
    said = "--kubeconfig '/a b' --context prod"

    assert with_flags("kubectl get pods", flags) == f"kubectl {said} get pods"
    assert with_flags("a | xargs kubectl get", flags) == f"a | xargs kubectl {said} get"
    assert with_flags('kubectl patch "$(kubectl get x)"', flags) == (
        f'kubectl {said} patch "$(kubectl {said} get x)"'
    )
    assert with_flags("kubewright install", flags) == f"kubewright install {said}"
    assert with_flags("# kubectl is old", flags) == "# kubectl is old"
    assert with_flags("timedatectl status", flags) == "timedatectl status"
    assert with_flags("kubectl get pods", ()) == "kubectl get pods"


def test_programs_get_everything() -> None:
    """A dashboard has to know what the terminal says."""
    found = json.loads(as_json(diagnosis(), HEADER, flags=("--context", "x"), verbose=True))

    assert found["healthy"] is False
    assert [one["severity"] for one in found["findings"]] == ["error", "info"]
    assert found["findings"][0]["consequences"] == ["service/shop: No pod is ready."]
    assert found["findings"][0]["mend"][1].startswith("kubectl --context x logs")
    assert found["fine"] == [{"check": "", "what": "the CRDs are installed"}]
    assert (found["url"], found["version"]) == ("https://10.0.0.1:6443", "v1.31.0")
