{{/* The name of the chart, in labels. */}}
{{- define "nginx.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* The name of all objects: that of the release, and of the chart if it is not in there. */}}
{{- define "nginx.fullname" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- $made := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{- .Values.fullnameOverride | default $made | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* The labels by which the Service and the Deployment find their pods; they never change. */}}
{{- define "nginx.selectorLabels" -}}
app.kubernetes.io/name: {{ include "nginx.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* The labels of all objects. */}}
{{- define "nginx.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "nginx.selectorLabels" . }}
{{- with .Chart.AppVersion }}
app.kubernetes.io/version: {{ . | quote }}
{{- end }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{/* The service account that pods run as. */}}
{{- define "nginx.serviceAccountName" -}}
{{- $own := .Values.serviceAccount.create | ternary (include "nginx.fullname" .) "default" -}}
{{- .Values.serviceAccount.name | default $own -}}
{{- end -}}
