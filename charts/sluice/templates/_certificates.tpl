{{/* Whether the certificate comes from outside: by cert-manager or by a Secret that somebody else keeps. */}}
{{- define "sluice.hasExternalCertificate" -}}
{{- if (include "sluice.gates" . | fromYaml).EnableExternalCerts }}true{{ end -}}
{{- end }}

{{/* Annotations of what holds the authority: the webhook configurations and the CustomResourceDefinitions. */}}
{{- define "sluice.certificateAnnotations" -}}
{{- $annotations := deepCopy .Values.externalCerts.annotations -}}
{{- if .Values.certManager.enabled -}}
{{- $_ := set $annotations "cert-manager.io/inject-ca-from" (printf "%s/kruise-webhook-certs" (include "sluice.namespace" .)) -}}
{{- end -}}
{{ toYaml $annotations }}
{{- end }}

{{/* The authority in base64, if it is a value. */}}
{{- define "sluice.caBundle" -}}
{{- with .Values.externalCerts.caBundle }}{{ b64enc . }}{{ end -}}
{{- end }}

{{/* True if there are daemons. */}}
{{- define "sluice.hasDaemon" -}}
{{- if and .Values.daemon.enabled (include "sluice.gates" . | fromYaml).KruiseDaemon }}true{{ end -}}
{{- end }}
