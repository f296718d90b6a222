// The words of AdvancedCronJob's field errors, those of OpenKruise, since users match on them.
const templates = 'either JobTemplate or BroadcastJobTemplate or ImageListPullJobTemplate should be provided';

export const wording = {
  name: "AdvancedCronJob name must consist of alphanumeric characters or '-'",
  onlyV1beta1: 'imageListPullJobTemplate is not supported in v1alpha1',

  // Schedule.
  scheduleEmpty: 'schedule cannot be empty, please provide valid cron schedule.',
  twoTimeZones: 'cannot use both timeZone field and TZ or CRON_TZ in schedule',
  timeZoneEmpty: 'timeZone must be nil or non-empty string',
  timeZoneLocal: 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',

  // Templates.
  noTemplate: `spec must have one template, ${templates}`,
  manyTemplates: `spec can have only one template, ${templates}`,
  concurrency: (policy: string) => `concurrencyPolicy should be Replace or Forbid, but current value is: ${policy}`,
  immutable:
    "updates to advancedcronjob spec for fields other than 'imageListPullJobTemplate', 'schedule', " +
    "'concurrencyPolicy', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit', 'startingDeadlineSeconds', " +
    "'timeZone' and 'paused' are forbidden",

  // Warnings: the words are ours.
  nameTooLong: (limit: number) => `metadata.name: jobs cannot be created for names of more than ${limit} characters`,
  restartsAlways: 'spec.template.spec.restartPolicy: jobs are refused unless it is OnFailure or Never',

  // Image lists.
  namesAndLabels: 'can not set both names and labelSelector in this spec.selector',
  selector: (reason: string) => `invalid selector: ${reason}`,
  podSelector: (reason: string) => `invalid podSelector: ${reason}`,
  nameTwice: 'duplicated name in selector names',
  twoSelectors: 'can not set both selector and podSelector',
  imagesMissing: 'image can not be empty',
  tooManyImages: (limit: number) => `images cannot have more than ${limit} values`,
  imageTwice: 'images cannot have duplicate values',
  image: (image: string, reason: string) => `invalid image ${image}: ${reason}`,
  completionType: (type: string) => `completionPolicy should be Always, but current value is: ${type}`,
  deadlineTooLong: (limit: number) => `completionPolicy.activeDeadlineSeconds must be less than ${limit}`,
  deadlineTooShort: (timeoutSeconds: number) =>
    `completionPolicy.activeDeadlineSeconds must be greater than pullPolicy.timeoutSeconds(${timeoutSeconds})`,
  ttl: 'ttlSecondsAfterFinished is not supported in advancedCronJob',
} as const;
