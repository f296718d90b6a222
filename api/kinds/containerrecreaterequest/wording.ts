// The words in which ContainerRecreateRequests are refused; users match on them.
export const wording = {
  // Updates.
  specImmutable: 'spec of ContainerRecreateRequest is immutable',
  labelImmutable: (name: string) => `not allowed to update immutable label ${name}`,
  annotationImmutable: (name: string) => `not allowed to update immutable annotation ${name}`,

  // Members.
  podNameMissing: 'podName can not be empty',
  containersMissing: 'containers list can not be null',
  deadlineTooShort: (seconds: number) => `activeDeadlineSeconds can not be less than ${seconds}s`,
  negative: (member: string) => `${member} must be non-negative integer`,
  failurePolicy: (policy: string) => `unknown failurePolicy ${policy}`,

  // Pod and node.
  podMissing: (name: string) => `no found Pod named ${name}`,
  podUnreadable: (name: string, reason: string) => `can not read Pod ${name}: ${reason}`,
  podInactive: 'not allowed to recreate containers in an inactive Pod',
  podPending: 'not allowed to recreate containers in a pending Pod',
  nodeMissing: (name: string) => `no found Node named ${name}`,

  // Containers.
  containerTwice: (name: string) => `can not recreate ${name} multi times`,
  factsGiven: 'preStop, ports, statusContext in container are ready-only fields',
  containerUnknown: (name: string) => `container ${name} not found in Pod`,
  statusMissing: (name: string) => `not found ${name} containerStatus in Pod Status`,
  idMissing: (name: string) =>
    `no containerID in ${name} containerStatus, maybe the container has not been initialized`,
} as const;
