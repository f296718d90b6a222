{{/* Rules of files/rbac.yaml whose features are on; takes (list root program scope role), where the role is that of the
features which name none, or the one that they name. Empty if there are none. */}}
{{- define "sluice.rules" -}}
{{- $root := index . 0 -}}
{{- $role := index . 3 -}}
{{- $gates := include "sluice.gates" $root | fromYaml -}}
{{- $program := get ($root.Files.Get "files/rbac.yaml" | fromYaml) (index . 1) -}}
{{- range $feature := get $program (index . 2) -}}
{{- $isOn := not $feature.gates -}}
{{- range $feature.gates }}{{ if get $gates . }}{{ $isOn = true }}{{ end }}{{ end -}}
{{- if and $feature.without (get $gates ($feature.without | default "")) }}{{ $isOn = false }}{{ end -}}
{{- if and $isOn (eq ($feature.role | default "") $role) }}
# {{ $feature.feature }}.
{{- range $rule := $feature.rules }}
- apiGroups:
  {{- range $rule.apiGroups }}
  {{- if eq . "$roleListGroups" }}
  {{- toYaml $root.Values.installation.roleListGroups | nindent 4 }}
  {{- else }}
    - {{ . | quote }}
  {{- end }}
  {{- end }}
  resources:
    {{- toYaml $rule.resources | nindent 4 }}
  {{- if $rule.resourceNames }}
  resourceNames:
  {{- range $rule.resourceNames }}
  {{- if eq . "$versionedDefinitions" }}
  {{- range ($root.Files.Get "files/api.yaml" | fromYaml).kinds }}
  {{- if .hasVersions }}
    - {{ .resource }}.{{ .group }}
  {{- end }}
  {{- end }}
  {{- else }}
    - {{ . }}
  {{- end }}
  {{- end }}
  {{- end }}
  verbs:
    {{- toYaml $rule.verbs | nindent 4 }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* A role and its binding; takes a dict of root, component, account, program, scope (cluster or system), role (as in
files/rbac.yaml) and name. */}}
{{- define "sluice.role" -}}
{{- $root := .root -}}
{{- $isCluster := eq .scope "cluster" -}}
{{- $namespace := include "sluice.namespace" $root -}}
{{- $rules := include "sluice.rules" (list $root .program .scope .role) -}}
{{- if $rules }}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $isCluster | ternary "ClusterRole" "Role" }}
metadata:
  {{- include "sluice.metadata" ($isCluster | ternary (list $root .component .name) (list $root .component .name $namespace)) | nindent 2 }}
rules:
  {{- $rules | nindent 2 }}
{{- if and $isCluster (eq .role "") }}
{{- with $root.Values.customWorkloads }}
  # Custom workloads.
{{- range . }}
  - apiGroups: [{{ .apiGroup | quote }}]
    resources:
      {{- toYaml .resources | nindent 6 }}
    verbs: [get, list, watch]
{{- end }}
{{- end }}
{{- end }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $isCluster | ternary "ClusterRoleBinding" "RoleBinding" }}
metadata:
  {{- $binding := printf "%sbinding" .name }}
  {{- include "sluice.metadata" ($isCluster | ternary (list $root .component $binding) (list $root .component $binding $namespace)) | nindent 2 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ $isCluster | ternary "ClusterRole" "Role" }}
  name: {{ .name }}
subjects:
  - kind: ServiceAccount
    name: {{ .account }}
    namespace: {{ $namespace }}
---
{{- end }}
{{- end }}

{{/* A ServiceAccount; takes (list root component name). */}}
{{- define "sluice.serviceAccount" -}}
{{- $root := index . 0 -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "sluice.metadata" (append . (include "sluice.namespace" $root)) | nindent 2 }}
  {{- with $root.Values.serviceAccount.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: {{ $root.Values.serviceAccount.automountServiceAccountToken }}
{{- end }}
