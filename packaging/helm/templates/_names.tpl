{{- define "waybill.name" -}}
{{- contains "waybill" .Release.Name | ternary .Release.Name (printf "%s-waybill" .Release.Name) | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "waybill.selector" -}}
app.kubernetes.io/name: waybill
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "waybill.metadata" -}}
name: {{ include "waybill.name" . }}
namespace: {{ .Release.Namespace }}
labels:
  {{- include "waybill.selector" . | nindent 2 }}
  app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
  app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "waybill.host" -}}
{{- .Values.ingress.host | default (regexReplaceAll "^https?://([^/:]+).*$" .Values.baseUrl "${1}") }}
{{- end }}

{{- define "waybill.path" -}}
{{- regexReplaceAll "^https?://[^/]+/?" .Values.baseUrl "/" }}
{{- end }}

{{- define "waybill.check" -}}
{{- if not .Values.baseUrl }}{{ fail "set baseUrl to the address people use, such as https://files.example.com" }}{{ end }}
{{- if not .Values.image.repository }}{{ fail "set image.repository to the image that you published" }}{{ end }}
{{- if not .Values.masterKeySecret }}{{ fail "set masterKeySecret to a Secret with the key master.key" }}{{ end }}
{{- $isShared := and .Values.postgresql.enabled .Values.s3.enabled }}
{{- $isAlone := and .Values.persistence.enabled (le (int .Values.replicas) 1) }}
{{- if not (or $isShared $isAlone) }}{{ fail "several replicas, or none with a volume, need postgresql.enabled and s3.enabled" }}{{ end }}
{{- if and (or .Values.postgresql.enabled .Values.s3.enabled) (not .Values.secret) }}{{ fail "set secret to the Secret with the database URL or the S3 keys" }}{{ end }}
{{- if and .Values.s3.enabled (not .Values.s3.endpoint) }}{{ fail "set s3.endpoint" }}{{ end }}
{{- end }}
