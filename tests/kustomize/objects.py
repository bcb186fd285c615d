"""Objects that the overlays are made of."""

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: manager
  labels: {app: shop}
spec:
  replicas: 1
  selector:
    matchLabels: {app: shop}
  template:
    metadata:
      labels: {app: shop}
      annotations: {kubectl.kubernetes.io/default-container: manager}
    spec:
      serviceAccountName: manager
      containers:
      - name: manager
        image: controller:latest
        args: [--leader-elect, --health-probe-bind-address=:8081]
        env:
        - name: COLOUR
          valueFrom: {configMapKeyRef: {name: settings, key: colour}}
        - {name: LEVEL, value: "1"}
        envFrom:
        - secretRef: {name: credentials}
        ports:
        - {containerPort: 8443, name: metrics, protocol: TCP}
        - {containerPort: 9443, name: webhook, protocol: TCP}
        volumeMounts:
        - {mountPath: /etc/shop, name: config}
      - name: proxy
        image: registry.example.com:5000/tools/proxy:v1.2
      initContainers:
      - {name: prepare, image: "busybox@sha256:abc"}
      volumes:
      - name: config
        configMap: {name: settings}
      - name: cert
        secret: {secretName: webhook-cert}
"""

RBAC = """\
apiVersion: v1
kind: ServiceAccount
metadata: {name: manager, namespace: system}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: manager}
rules:
- apiGroups: [shop.example.com]
  resources: [shops]
  verbs: ["*"]
- apiGroups: [""]
  resources: [configmaps]
  resourceNames: [settings]
  verbs: [get]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: manager}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: manager}
subjects:
- {kind: ServiceAccount, name: manager, namespace: system}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: leader-election, namespace: system}
rules:
- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, update]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: leader-election, namespace: system}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: leader-election}
subjects:
- {kind: ServiceAccount, name: manager, namespace: system}
- {kind: ServiceAccount, name: default}
"""

SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: webhook-service, namespace: system}
spec:
  ports:
  - {port: 443, protocol: TCP, targetPort: 9443}
  selector: {app: shop}
"""

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: shops.shop.example.com
spec:
  group: shop.example.com
  names: {kind: Shop, listKind: ShopList, plural: shops, singular: shop}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
"""

WEBHOOKS = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: validating-webhook-configuration}
webhooks:
- name: vshop.example.com
  admissionReviewVersions: [v1]
  clientConfig:
    service: {name: webhook-service, namespace: system, path: /validate}
  sideEffects: None
"""

CERTIFICATE = """\
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: serving-cert, namespace: system}
spec:
  dnsNames:
  - SERVICE_NAME.SERVICE_NAMESPACE.svc
  - SERVICE_NAME.SERVICE_NAMESPACE.svc.cluster.local
  issuerRef: {kind: Issuer, name: selfsigned}
  secretName: webhook-cert
---
apiVersion: cert-manager.io/v1
kind: Issuer
metadata: {name: selfsigned, namespace: system}
spec: {selfSigned: {}}
"""

NAMESPACE = """\
apiVersion: v1
kind: Namespace
metadata:
  name: system
"""

CRONJOB = """\
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: "0 3 * * *"
  jobTemplate:
    spec:
      template:
        spec:
          serviceAccountName: manager
          containers:
          - name: job
            image: controller
            envFrom: [{configMapRef: {name: settings}}]
          restartPolicy: Never
"""

STATEFULSET = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers: [{name: db, image: "postgres:16"}]
      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
          - labelSelector: {matchLabels: {app: db}}
            topologyKey: kubernetes.io/hostname
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {storageClassName: fast, accessModes: [ReadWriteOnce]}
"""

CUSTOM = """\
apiVersion: shop.example.com/v1
kind: Shop
metadata: {name: corner}
spec:
  settings: settings
  uses: {name: settings}
  image: controller
  stock:
  - {name: apples, count: 3}
  - {name: pears, count: 4}
"""

NETWORK_POLICY = """\
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: allow-metrics}
spec:
  podSelector: {matchLabels: {app: shop}}
  ingress:
  - from:
    - podSelector: {matchLabels: {app: prometheus}}
"""

SERVICE_MONITOR = """\
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: metrics, namespace: system}
spec:
  endpoints: [{path: /metrics, port: https}]
  selector: {matchLabels: {app: shop}}
"""
