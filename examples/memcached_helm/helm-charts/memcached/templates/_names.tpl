{{/* The labels by which the nodes of a release are found. */}}
{{- define "memcached.labels" -}}
app.kubernetes.io/name: memcached
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}
