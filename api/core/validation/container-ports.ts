// Ports of containers, and ports of the host that two containers would both take.
import type { Container, ContainerPort } from '../containers.ts';
import type { Field } from './field.ts';
import { portName } from './names.ts';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const GREATEST_PORT = 65535;

/** Names, numbers and protocols of one container's ports. */
export function validatePorts(ports: Field<ContainerPort[] | undefined>): void {
  const names = new Set<string>();
  for (const port of ports.items()) {
    const name = port.at('name');
    if (name.isSet && name.follow(portName)) {
      if (names.has(name.value ?? '')) name.duplicate();
      names.add(name.value ?? '');
    }
    if (port.at('containerPort').require()) validatePortNumber(port.at('containerPort'));
    if (port.at('hostPort').isSet) validatePortNumber(port.at('hostPort'));
    port.at('protocol').requireAmong(PROTOCOLS);
  }
}

/** No two ports of the containers may have the same protocol, host address and host port. Reported below `list`. */
export function validateHostPortConflicts(list: Field<unknown>, containers: readonly Container[]): void {
  const taken = new Set<string>();
  containers.forEach((container, index) => {
    container.ports?.forEach(({ protocol = '', hostIP = '', hostPort = 0 }, portIndex) => {
      if (hostPort === 0) return;
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(key)) list.place(index, 'ports', portIndex, 'hostPort').duplicate(key);
      taken.add(key);
    });
  });
}

/** A port number, 1 to 65535. */
export function validatePortNumber(port: Field<number | undefined>): void {
  port.between(1, GREATEST_PORT);
}

/** A port number or the name of a port. */
export function validatePortNumberOrName(port: Field<number | string>): void {
  if (typeof port.value === 'string') port.follow(portName);
  else port.between(1, GREATEST_PORT);
}
