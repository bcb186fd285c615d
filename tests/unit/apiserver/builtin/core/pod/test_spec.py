"""The rest of a pod's spec: names, policies, DNS, security, placement."""

from typing import Any

import pytest

from tests.unit.apiserver.builtin.workload_samples import (
    CONTAINER,
    SELECTOR,
    a_pod,
    pod_with,
    refusals,
)

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
NODES = "spec.affinity.nodeAffinity"
IP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
SPREAD = "spec.topologySpreadConstraints[0]"


def nodes(**affinity: Any) -> Any:
    return {"affinity": {"nodeAffinity": affinity}}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (
            {"restartPolicy": "X"},
            [
                (
                    'spec.restartPolicy: Unsupported value: "X": supported values: "Always", '
                    '"OnFailure", "Never"'
                )
            ],
        ),
        (
            {"dnsPolicy": "X"},
            [
                (
                    'spec.dnsPolicy: Unsupported value: "X": supported values: '
                    '"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"'
                )
            ],
        ),
        (
            {"dnsPolicy": "None"},
            ["spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"],
        ),
        (
            {"dnsPolicy": "None", "dnsConfig": {}},
            [
                (
                    "spec.dnsConfig.nameservers: Required value: must provide at least one DNS "
                    "nameserver when `dnsPolicy` is None"
                )
            ],
        ),
        (
            {"dnsConfig": {"nameservers": ["x"], "options": [{}]}},
            [
                f'spec.dnsConfig.nameservers[0]: Invalid value: "x": {IP}',
                "spec.dnsConfig.options[0]: Required value: must not be empty",
            ],
        ),
        ({"dnsConfig": {"searches": ["_a.b.", "."]}}, []),
        (
            {"activeDeadlineSeconds": 0},
            [
                (
                    "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and "
                    "2147483647, inclusive"
                )
            ],
        ),
        (
            {"shareProcessNamespace": True, "hostPID": True},
            [
                (
                    "spec.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and "
                    "HostPID cannot both be enabled"
                )
            ],
        ),
        (
            {"hostUsers": False, "hostPID": True},
            ["spec.HostPID: Forbidden: when `hostUsers` is false"],
        ),
        (
            {"hostnameOverride": "a", "hostNetwork": True},
            ["spec.hostnameOverride: Forbidden: may not be specified when hostNetwork is true"],
        ),
        (
            {"hostAliases": [{"ip": "1.2.3"}]},
            [f'spec.hostAliases[0].ip: Invalid value: "1.2.3": {IP}'],
        ),
        (
            {"preemptionPolicy": "X"},
            [
                (
                    'spec.preemptionPolicy: Unsupported value: "X": supported values: '
                    '"PreemptLowerPriority", "Never"'
                )
            ],
        ),
        (
            {"os": {"name": "dos"}},
            ['spec.os: Unsupported value: "dos": supported values: "linux", "windows"'],
        ),
        (
            {"schedulingGates": [{"name": "a"}, {"name": "a"}]},
            ['spec.schedulingGates[1]: Duplicate value: "a"'],
        ),
        (
            {"resourceClaims": [{"name": "r"}]},
            [
                (
                    'spec.resourceClaims[0]: Invalid value: {"name":"r"}: must specify one of: '
                    "`resourceClaimName`, `resourceClaimTemplateName`"
                )
            ],
        ),
        (
            {"securityContext": {"fsGroup": -1, "fsGroupChangePolicy": "X"}},
            [
                (
                    "spec.securityContext.fsGroup: Invalid value: -1: must be between 0 and "
                    "2147483647, inclusive"
                ),
                (
                    'spec.securityContext.fsGroupChangePolicy: Unsupported value: "X": supported '
                    'values: "Always", "OnRootMismatch"'
                ),
            ],
        ),
        (
            {
                "hostNetwork": True,
                "securityContext": {"sysctls": [{"name": "net.core.x", "value": "1"}]},
            },
            [
                (
                    'spec.securityContext.sysctls[0].name: Invalid value: "net.core.x": may not'
                    " be specified when 'hostNetwork' is true"
                )
            ],
        ),
        (
            {"securityContext": {"appArmorProfile": {"type": "Localhost"}}},
            [
                (
                    "spec.securityContext.appArmorProfile.localhostProfile: Required value: must "
                    "be set when AppArmor type is Localhost"
                )
            ],
        ),
        (
            nodes(**{REQUIRED: {}}),
            [
                (
                    f"{NODES}.{REQUIRED}.nodeSelectorTerms: Required value: must have at least one"
                    " node selector term"
                )
            ],
        ),
        (
            nodes(
                **{
                    PREFERRED: [
                        {
                            "weight": 101,
                            "preference": {"matchExpressions": [{"key": "a", "operator": "Gt"}]},
                        }
                    ]
                }
            ),
            [
                f"{NODES}.{PREFERRED}[0].weight: Invalid value: 101: must be in the range 1-100",
                (
                    f"{NODES}.{PREFERRED}[0].preference.matchExpressions[0].values: Required "
                    "value: must be specified single value when `operator` is 'Lt' or 'Gt'"
                ),
            ],
        ),
        (
            nodes(
                **{
                    REQUIRED: {
                        "nodeSelectorTerms": [{"matchFields": [{"key": "a", "operator": "In"}]}]
                    }
                }
            ),
            [
                (
                    f"{NODES}.{REQUIRED}.nodeSelectorTerms[0].matchFields[0].values: Required "
                    "value: must be only one value when `operator` is 'In' or 'NotIn' for node "
                    "field selector"
                ),
                (
                    f"{NODES}.{REQUIRED}.nodeSelectorTerms[0].matchFields[0].key: Invalid value: "
                    '"a": not a valid field selector key'
                ),
            ],
        ),
        (
            {"tolerations": [{"value": "x"}]},
            [
                (
                    'spec.tolerations[0].operator: Invalid value: "": operator must be Exists '
                    'when `key` is empty, which means "match all values and all keys"'
                )
            ],
        ),
        (
            {"tolerations": [{"key": "a", "operator": "Lt", "value": "1"}]},
            [
                (
                    'spec.tolerations[0].operator: Unsupported value: "Lt": supported values: '
                    '"Equal", "Exists", "Lt", "Gt"'
                )
            ],
        ),
        (
            {"topologySpreadConstraints": [{"minDomains": 1, "matchLabelKeys": ["a"]}]},
            [
                f"{SPREAD}.maxSkew: Invalid value: 0: must be greater than zero",
                f"{SPREAD}.topologyKey: Required value: can not be empty",
                (
                    f'{SPREAD}.whenUnsatisfiable: Unsupported value: "": supported values: '
                    '"DoNotSchedule", "ScheduleAnyway"'
                ),
                (
                    f"{SPREAD}.minDomains: Invalid value: 1: can only use minDomains if "
                    "whenUnsatisfiable=DoNotSchedule, not "
                ),
                (
                    f"{SPREAD}.matchLabelKeys: Forbidden: must not be specified when labelSelector"
                    " is not set"
                ),
            ],
        ),
        (
            {
                "topologySpreadConstraints": [
                    {
                        "maxSkew": 1,
                        "topologyKey": "z",
                        "whenUnsatisfiable": "DoNotSchedule",
                        "labelSelector": SELECTOR,
                    }
                ]
                * 2
            },
            [
                (
                    f'{SPREAD}.{{topologyKey, whenUnsatisfiable}}: Duplicate value: "{{z, '
                    'DoNotSchedule}"'
                )
            ],
        ),
    ],
)
def test_a_wrong_spec_is_refused(spec: Any, expected: list[str]) -> None:
    """The texts and their order are Kubernetes'."""
    assert refusals("", "pods", a_pod(**spec)) == expected


@pytest.mark.parametrize(
    "name",
    [
        "serviceAccountName",
        "nodeName",
        "hostname",
        "subdomain",
        "priorityClassName",
        "runtimeClassName",
    ],
)
def test_names_of_other_things_are_names(name: str) -> None:
    """A reference that cannot exist is refused at once."""
    texts = refusals("", "pods", a_pod(**{name: "A_"}))

    assert len(texts) == 1
    assert texts[0].startswith(f'spec.{name}: Invalid value: "A_": a lowercase RFC 1123')


def test_a_containers_security_context_is_shown_as_gos_struct() -> None:
    """Its fields appear with Go's names, all of them."""
    context = {"allowPrivilegeEscalation": False, "privileged": True}

    [text] = refusals("", "pods", pod_with(securityContext=context))

    start = "spec.containers[0].securityContext: Invalid value:"
    assert text.startswith(f'{start} {{"Capabilities":null,"Privileged":true,')
    assert text.endswith("cannot set `allowPrivilegeEscalation` to false and `privileged` to true")


def test_host_ports_of_a_hosts_pod_are_its_ports() -> None:
    """It has no network of its own to translate them in."""
    container = {**CONTAINER, "ports": [{"containerPort": 80, "hostPort": 81}]}

    assert refusals("", "pods", a_pod(hostNetwork=True, containers=[container])) == [
        (
            "spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort`"
            " when `hostNetwork` is true"
        )
    ]
