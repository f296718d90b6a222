{{/* The gates as they were given, as a map; what certManager needs is added. Fails naming the gate or value. */}}
{{- define "sluice.givenGates" -}}
{{- $api := .Files.Get "files/api.yaml" | fromYaml -}}
{{- $given := dict -}}
{{- $texts := list -}}
{{- if kindIs "map" .Values.featureGates -}}
{{- range $name, $value := .Values.featureGates }}{{ $texts = append $texts (printf "%s=%v" $name $value) }}{{ end -}}
{{- else -}}
{{- $texts = splitList "," (.Values.featureGates | default "") -}}
{{- end -}}
{{- range $texts -}}
{{- $parts := splitn "=" 2 . -}}
{{- $name := trim $parts._0 -}}
{{- if $name -}}
{{- if not (or (hasKey $api.gates $name) (hasKey $api.stages $name)) -}}
{{- fail (printf "featureGates: unknown gate %q" $name) -}}
{{- end -}}
{{- $word := trim ($parts._1 | default "") -}}
{{- if has $word (list "1" "t" "T" "true" "TRUE" "True") -}}
{{- $_ := set $given $name true -}}
{{- else if has $word (list "0" "f" "F" "false" "FALSE" "False") -}}
{{- $_ := set $given $name false -}}
{{- else -}}
{{- fail (printf "featureGates: %s: expected true or false, got %q" $name $word) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if .Values.certManager.enabled }}{{ $_ := set $given "EnableExternalCerts" true }}{{ end -}}
{{ toYaml $given }}
{{- end }}

{{/* The value of the flag --feature-gates. */}}
{{- define "sluice.gatesFlag" -}}
{{- $texts := list -}}
{{- range $name, $value := include "sluice.givenGates" . | fromYaml }}{{ $texts = append $texts (printf "%s=%v" $name $value) }}{{ end -}}
{{ join "," $texts }}
{{- end }}

{{/* The values of all gates: what was given, then what gates force on each other. */}}
{{- define "sluice.gates" -}}
{{- $api := .Files.Get "files/api.yaml" | fromYaml -}}
{{- $given := include "sluice.givenGates" . | fromYaml -}}
{{- $values := deepCopy $api.gates -}}
{{- range $stage, $names := $api.stages -}}
{{- if hasKey $given $stage }}{{ range $names }}{{ $_ := set $values . (get $given $stage) }}{{ end }}{{ end -}}
{{- end -}}
{{- range $name, $value := $given -}}
{{- if hasKey $values $name }}{{ $_ := set $values $name $value }}{{ end -}}
{{- end -}}
{{- range $rule := $api.gateDependencies -}}
{{- $applies := false -}}
{{- range $rule.any }}{{ if eq (get $values .) $rule.is }}{{ $applies = true }}{{ end }}{{ end -}}
{{- if $applies }}{{ range $rule.gates }}{{ $_ := set $values . $rule.become }}{{ end }}{{ end -}}
{{- end -}}
{{ toYaml $values }}
{{- end }}
