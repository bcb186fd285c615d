"""One pod, as a dict: what a Deployment's pod of two containers looks like on a real server."""

import random
from typing import Any


def _hex(dice: random.Random, digits: int) -> str:
    return f"{dice.getrandbits(4 * digits):0{digits}x}"


def _uid(dice: random.Random) -> str:
    text = _hex(dice, 30)
    return f"{text[:8]}-{text[8:12]}-4{text[12:15]}-8{text[15:18]}-{text[18:]}"


def pod(number: int, dice: random.Random) -> dict[str, Any]:
    """Return pod *number* as a server stores it: defaults filled in, a kubelet's status."""
    app, template_hash = f"app-{number % 137}", _hex(dice, 10)
    owner = _uid(dice)
    started = f"2026-01-02T20:{number // 60 % 60:02d}:{number % 60:02d}Z"
    return {
        "metadata": {
            "name": f"{app}-{template_hash}-{number}",
            "generateName": f"{app}-{template_hash}-",
            "namespace": f"ns-{number % 20}",
            "uid": _uid(dice),
            "resourceVersion": "",
            "generation": 0,
            "creationTimestamp": started,
            "labels": {
                "app": app,
                "pod-template-hash": template_hash,
                "team": f"team-{number % 11}",
                "tier": ("web", "db", "job")[number % 3],
            },
            "annotations": {"checksum/config": _hex(dice, 40), "prometheus.io/scrape": "true"},
            "ownerReferences": [
                {
                    "apiVersion": "apps/v1",
                    "kind": "ReplicaSet",
                    "name": f"{app}-{template_hash}",
                    "uid": owner,
                    "controller": True,
                    "blockOwnerDeletion": True,
                }
            ],
            "managedFields": [
                managed("kube-controller-manager", _fields_of_controller(owner)),
                managed("kubelet", _fields_of_kubelet(), subresource="status"),
            ],
        },
        "spec": _spec(number, app, dice),
        "status": _status(number, started, dice),
    }


def _spec(number: int, app: str, dice: random.Random) -> dict[str, Any]:
    token = f"kube-api-access-{_hex(dice, 5)}"
    return {
        "volumes": [
            {"name": "config", "configMap": {"name": f"{app}-config", "defaultMode": 420}},
            {"name": token, "projected": {"sources": _token_sources(), "defaultMode": 420}},
        ],
        "containers": [_main_container(number, token), _proxy_container(number, token)],
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "serviceAccountName": "default",
        "serviceAccount": "default",
        "nodeName": f"node-{number % 200}",
        "securityContext": {},
        "schedulerName": "default-scheduler",
        "tolerations": [
            {
                "key": f"node.kubernetes.io/{trouble}",
                "operator": "Exists",
                "effect": "NoExecute",
                "tolerationSeconds": 300,
            }
            for trouble in ("not-ready", "unreachable")
        ],
        "priority": 0,
        "enableServiceLinks": True,
        "preemptionPolicy": "PreemptLowerPriority",
    }


def _token_sources() -> list[dict[str, Any]]:
    field = {"apiVersion": "v1", "fieldPath": "metadata.namespace"}
    return [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {
            "configMap": {
                "name": "kube-root-ca.crt",
                "items": [{"key": "ca.crt", "path": "ca.crt"}],
            }
        },
        {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": field}]}},
    ]


def _image(number: int, container: str) -> str:
    return f"registry.example.com/team-{number % 11}/{container}:v1.{number % 30}.{number % 7}"


def _main_container(number: int, token: str) -> dict[str, Any]:
    return {
        "name": "main",
        "image": _image(number, "main"),
        "args": ["--config=/etc/config/app.yaml", f"--shard={number % 64}"],
        "ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"}],
        "env": [
            {
                "name": "POD_NAME",
                "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}},
            },
            {"name": "DB_URL", "value": f"postgres://db-{number % 50}.data.svc:5432/app"},
        ],
        "resources": {
            "limits": {"memory": "512Mi"},
            "requests": {"cpu": "100m", "memory": "128Mi"},
        },
        "volumeMounts": [
            {"name": "config", "readOnly": True, "mountPath": "/etc/config"},
            _token_mount(token),
        ],
        "readinessProbe": {
            "httpGet": {"path": "/ready", "port": 8080, "scheme": "HTTP"},
            "timeoutSeconds": 1,
            "periodSeconds": 10,
            "successThreshold": 1,
            "failureThreshold": 3,
        },
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
    }


def _proxy_container(number: int, token: str) -> dict[str, Any]:
    return {
        "name": "proxy",
        "image": _image(number, "proxy"),
        "env": [{"name": "LOG_LEVEL", "value": "info"}],
        "resources": {},
        "volumeMounts": [_token_mount(token)],
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
    }


def _token_mount(token: str) -> dict[str, Any]:
    return {
        "name": token,
        "readOnly": True,
        "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
    }


def _status(number: int, started: str, dice: random.Random) -> dict[str, Any]:
    address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    host = f"192.168.0.{number % 200}"
    return {
        "observedGeneration": 1,
        "phase": "Running",
        "conditions": [
            {
                "type": condition,
                "observedGeneration": 1,
                "status": "True",
                "lastProbeTime": None,
                "lastTransitionTime": started,
            }
            for condition in ("Initialized", "Ready", "ContainersReady", "PodScheduled")
        ],
        "hostIP": host,
        "hostIPs": [{"ip": host}],
        "podIP": address,
        "podIPs": [{"ip": address}],
        "startTime": started,
        "containerStatuses": [
            _container_status(number, container, started, dice) for container in ("main", "proxy")
        ],
        "qosClass": "Burstable",
    }


def _container_status(
    number: int, container: str, started: str, dice: random.Random
) -> dict[str, Any]:
    repository = f"registry.example.com/team-{number % 11}/{container}"
    return {
        "name": container,
        "state": {"running": {"startedAt": started}},
        "lastState": {},
        "ready": True,
        "restartCount": number % 3,
        "image": _image(number, container),
        "imageID": f"{repository}@sha256:{_hex(dice, 64)}",
        "containerID": f"containerd://{_hex(dice, 64)}",
        "started": True,
        "allocatedResources": {"cpu": "100m", "memory": "128Mi"},
        "resources": {
            "limits": {"memory": "512Mi"},
            "requests": {"cpu": "100m", "memory": "128Mi"},
        },
        "user": {"linux": {"uid": 1000, "gid": 1000, "supplementalGroups": [1000]}},
    }


def managed(manager: str, fields: dict[str, Any], *, subresource: str = "") -> dict[str, Any]:
    """Return one entry of managedFields."""
    entry = {
        "manager": manager,
        "operation": "Update",
        "apiVersion": "v1",
        "time": "2026-01-02T20:30:00Z",
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }
    return {**entry, "subresource": subresource} if subresource else entry


def _owned(*names: str) -> dict[str, Any]:
    return {".": {}, **{f"f:{name}": {} for name in names}}


def _fields_of_controller(owner: str) -> dict[str, Any]:
    plain = ("image", "imagePullPolicy", "name", "terminationMessagePath")
    main = _owned(*plain, "args", "terminationMessagePolicy") | {
        "f:env": {'k:{"name":"DB_URL"}': _owned("name", "value")},
        "f:ports": {'k:{"containerPort":8080,"protocol":"TCP"}': _owned("containerPort", "name")},
        "f:readinessProbe": _owned("failureThreshold", "periodSeconds", "timeoutSeconds"),
        "f:resources": {".": {}, "f:limits": _owned("memory"), "f:requests": _owned("cpu")},
        "f:volumeMounts": {'k:{"mountPath":"/etc/config"}': _owned("mountPath", "name")},
    }
    return {
        "f:metadata": {
            "f:annotations": _owned("checksum/config", "prometheus.io/scrape"),
            "f:labels": _owned("app", "pod-template-hash", "team", "tier"),
            "f:ownerReferences": {".": {}, f'k:{{"uid":"{owner}"}}': {}},
        },
        "f:spec": {
            "f:containers": {'k:{"name":"main"}': main, 'k:{"name":"proxy"}': _owned(*plain)},
            "f:volumes": {'k:{"name":"config"}': _owned("configMap", "name")},
            **{
                f"f:{name}": {}
                for name in ("dnsPolicy", "enableServiceLinks", "nodeName", "restartPolicy")
            },
        },
    }


def _fields_of_kubelet() -> dict[str, Any]:
    condition = _owned("lastProbeTime", "lastTransitionTime", "status", "type")
    return {
        "f:status": {
            "f:conditions": {
                f'k:{{"type":"{name}"}}': condition
                for name in ("ContainersReady", "Initialized", "Ready")
            },
            "f:podIPs": {".": {}, 'k:{"ip":"10.0.0.1"}': _owned("ip")},
            **{
                f"f:{name}": {}
                for name in ("containerStatuses", "hostIP", "hostIPs", "phase", "podIP")
            },
            "f:startTime": {},
        }
    }
