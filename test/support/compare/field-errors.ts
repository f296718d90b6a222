// Finds the field errors in the message of a refusal, each as `path: kind`.

// As Kubernetes names them; the parser knows an error by them.
const KINDS = [
  'Invalid value',
  'Required value',
  'Forbidden',
  'Duplicate value',
  'Unsupported value',
  'Not found',
  'Too long',
  'Too many',
  'Internal error',
];

// A path starts the message or follows `[` or `, `. Some name two members (`spec.maxUnavailable, minAvailable`)
// or a set of them (`[0].{topologyKey, whenUnsatisfiable}`); an empty one prints as `[]` or `<nil>`.
const PATH = String.raw`(?:(?:[A-Za-z.][^\s,":]*\.[^\s,":]*, )?[A-Za-z.][^\s,":{]*(?:\{[^}":]*\})?|\[\]|<nil>)`;
const FIELD_ERROR = new RegExp(String.raw`(?:^\[?|, )(${PATH}): (${KINDS.join('|')})(?=: |, |\]|$)`, 'g');
const DENIAL = /^admission webhook "[^"]*" denied the request: /;
const INVALID_OBJECT = /^\S+ "[^"]*" is invalid: /;

/** The field errors of a message, in the order of the text. What an API server puts in front of them is skipped. */
export function fieldErrorsOf(message: string): string[] {
  const text = message.replace(DENIAL, '').replace(INVALID_OBJECT, '');
  return [...text.matchAll(FIELD_ERROR)].map(([, path, kind]) => `${path}: ${kind}`);
}
