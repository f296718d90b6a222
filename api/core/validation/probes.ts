// Probes and lifecycle hooks of a container.
import type { HTTPGetAction, Lifecycle, LifecycleHandler, Probe } from '../containers.ts';
import { toNumber } from '../json.ts';
import { validatePortNumber, validatePortNumberOrName } from './container-ports.ts';
import type { Field } from './field.ts';
import { headerName } from './names.ts';
import { wording } from './wording.ts';

const SCHEMES = ['HTTP', 'HTTPS'];

/** Hooks; a sleep must end within the pod's grace period. */
export function validateLifecycle(lifecycle: Field<Lifecycle | undefined>, graceSeconds: number): void {
  for (const hook of [lifecycle.at('postStart'), lifecycle.at('preStop')]) {
    if (hook.isSet) validateHandler(hook, graceSeconds);
  }
}

/** A liveness or startup probe: one success is enough. */
export function validateRestartProbe(probe: Field<Probe | undefined>): void {
  if (!probe.isSet) return;
  validateProbe(probe);
  const threshold = probe.value?.successThreshold ?? 0;
  if (threshold !== 1) probe.at('successThreshold').invalid(wording.one, threshold);
}

/** A readiness probe: it never ends the container, so it has no grace period. */
export function validateReadinessProbe(probe: Field<Probe | undefined>): void {
  if (!probe.isSet) return;
  validateProbe(probe);
  const grace = probe.at('terminationGracePeriodSeconds');
  if (grace.value !== undefined) grace.invalid(wording.noGraceOnReadiness);
}

/** What all probes have in common: one handler, numbers that are not negative. */
function validateProbe(probe: Field<Probe | undefined>): void {
  validateHandler(probe, 0);
  probe.at('initialDelaySeconds').notNegative();
  probe.at('timeoutSeconds').notNegative();
  probe.at('periodSeconds').notNegative();
  probe.at('successThreshold').notNegative();
  probe.at('failureThreshold').notNegative();
  const grace = probe.at('terminationGracePeriodSeconds');
  if (grace.value !== undefined && toNumber(grace.value) <= 0) grace.invalid(wording.above0);
}

type Handler = Pick<LifecycleHandler, 'exec' | 'httpGet' | 'tcpSocket' | 'sleep'> & Pick<Probe, 'grpc'>;

// The first handler is looked at, each further one is refused.
function validateHandler(field: Field<Probe | undefined> | Field<LifecycleHandler | undefined>, graceSeconds: number) {
  const handler = field as Field<Handler | undefined>;
  const rules: readonly [Field<unknown>, () => void][] = [
    [handler.at('exec'), () => handler.at('exec').at('command').require()],
    [handler.at('httpGet'), () => validateHttpGet(handler.at('httpGet'))],
    [handler.at('tcpSocket'), () => validatePortNumberOrName(handler.at('tcpSocket').at('port'))],
    [handler.at('grpc'), () => validatePortNumber(handler.at('grpc').at('port'))],
    [handler.at('sleep'), () => validateSleep(handler.at('sleep'), graceSeconds)],
  ];
  let count = 0;
  for (const [place, validate] of rules) {
    if (!place.isSet) continue;
    if (count++ === 0) validate();
    else place.forbidden(wording.oneHandlerOnly);
  }
  if (count === 0) handler.required(wording.handlerMissing);
}

function validateHttpGet(action: Field<HTTPGetAction | undefined>): void {
  action.at('path').require();
  validatePortNumberOrName(action.at('port'));
  action.at('scheme').among(SCHEMES);
  for (const { name } of action.value?.httpHeaders ?? []) {
    for (const detail of headerName(name)) action.at('httpHeaders').invalid(detail, name);
  }
}

function validateSleep(sleep: Field<LifecycleHandler['sleep']>, graceSeconds: number): void {
  const seconds = sleep.value?.seconds ?? 0;
  const number = toNumber(seconds);
  if (number <= 0 || number > graceSeconds) sleep.invalid(wording.sleepSeconds(graceSeconds), seconds);
}
