{{/* Values that are read as if they were set: the alias of crds.managed. */}}
{{- define "sluice.crds.managed" -}}
{{- if kindIs "bool" .Values.crds.enabled }}{{ .Values.crds.enabled }}{{ else }}{{ .Values.crds.managed }}{{ end }}
{{- end }}

{{- define "sluice.namespace" -}}
{{ .Values.installation.namespace }}
{{- end }}

{{/* Labels of an object; takes (list root component). */}}
{{- define "sluice.labels" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: sluice
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name ($root.Chart.Version | replace "+" "_") }}
{{- with $root.Values.global.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Metadata of an object; takes (list root component name) and a namespace as the fourth, if it lies in one. */}}
{{- define "sluice.metadata" -}}
name: {{ index . 2 }}
{{- if gt (len .) 3 }}
namespace: {{ index . 3 }}
{{- end }}
labels:
  {{- include "sluice.labels" (list (index . 0) (index . 1)) | nindent 2 }}
{{- end }}

{{/* The whole name of an image; takes (list root image). */}}
{{- define "sluice.image" -}}
{{- $root := index . 0 -}}
{{- $image := mustMergeOverwrite (deepCopy $root.Values.image) (index . 1 | default dict) -}}
{{- $registry := $image.registry | default $root.Values.global.imageRegistry -}}
{{- if $registry }}{{ trimSuffix "/" $registry }}/{{ end }}{{ $image.repository }}
{{- if $image.digest }}@{{ $image.digest }}{{ else }}:{{ $image.tag | default $root.Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "sluice.imagePullPolicy" -}}
{{- $root := index . 0 -}}
{{ (index . 1 | default dict).pullPolicy | default $root.Values.image.pullPolicy }}
{{- end }}

{{- define "sluice.imagePullSecrets" -}}
{{- $secrets := list -}}
{{- range concat .Values.global.imagePullSecrets .Values.imagePullSecrets -}}
{{- $secrets = append $secrets (kindIs "string" . | ternary (dict "name" .) .) -}}
{{- end -}}
{{- with $secrets | uniq }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* What is unset in the values of the reconcilers is as for the manager. */}}
{{- define "sluice.reconcilers" -}}
{{- $values := deepCopy .Values.manager -}}
{{- range $name, $value := .Values.reconcilers -}}
{{- if not (kindIs "invalid" $value) }}{{ $_ := set $values $name $value }}{{ end -}}
{{- end -}}
{{ toYaml $values }}
{{- end }}

{{/* info or a word; OpenKruise's levels are numbers, of which those above 4 are for debugging. */}}
{{- define "sluice.logLevel" -}}
{{- $level := .log.level | toString -}}
{{- if regexMatch "^[0-9]+$" $level }}{{ gt (int $level) 4 | ternary "debug" "info" }}{{ else }}{{ $level }}{{ end -}}
{{- end }}

{{/* May run under the Pod Security standard "restricted". */}}
{{- define "sluice.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65534
runAsGroup: 65534
fsGroup: 65534
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "sluice.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* Where the pods of a program may and should run; takes (list values selector-labels). */}}
{{- define "sluice.placement" -}}
{{- $values := index . 0 -}}
{{- $selector := index . 1 -}}
{{- with $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
affinity:
{{- if $values.affinity }}
  {{- toYaml $values.affinity | nindent 2 }}
{{- else }}
{{- with $values.nodeAffinity }}
  nodeAffinity:
    {{- toYaml . | nindent 4 }}
{{- end }}
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              {{- toYaml $selector | nindent 14 }}
{{- end }}
topologySpreadConstraints:
{{- if $values.topologySpreadConstraints }}
  {{- toYaml $values.topologySpreadConstraints | nindent 2 }}
{{- else }}
  - maxSkew: 1
    topologyKey: topology.kubernetes.io/zone
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- toYaml $selector | nindent 8 }}
{{- end }}
{{- end }}

{{/* A PodDisruptionBudget's own fields. */}}
{{- define "sluice.disruptions" -}}
{{- if kindIs "invalid" .minAvailable -}}
maxUnavailable: {{ kindIs "invalid" .maxUnavailable | ternary 1 .maxUnavailable }}
{{- else -}}
minAvailable: {{ .minAvailable }}
{{- end }}
{{- end }}

{{/* Annotations of an object that is made before an uninstallation; takes its place in the order. */}}
{{- define "sluice.hook" -}}
helm.sh/hook: pre-delete
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}

{{/* How pods are replaced. What the defaults say of rolling is said only when there is any. */}}
{{- define "sluice.strategy" -}}
{{- with .strategy -}}
strategy:
  {{- toYaml (eq .type "RollingUpdate" | ternary . (omit . "rollingUpdate")) | nindent 2 }}
{{- end }}
{{- end }}
