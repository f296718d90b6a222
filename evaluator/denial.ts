// A refusal that is a decision, as hosts of the policies are told of it.

/** For counters and logs (operations 12); can be sent to another thread. */
export type Denial = {
  readonly event: 'PodUnavailableBudget' | 'DeletionProtection';
  /** Of what was to be deleted; of a pod its controller, or `unknown` and the pod itself. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly username: string;
  /** The pod that its budget keeps. */
  readonly pod?: { readonly name: string; readonly namespace: string; readonly uid: string };
};
