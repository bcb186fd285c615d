"""Overlays: each a tree of files, built in the folder ``overlay``, or ``.`` if there is none."""

from tests.kustomize import objects

Overlay = dict[str, str]

MANAGER = {
    "manager/kustomization.yaml": """\
resources: [manager.yaml]
images:
- {name: controller, newName: example.com/shop/operator, newTag: v1}
""",
    "manager/manager.yaml": objects.DEPLOYMENT,
}
RBAC = {"rbac/kustomization.yaml": "resources: [rbac.yaml]\n", "rbac/rbac.yaml": objects.RBAC}
WEBHOOK = {
    "webhook/kustomization.yaml": "resources: [manifests.yaml, service.yaml]\n",
    "webhook/manifests.yaml": objects.WEBHOOKS,
    "webhook/service.yaml": objects.SERVICE,
}
CERTIFICATES = {
    "certmanager/kustomization.yaml": """\
resources: [certificate.yaml]
configurations: [kustomizeconfig.yaml]
""",
    "certmanager/kustomizeconfig.yaml": """\
nameReference:
- kind: Issuer
  group: cert-manager.io
  fieldSpecs:
  - {kind: Certificate, group: cert-manager.io, path: spec/issuerRef/name}
""",
    "certmanager/certificate.yaml": objects.CERTIFICATE,
}
CRDS = {
    "crd/kustomization.yaml": """\
resources: [shops.yaml]
patches:
- target: {kind: CustomResourceDefinition}
  patch: |-
    - op: add
      path: /spec/conversion
      value:
        strategy: Webhook
        webhook:
          conversionReviewVersions: [v1]
          clientConfig:
            service: {name: webhook-service, namespace: system, path: /convert}
configurations: [kustomizeconfig.yaml]
""",
    "crd/kustomizeconfig.yaml": """\
nameReference:
- kind: Service
  version: v1
  fieldSpecs:
  - kind: CustomResourceDefinition
    version: v1
    group: apiextensions.k8s.io
    path: spec/conversion/webhook/clientConfig/service/name
""",
    "crd/shops.yaml": objects.CRD,
}
DEFAULT = """\
namespace: shop-system
namePrefix: shop-
labels:
- includeSelectors: true
  pairs: {app.kubernetes.io/managed-by: kustomize}
resources: [../crd, ../rbac, ../manager, ../webhook, ../certmanager, ../prometheus, namespace.yaml]
patches:
- path: webhook-patch.yaml
  target: {kind: Deployment}
- path: metrics-patch.yaml
  target: {kind: Deployment, name: manager}
replacements:
- source: {kind: Service, version: v1, name: webhook-service, fieldPath: metadata.name}
  targets:
  - select: {kind: Certificate, group: cert-manager.io, name: serving-cert}
    fieldPaths: [spec.dnsNames.0, spec.dnsNames.1]
    options: {delimiter: ".", index: 0, create: true}
- source: {kind: Service, version: v1, name: webhook-service, fieldPath: metadata.namespace}
  targets:
  - select: {kind: Certificate, group: cert-manager.io, name: serving-cert}
    fieldPaths: [spec.dnsNames.0, spec.dnsNames.1]
    options: {delimiter: ".", index: 1, create: true}
- source: {kind: Certificate, name: serving-cert, fieldPath: metadata.namespace}
  targets:
  - select: {kind: ValidatingWebhookConfiguration}
    fieldPaths: ["metadata.annotations.[cert-manager.io/inject-ca-from]"]
    options: {delimiter: /, index: 0, create: true}
- source: {kind: Certificate, name: serving-cert, fieldPath: metadata.name}
  targets:
  - select: {kind: ValidatingWebhookConfiguration}
    fieldPaths: ["metadata.annotations.[cert-manager.io/inject-ca-from]"]
    options: {delimiter: /, index: 1, create: true}
"""
OPERATOR = {
    **MANAGER,
    **RBAC,
    **WEBHOOK,
    **CERTIFICATES,
    **CRDS,
    "prometheus/kustomization.yaml": "resources: [monitor.yaml, policy.yaml]\n",
    "prometheus/monitor.yaml": objects.SERVICE_MONITOR,
    "prometheus/policy.yaml": objects.NETWORK_POLICY,
    "overlay/kustomization.yaml": DEFAULT,
    "overlay/namespace.yaml": objects.NAMESPACE,
    "overlay/webhook-patch.yaml": """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: manager}
spec:
  template:
    spec:
      containers:
      - name: manager
        ports:
        - {containerPort: 9443, name: webhook-server, protocol: TCP}
        volumeMounts:
        - {mountPath: /tmp/certs, name: cert, readOnly: true}
""",
    "overlay/metrics-patch.yaml": """\
- {op: add, path: /spec/template/spec/containers/0/args/0, value: "--metrics-bind-address=:8443"}
""",
}


def alone(kustomization: str, **files: str) -> Overlay:
    """Return the tree with a kustomization and YAML files beside it."""
    beside = {f"{name}.yaml": text for name, text in files.items()}
    return {"kustomization.yaml": kustomization, **beside}


MARKED = (
    '{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "manager",'
    ' "labels": {"x": "on"}, "annotations": {"d": 5, "e": null}}}'
)


def upon(*kustomizations: str) -> Overlay:
    """Return folders that build upon one another, the first upon a Deployment."""
    tree = {"it/it.yaml": objects.DEPLOYMENT, "it/kustomization.yaml": "resources: [it.yaml]\n"}
    below = "it"
    for at, said in enumerate(kustomizations, 1):
        folder = "overlay" if at == len(kustomizations) else f"folder{at}"
        tree[f"{folder}/kustomization.yaml"] = f"resources: [../{below}]\n{said}"
        below = folder
    return tree


def patched(patch: str, *, document: str = objects.DEPLOYMENT) -> Overlay:
    """Return the tree with one object and one patch in a file."""
    return alone("resources: [it.yaml]\npatches: [{path: patch.yaml}]\n", it=document, patch=patch)


def containers(patch: str) -> str:
    """Return a strategic patch of the containers."""
    return f"""\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: manager}}
spec: {{template: {{spec: {{containers: {patch}}}}}}}
"""


OVERLAYS: dict[str, Overlay] = {
    "an operator, as projects have it": OPERATOR,
    "a component that serves several overlays": {
        **MANAGER,
        "part/kustomization.yaml": """\
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
resources: [extra.yaml]
namePrefix: part-
patches:
- {target: {kind: Deployment}, patch: '[{"op": "replace", "path": "/spec/replicas", "value": 3}]'}
configMapGenerator: [{name: settings, literals: [colour=blue]}]
""",
        "part/extra.yaml": objects.CUSTOM,
        "overlay/kustomization.yaml": """\
resources: [../manager]
components: [../part]
nameSuffix: -v2
""",
    },
    "two overlays of one base, as one": {
        **MANAGER,
        "manager/settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n",
        "manager/kustomization.yaml": "resources: [manager.yaml, settings.yaml]\n",
        "a/kustomization.yaml": "resources: [../manager]\nnamePrefix: a-\n",
        "b/kustomization.yaml": "resources: [../manager]\nnamePrefix: b-\n",
        "overlay/kustomization.yaml": "resources: [../a, ../b]\nnameSuffix: -x\n",
    },
    "the same name in two namespaces": {
        "a/kustomization.yaml": "resources: [it.yaml]\nnamespace: a\nnamePrefix: a-\n",
        "a/it.yaml": objects.RBAC,
        "b/kustomization.yaml": "resources: [it.yaml]\nnamespace: b\nnamePrefix: b-\n",
        "b/it.yaml": objects.RBAC,
        "overlay/kustomization.yaml": "resources: [../a, ../b]\nnamePrefix: all-\n",
    },
    "generators": alone(
        """\
resources: [it.yaml]
namePrefix: x-
generatorOptions: {labels: {from: generator}, annotations: {note: "1"}}
configMapGenerator:
- name: settings
  literals: [colour=blue, "quoted='a b'", empty=, equal=a=b]
  files: [text.yaml, renamed=other.yaml]
  envs: [env.yaml]
- {name: plain, options: {disableNameSuffixHash: true, immutable: true, labels: {own: label}}}
- {name: odd, namespace: elsewhere, literals: ["html=<&>\\u2028"]}
secretGenerator:
- {name: credentials, literals: [user=me], type: example.com/credentials, env: env.yaml}
- {name: long, files: [it.yaml]}
""",
        it=objects.DEPLOYMENT,
        text="a: b\n",
        other="no end of line",
        env="# a comment\n\nNAME=value\n  SPACE=before\nALONE\n",
    ),
    "generators that merge and replace": {
        "base/kustomization.yaml": """\
namePrefix: base-
configMapGenerator:
- {name: merged, literals: [a=1, b=2], options: {labels: {of: base}}}
- {name: replaced, literals: [a=1]}
- {name: unhashed, literals: [a=1], options: {disableNameSuffixHash: true}}
secretGenerator: [{name: secret, literals: [a=1]}]
""",
        "overlay/kustomization.yaml": """\
resources: [../base, user.yaml]
configMapGenerator:
- {name: merged, behavior: merge, literals: [b=3, c=4], options: {annotations: {of: overlay}}}
- {name: replaced, behavior: replace, literals: [b=2]}
- {name: unhashed, behavior: merge, literals: [b=2]}
secretGenerator: [{name: secret, behavior: merge, literals: [b=2]}]
""",
        "overlay/user.yaml": objects.CRONJOB.replace("settings", "merged"),
    },
    "binary files": alone(
        """\
configMapGenerator: [{name: both, files: [bytes.yaml, text.yaml]}]
secretGenerator: [{name: secret, files: [bytes.yaml]}]
""",
        bytes="\udcff\udcfe\x00" * 40,
        text="söme text\n",
    ),
    "labels of all sorts": alone(
        """\
resources: [deployment.yaml, cronjob.yaml, statefulset.yaml, service.yaml, policy.yaml, shop.yaml]
labels:
- {pairs: {metadata: only}}
- {pairs: {in: templates}, includeTemplates: true}
- {pairs: {in: selectors}, includeSelectors: true}
- pairs: {custom: fields}
  fields: [{path: spec/labels, kind: Shop, create: true}, {path: spec/nothing, kind: Shop}]
commonLabels: {common: label}
commonAnnotations: {example.com/note: "true"}
""",
        deployment=objects.DEPLOYMENT,
        cronjob=objects.CRONJOB,
        statefulset=objects.STATEFULSET,
        service=objects.SERVICE,
        policy=objects.NETWORK_POLICY,
        shop=objects.CUSTOM,
    ),
    "labels of several fields change together": upon(
        "commonLabels: {x: v, u: v}\nlabels: [{pairs: {z: v}, includeSelectors: true}]\n",
        "labels: [{pairs: {x: w}}, {pairs: {z: w}}]\nnamePrefix: p-\n",
    ),
    "two labels entries change one another": upon(
        "labels: [{pairs: {x: v}, includeSelectors: true}, {pairs: {x: w}}]\n"
    ),
    "a patch changes labels and annotations of several fields": upon(
        "commonLabels: {x: v}\ncommonAnnotations: {d: '1', e: v}\n",
        "namespace: other\n",
        f"patches: [{{patch: '{MARKED}'}}]\n",
    ),
    "a patch with a target changes labels of several fields": upon(
        "commonLabels: {x: v}\ncommonAnnotations: {d: '1', e: v}\n",
        f"patches: [{{patch: '{MARKED}', target: {{kind: Deployment}}}}]\n",
    ),
    "after a JSON patch each label is its own": upon(
        "commonLabels: {x: v}\n",
        """\
patches:
- target: {kind: Deployment}
  patch: '[{"op": "add", "path": "/metadata/labels/n", "value": "1"}]'
""",
        "labels: [{pairs: {x: w}}]\n",
    ),
    "where everything comes from is noted in annotations of their own": upon(
        "commonAnnotations: {e: v}\n",
        "buildMetadata: [originAnnotations]\ncommonLabels: {x: v}\ncommonAnnotations: {e: w}\n",
    ),
    "replacements change labels and annotations of several fields": upon(
        "commonLabels: {x: v}\ncommonAnnotations: {d: v}\n",
        """\
replacements:
- source: {kind: Deployment}
  targets:
  - {select: {kind: Deployment}, fieldPaths: [metadata.labels.x, metadata.annotations.d]}
""",
    ),
    "what a replacement makes becomes a text in the next patch": upon(
        """\
commonAnnotations: {d: '1'}
replacements:
- source: {kind: Deployment, fieldPath: metadata.annotations.d}
  targets:
  - select: {kind: Deployment}
    fieldPaths: [spec.template.metadata.labels.new]
    options: {create: true}
""",
        f"patches: [{{patch: '{MARKED}'}}]\n",
    ),
    "a base that is loaded twice": {
        "base/it.yaml": objects.DEPLOYMENT,
        "base/kustomization.yaml": "resources: [it.yaml]\ncommonLabels: {x: v}\n",
        "a/kustomization.yaml": (
            "resources: [../base]\nnamePrefix: a-\nlabels: [{pairs: {x: w}}]\n"
        ),
        "b/kustomization.yaml": "resources: [../base]\nnamePrefix: b-\n",
        "overlay/kustomization.yaml": "resources: [../a, ../b]\nlabels: [{pairs: {u: z}}]\n",
    },
    "an object is replaced as a whole": patched(
        """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: manager, labels: {new: label}}
$patch: replace
spec: {replicas: 5}
"""
    ),
    "tags that are written": alone(
        "resources: [it.yaml]\npatches: [{path: patch.yaml}]\n",
        it="""\
apiVersion: shop.example.com/v1
kind: Shop
metadata: {name: corner}
spec:
  texts: [!!str 5, !!str "5", !own "5", ! 5, !!binary aGk=]
  numbers: [!!int "5", !!int '0x10', !!float "5", !!float 5, !!float "1.5"]
  others: [!!bool "true", !!null "null", !!null "", !!timestamp "2020-01-01"]
  patched: !!int "5"
""",
        patch="""\
apiVersion: shop.example.com/v1
kind: Shop
metadata: {name: corner}
spec: {patched: 6}
""",
    ),
    "images whose names are halves of patterns": alone(
        "resources: [it.yaml]\nimages: [{name: '*', newTag: q}]\n", it=objects.DEPLOYMENT
    ),
    "images": alone(
        """\
resources: [deployment.yaml, cronjob.yaml, shop.yaml]
images:
- {name: controller, newName: "registry:5000/a/b", newTag: "1.0"}
- {name: registry.example.com:5000/tools/proxy, tagSuffix: -debug}
- {name: busybox, digest: "sha256:def"}
- {name: postgres, newTag: "17", digest: "sha256:123"}
configurations: [fields.yaml]
""",
        deployment=objects.DEPLOYMENT,
        cronjob=objects.CRONJOB,
        shop=objects.CUSTOM,
        fields="images: [{path: spec/image, kind: Shop}]\n",
    ),
    "replicas": alone(
        """\
resources: [deployment.yaml, statefulset.yaml]
namePrefix: x-
replicas: [{name: manager, count: 0}, {name: db, count: 7}]
""",
        deployment=objects.DEPLOYMENT,
        statefulset=objects.STATEFULSET,
    ),
    "containers are merged by name, new ones first": patched(
        containers(
            "[{name: new, image: new}, {name: proxy, args: [a]}, {name: manager, env: [{name: NEW,"
            " value: v}, {name: LEVEL, value: '2'}, {name: COLOUR, valueFrom: null, value: red}]}]"
        )
    ),
    "ports are merged by number and protocol": patched(
        containers(
            "[{name: manager, ports: [{containerPort: 9443, name: hook}, {containerPort: 9443,"
            " protocol: UDP}, {containerPort: 1, name: one}]}]"
        )
    ),
    "elements are deleted": patched(
        containers("[{name: proxy, $patch: delete}, {name: manager, volumeMounts: null}]")
    ),
    "a list is replaced": patched(containers("[{$patch: replace}, {name: only, image: this}]")),
    "a mapping is replaced": patched(
        """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: manager}
spec:
  template:
    spec: {$patch: replace, containers: [{name: other, image: x}]}
"""
    ),
    "an object is deleted": alone(
        """\
resources: [it.yaml]
patches:
- patch: |-
    $patch: delete
    apiVersion: rbac.authorization.k8s.io/v1
    kind: ClusterRole
    metadata: {name: manager}
""",
        it=objects.RBAC,
    ),
    "lists of custom resources are replaced": patched(
        """\
apiVersion: shop.example.com/v1
kind: Shop
metadata: {name: corner}
spec: {stock: [{name: plums}], settings: null}
""",
        document=objects.CUSTOM,
    ),
    "several patches in one file": alone(
        "resources: [it.yaml]\nnamePrefix: x-\npatches: [{path: patches.yaml}]\n",
        it=objects.RBAC,
        patches="""\
apiVersion: v1
kind: ServiceAccount
metadata: {name: manager, namespace: system}
automountServiceAccountToken: false
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: manager}
rules: [{nonResourceURLs: [/metrics], verbs: [get]}]
""",
    ),
    "patches that rename and change the kind": alone(
        """\
resources: [it.yaml]
namePrefix: x-
patches:
- target: {kind: Deployment}
  options: {allowNameChange: true, allowKindChange: true}
  patch: |-
    apiVersion: apps/v1
    kind: StatefulSet
    metadata: {name: renamed}
    spec: {serviceName: some}
- target: {kind: ClusterRole}
  patch: |-
    apiVersion: whatever/v1
    kind: Whatever
    metadata: {name: ignored, labels: {gone: null}}
""",
        it=f"{objects.DEPLOYMENT}---\n{objects.RBAC}",
    ),
    "targets by pattern and label": alone(
        """\
resources: [it.yaml]
patches:
- target: {kind: "Cluster.*", name: man}
  patch: '[{"op": "add", "path": "/metadata/labels", "value": {"never": "here"}}]'
- target: {kind: "(Cluster)?Role", version: v1, group: rbac.*}
  patch: '[{"op": "add", "path": "/metadata/annotations/role", "value": "yes"}]'
- target: {labelSelector: "app in (shop), !none"}
  patch: |-
    - {op: test, path: /spec/replicas, value: 1}
    - {op: remove, path: /spec/replicas}
- target: {annotationSelector: role=yes}
  patch: |-
    - {op: copy, from: /rules, path: /more}
    - {op: move, from: /more/0, path: /first}
- target: {namespace: default}
  patch: '[{"op": "replace", "path": "/metadata/labels/app", "value": "default"}]'
""",
        it=f"{objects.DEPLOYMENT}---\n{objects.RBAC}",
    ),
    "patches of the old sort": alone(
        """\
resources: [it.yaml]
patchesStrategicMerge:
- patch.yaml
- |-
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: manager}
  spec: {paused: true}
patchesJson6902:
- target: {group: apps, version: v1, kind: Deployment, name: manager}
  path: json.yaml
- target: {kind: Deployment, name: manager}
  patch: '[{"op": "add", "path": "/spec/template/spec/containers/-", "value": {"name": "last"}}]'
""",
        it=objects.DEPLOYMENT,
        patch=containers("[{name: proxy, command: [run]}]"),
        json="- op: replace\n  path: /spec/replicas\n  value: 0x10\n",
    ),
    "replacements of all sorts": alone(
        """\
resources: [it.yaml]
replacements:
- source: {kind: Shop, fieldPath: "spec.stock.[name=pears].count"}
  targets:
  - select: {kind: Deployment}
    fieldPaths:
    - spec.replicas
    - "spec.template.spec.containers.[name=manager].env.[name=LEVEL].value"
    - "spec.template.metadata.annotations.kubectl\\\\.kubernetes\\\\.io/default-container"
- source: {kind: Shop, fieldPath: spec.stock.0}
  targets:
  - select: {kind: Deployment}
    fieldPaths: [spec.template.metadata.labels]
- source:
    kind: Deployment
    fieldPath: spec.template.spec.containers.1.image
    options: {delimiter: ":", index: 2}
  targets:
  - select: {kind: Shop}
    reject: [{name: other}]
    fieldPaths: [spec.version, "spec.stock.*.version", "spec.more.[name=new].version"]
    options: {create: true}
  - select: {}
    reject: [{kind: Deployment}, {labelSelector: app=shop}]
    fieldPaths: [spec.image]
    options: {delimiter: /, index: -1}
- path: file.yaml
""",
        it=f"{objects.DEPLOYMENT}---\n{objects.CUSTOM}",
        file="""\
source: {kind: Shop}
targets: [{select: {kind: Deployment}, fieldPaths: [metadata.labels.app]}]
""",
    ),
    "replacements follow the names before prefixes": {
        "base/kustomization.yaml": "resources: [it.yaml]\nnamePrefix: base-\n",
        "base/it.yaml": f"{objects.SERVICE}---\n{objects.CERTIFICATE}",
        "overlay/kustomization.yaml": """\
resources: [../base]
namePrefix: over-
namespace: here
replacements:
- source: {kind: Service, name: webhook-service}
  targets: [{select: {name: base-serving-cert}, fieldPaths: [spec.dnsNames.0]}]
""",
    },
    "names in fields of one's own": alone(
        """\
resources: [it.yaml]
namePrefix: x-
configMapGenerator: [{name: settings, literals: [a=b]}]
configurations: [fields.yaml]
commonLabels: {a: b}
namespace: here
""",
        it=objects.CUSTOM,
        fields="""\
nameReference:
- kind: ConfigMap
  fieldSpecs: [{kind: Shop, path: spec/settings}]
commonLabels: [{kind: Shop, path: spec/selector, create: true}]
namespace: [{kind: Shop, path: spec/where, create: true}]
namePrefix: [{kind: Shop, path: spec/image}]
commonAnnotations: [{kind: Shop, path: spec/annotations, create: true}]
""",
    ),
    "definitions of custom resources": alone(
        """\
resources: [it.yaml]
namePrefix: x-
crds: [definitions.yaml]
configMapGenerator: [{name: settings, literals: [a=b]}]
""",
        it=objects.CUSTOM,
        definitions="""\
com.example.shop.v1.Shop:
  Schema:
    properties:
      apiVersion: {type: string}
      kind: {type: string}
      metadata: {type: object}
      spec: {$ref: com.example.shop.v1.ShopSpec}
com.example.shop.v1.ShopSpec:
  Schema:
    properties:
      image: {x-kubernetes-identity: ""}
      uses:
        x-kubernetes-object-ref-api-version: v1
        x-kubernetes-object-ref-kind: ConfigMap
""",
    ),
    "variables": alone(
        """\
resources: [it.yaml]
namePrefix: x-
vars:
- {name: SERVICE, objref: {kind: Service, version: v1, name: webhook-service}}
- name: PORT
  objref: {kind: Service, apiVersion: v1, name: webhook-service, namespace: system}
  fieldref: {fieldpath: "spec.ports[0].port"}
configurations: [fields.yaml]
""",
        it=f"""\
{objects.SERVICE}---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: it, annotations: {{of: $(SERVICE)}}}}
spec:
  template:
    spec:
      containers:
      - args: [--service=$(SERVICE), $(PORT), $$(SERVICE), $(OTHER), "$(PORT):$(PORT)"]
---
apiVersion: shop.example.com/v1
kind: Shop
metadata: {{name: corner}}
spec: {{port: $(PORT)}}
""",
        fields="varReference: [{kind: Shop, path: spec/port}]\n",
    ),
    "lists and several documents": alone(
        "resources: [it.yaml, list.yaml]\nnamePrefix: x-\nsortOptions: {order: fifo}\n",
        it=f"# a comment\n---\n---\n{objects.CUSTOM}--- # another\n{objects.SERVICE}",
        list="""\
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: one}}
- apiVersion: v1
  kind: ConfigMapList
  items: [{apiVersion: v1, kind: ConfigMap, metadata: {name: two}, data: {n: "1"}}]
""",
    ),
    "anchors and merged mappings": alone(
        "resources: [it.yaml]\n",
        it="""\
apiVersion: v1
kind: ConfigMap
metadata: &meta {name: it, labels: &labels {a: b}}
data:
  <<: [*labels, {a: c, d: e}]
  f: g
more: [*meta, *labels]
""",
    ),
    "values as YAML spells them": alone(
        "resources: [it.yaml]\nnamePrefix: '1'\ncommonAnnotations: {new: '1'}\n",
        it="""\
apiVersion: v1
kind: ConfigMap
metadata:
  name: "2"
  annotations: {octal: 0644, bool: true, none: null, empty: , date: 2020-01-01}
  labels: {version: 1.0, switch: on}
spec:
  words: [on, off, yes, no, y, n, "true", 'null', =]
  numbers: [0644, 0o17, 0x1F, 0b11, 1_000, 1e3, 1.5, .5, 1., +3, -0, 08, 5e-7, 123456789.5]
  large: [9007199254740993, 99999999999999999999, 18446744073709551615]
  times:
  - 2020-01-01
  - 2020-01-01T10:00:00.500+02:00
  - 2020-01-01 10:00:00
  - 2020-1-1t1:2:3.1234567891Z
  - 2020-13-01
  - 1:30
  texts: [!!str 5, "5", '1e3', a#b, 1.2.3, _1, 0x, 1__0]
  nothing: [~, null, Null, ]
  block: |
    two
    lines
  folded: >-
    one
    line
""",
    ),
    "numbers after a JSON patch": alone(
        """\
resources: [it.yaml]
patches:
- target: {kind: Shop}
  patch: |-
    - op: add
      path: /spec/values
      value: [on, 1e3, 0644, 1000000, 1234567.5, 9007199254740993, 2020-01-01, 1.0, 0.00001]
replacements:
- source: {kind: Shop, fieldPath: spec.values.3}
  targets: [{select: {kind: Shop}, fieldPaths: [spec.image]}]
""",
        it=objects.CUSTOM,
    ),
    "what is null stays or goes": patched(
        """\
apiVersion: shop.example.com/v1
kind: Shop
metadata: {name: corner, labels: {gone: null}, annotations: {gone: null}}
spec: {gone: null, new: null, deep: {new: {gone: null, kept: 1}}}
""",
        document="""\
apiVersion: shop.example.com/v1
kind: Shop
metadata: {name: corner, labels: {gone: a, kept: b}, annotations: {gone: a}}
spec:
  gone: 1
  empty:
  "null": null
  tilde: ~
  "5": "5"
""",
    ),
    "objects that stay at home": alone(
        "resources: [it.yaml]\nnamePrefix: x-\n",
        it="""\
apiVersion: v1
kind: ConfigMap
metadata: {name: gone, annotations: {config.kubernetes.io/local-config: "true"}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: kept, annotations: {config.kubernetes.io/local-config: "false"}}
""",
    ),
    "where everything comes from": {
        **MANAGER,
        "overlay/kustomization.yaml": """\
resources: [../manager, it.yaml]
namePrefix: x-
labels: [{pairs: {a: b}}]
patches: [{target: {kind: Shop}, patch: '[{"op": "add", "path": "/spec/a", "value": 1}]'}]
configMapGenerator: [{name: settings, literals: [a=b]}]
buildMetadata: [originAnnotations, transformerAnnotations, managedByLabel]
""",
        "overlay/it.yaml": objects.CUSTOM,
    },
    "an order of one's own": alone(
        """\
resources: [it.yaml]
sortOptions:
  order: legacy
  legacySortOptions: {orderFirst: [RoleBinding, ServiceAccount], orderLast: [ClusterRole]}
""",
        it=f"{objects.DEPLOYMENT}---\n{objects.RBAC}---\n{objects.NAMESPACE}",
    ),
    "a namespace and what belongs to none": alone(
        "resources: [it.yaml]\nnamespace: here\n",
        it=f"""\
{objects.NAMESPACE}---
{objects.CRD}---
{objects.WEBHOOKS}---
{objects.SERVICE}---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {{name: v1.example.com}}
spec: {{service: {{name: webhook-service, namespace: system}}}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {{name: newer-than-its-schemas}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {{name: both}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: other}}
subjects:
- {{kind: ServiceAccount, name: default}}
- {{kind: ServiceAccount, name: other, namespace: away}}
""",
    ),
}

REFUSED: dict[str, Overlay] = {
    "an unknown field": alone("resource: []\n"),
    "a number for a name": alone("namePrefix: 5\n"),
    "an empty file": alone(""),
    "the version of something else": alone("apiVersion: v1\nresources: []\n"),
    "a missing file": alone("resources: [none.yaml]\n"),
    "a file that is no YAML": alone("resources: [it.yaml]\n", it="a: [\n"),
    "a file outside": {
        "it.yaml": objects.CUSTOM,
        "overlay/kustomization.yaml": "resources: [../it.yaml]\n",
    },
    "a circle": {
        "overlay/kustomization.yaml": "resources: [../other]\n",
        "other/kustomization.yaml": "resources: [../overlay]\n",
    },
    "the same object twice": alone(
        "resources: [a.yaml, b.yaml]\n", a=objects.CUSTOM, b=objects.CUSTOM
    ),
    "an object without a name": alone("resources: [it.yaml]\n", it="kind: Shop\n"),
    "a patch of nothing": patched(containers("[]").replace("manager", "other")),
    "a patch that is neither": alone(
        "resources: [it.yaml]\npatches: [{patch: some text}]\n", it=objects.CUSTOM
    ),
    "a JSON patch without a target": alone(
        "resources: [it.yaml]\npatches: [{patch: '- {op: remove, path: /spec}'}]\n",
        it=objects.CUSTOM,
    ),
    "a JSON patch that does not fit": alone(
        "resources: [it.yaml]\n"
        "patches: [{target: {kind: Shop}, patch: '- {op: remove, path: /none}'}]\n",
        it=objects.CUSTOM,
    ),
    "a JSON patch in YAML that begins as JSON": alone(
        "resources: [it.yaml]\n"
        "patches: [{target: {kind: Shop}, patch: '[{op: add, path: /a, value: b}]'}]\n",
        it=objects.CUSTOM,
    ),
    "a JSON patch with a comma too many": alone(
        "resources: [it.yaml]\n"
        "patches: [{target: {kind: Shop},"
        """ patch: '[{"op": "add", "path": "/a", "value": "b"},]'}]\n""",
        it=objects.CUSTOM,
    ),
    "a replacement without a source": alone(
        "resources: [it.yaml]\nreplacements: [{source: {kind: None}, targets: []}]\n",
        it=objects.CUSTOM,
    ),
    "a replacement without a field": alone(
        "resources: [it.yaml]\n"
        "replacements: [{source: {kind: Shop}, targets: [{select: {}, fieldPaths: [a.b]}]}]\n",
        it=objects.CUSTOM,
    ),
    "a literal without a value": alone("configMapGenerator: [{name: a, literals: [b]}]\n"),
    "replicas of nothing": alone(
        "resources: [it.yaml]\nreplicas: [{name: none, count: 1}]\n", it=objects.CUSTOM
    ),
    "a merge into nothing": alone("configMapGenerator: [{name: a, behavior: merge}]\n"),
    "two kustomizations": {
        "kustomization.yaml": "namePrefix: a\n",
        "Kustomization": "namePrefix: a\n",
    },
}
