// What `sluice review --record` does beside the review: listens to the evaluator, redacts what goes in, writes the file.

import { writeFile } from 'node:fs/promises';
import type { JsonObject } from '../../api/core/json.ts';
import { describing } from '../../component/file-faults.ts';
import type { Admission } from '../admission.ts';
import type { Host, Settings } from '../host.ts';
import { renderJson } from '../render.ts';
import { moduleDigest } from '../version.ts';
import { documentOf, Recorder } from './recording.ts';
import { Redaction } from './redact.ts';

/** A recording that is being made. */
type Session = {
  /** Makes the evaluator that is listened to. */
  load(settings: Settings): Promise<Admission>;
  /** An object as it goes in: what is redacted is reviewed so, and the answers are those to what is in the file. */
  readAs(object: JsonObject): JsonObject;
  /** Writes the file. Throws InputError when that cannot be done. */
  write(nowMs: number): Promise<void>;
};

export function startRecording(host: Host, { file, redact }: { file: string; redact: boolean }): Session {
  const recorder = new Recorder();
  const redaction = new Redaction();
  let settings: Settings | undefined;
  return {
    load: async (given) => {
      settings = given;
      return recorder.recorded(await host.loadAdmission(given, { observer: recorder.observer }));
    },
    readAs: (object) => (redact ? redaction.object(object) : object),
    write: async (nowMs) => {
      if (settings === undefined) throw new Error('nothing was recorded');
      const { gates: featureGates, systemNamespace } = settings;
      const module = await moduleDigest(host.policyModule);
      const exchanges = recorder.found;
      const document = documentOf({ module, nowMs, featureGates, systemNamespace, redacted: redact, exchanges });
      await describing(file, () => writeFile(file, `${renderJson(document, 1)}\n`), 'cannot be written');
    },
  };
}
