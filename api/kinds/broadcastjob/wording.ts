// The words of BroadcastJob's field errors, those of OpenKruise, since users match on them.
import { BROADCASTJOB_CONTROLLER_UID, BROADCASTJOB_NAME } from '../../names.ts';

export const wording = {
  name: "BroadcastJob name must consist of alphanumeric characters or '-'",
  ttlNeedsAlways: 'ttlSecondsAfterFinished can just work with Always CompletionPolicyType',
  deadlineNeedsAlways: 'activeDeadlineSeconds can just work with Always CompletionPolicyType',
  restartPolicy: 'pod restartPolicy can only be Never or OnFailure',
  reservedLabels: `"${BROADCASTJOB_NAME}" and "${BROADCASTJOB_CONTROLLER_UID}" are not allowed to preset in pod labels`,
} as const;
