// The words of the Advanced DaemonSet's field errors, those of OpenKruise, since users match on them.

export const wording = {
  selectorEmpty: 'empty selector is invalid for daemonset',
  noDeadline: 'activeDeadlineSeconds in DaemonSet is not Supported',
  surgeWithUnavailable: 'may not be set when maxUnavailable is non-zero',
  nothingMoves: 'cannot be 0 when maxSurge is 0',
  mustBeZero: (type: string) => `must be 0 for ${type} type`,
  noInPlaceHook: 'inPlaceUpdate hook has not supported yet',
  immutable:
    "updates to daemonset spec for fields other than 'BurstReplicas', 'template', 'lifecycle', 'scaleStrategy', " +
    "'updateStrategy', 'minReadySeconds', and 'revisionHistoryLimit' are forbidden",

  // Warnings.
  nothingBursts: (value: number | string) =>
    `spec.burstReplicas: with ${JSON.stringify(value)} no pod is ever created or deleted`,
  selectorUnusable: (fault: string) => `spec.updateStrategy.rollingUpdate.selector: no pod is ever updated: ${fault}`,
} as const;
