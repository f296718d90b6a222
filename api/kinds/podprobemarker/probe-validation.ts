// The probe of a PodProbeMarker: one handler of three, and numbers that are not negative (podprobemarker 2.1). The rules
// are not those of a container's probe: the host must be empty, the path a URL, and grpc is no handler.
import type { ContainerProbe } from '../../core/pod-probe.ts';
import { validatePortNumberOrName } from '../../core/validation/container-ports.ts';
import type { Field } from '../../core/validation/field.ts';
import { headerName } from '../../core/validation/names.ts';
import { urlFault } from '../../core/validation/url.ts';
import { wording as kubernetes } from '../../core/validation/wording.ts';
import { wording } from './wording.ts';

type Probe = Field<ContainerProbe>;

const SCHEMES = ['HTTP', 'HTTPS'];

/** All rules of the probe that stands at the field's path. */
export function validateContainerProbe(probe: Probe): void {
  validateHandler(probe);
  probe.at('initialDelaySeconds').notNegative();
  probe.at('timeoutSeconds').notNegative();
  probe.at('periodSeconds').notNegative();
  probe.at('successThreshold').notNegative();
  probe.at('failureThreshold').notNegative();
}

// The first handler is looked at, each further one is refused.
function validateHandler(probe: Probe): void {
  const handlers: readonly [Field<unknown>, () => void][] = [
    [probe.at('exec'), () => probe.at('exec').at('command').require()],
    [probe.at('httpGet'), () => validateHttpGet(probe.at('httpGet'))],
    [probe.at('tcpSocket'), () => validateTcpSocket(probe.at('tcpSocket'))],
  ];
  const given = handlers.filter(([handler]) => handler.isSet);
  const [first, ...others] = given;
  if (first === undefined) probe.required(kubernetes.handlerMissing);
  else first[1]();
  for (const [handler] of others) handler.forbidden(kubernetes.oneHandlerOnly);
}

function validateTcpSocket(action: Field<ContainerProbe['tcpSocket']>): void {
  validateHost(action.at('host'));
  validatePortNumberOrName(action.at('port'));
}

function validateHttpGet(action: Field<ContainerProbe['httpGet']>): void {
  const path = action.at('path');
  if (path.require()) {
    const fault = urlFault(path.value ?? '');
    if (fault !== undefined) path.invalid(fault);
  }
  validateHost(action.at('host'));
  validatePortNumberOrName(action.at('port'));
  action.at('scheme').among(SCHEMES);
  for (const { name } of action.value?.httpHeaders ?? []) {
    for (const detail of headerName(name)) action.at('httpHeaders').invalid(detail, name);
  }
}

function validateHost(host: Field<string | undefined>): void {
  if (host.isSet) host.invalid(wording.hostForbidden);
}
