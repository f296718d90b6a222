/**
 * A field error: what Kubernetes prints when a member of an object breaks a rule, and its exact text.
 * Which rule yields which error is left to the validators.
 */
import type { Json } from './json.ts';

/** The kinds of field errors, by Kubernetes' names; the text that each prints is in `KIND_TEXT`. */
type FieldErrorKind =
  | 'Invalid'
  | 'Required'
  | 'Forbidden'
  | 'Duplicate'
  | 'NotSupported'
  | 'NotFound'
  | 'TooLong'
  | 'TooMany'
  | 'InternalError'
  | 'TypeInvalid';

/**
 * One broken rule. `path` is the dotted path (`spec.containers[0].name`; '' is printed as `<nil>`).
 * `value` is what was found: null prints as Kubernetes prints a nil pointer; absent prints no value.
 * `supported` lists the accepted values of a `NotSupported` error, in the order to print.
 * `bare` prints a text value without quotes, as Kubernetes does for resource names.
 * `text` is printed instead of all that, for rules whose refusals are plain sentences; `path` then only tells the place.
 */
export type FieldError = {
  kind: FieldErrorKind;
  path: string;
  value?: Json;
  detail?: string;
  supported?: readonly string[];
  bare?: boolean;
  text?: string;
};

/** A refusal in one plain sentence, about what stands at `path`; of kind Forbidden if it is a denial. */
export function plainError(path: string, text: string, kind: FieldErrorKind = 'Invalid'): FieldError {
  return { kind, path, text };
}

const KIND_TEXT: Record<FieldErrorKind, string> = {
  Invalid: 'Invalid value',
  Required: 'Required value',
  Forbidden: 'Forbidden',
  Duplicate: 'Duplicate value',
  NotSupported: 'Unsupported value',
  NotFound: 'Not found',
  TooLong: 'Too long',
  TooMany: 'Too many',
  InternalError: 'Internal error',
  TypeInvalid: 'Invalid value',
};

const KINDS_WITHOUT_VALUE: ReadonlySet<FieldErrorKind> = new Set(['Required', 'Forbidden', 'TooLong', 'InternalError']);

/** The text of one error, for example `spec.x: Invalid value: "a": detail` (admission-overview 1.5). */
export function formatFieldError(error: FieldError): string {
  if (error.text !== undefined) return shortened(error.text);
  return `${error.path === '' ? '<nil>' : shortened(error.path)}: ${formatFieldErrorBody(error)}`;
}

/** The text after the path: what `causes[].message` of a Status carries. */
function formatFieldErrorBody(error: FieldError): string {
  if (error.text !== undefined) return shortened(error.text);
  const parts = [KIND_TEXT[error.kind]];
  if (error.value !== undefined && !KINDS_WITHOUT_VALUE.has(error.kind))
    parts.push(formatValue(error.value, error.bare));
  const detail = detailOf(error);
  if (detail !== '') parts.push(detail);
  return parts.join(': ');
}

/** How many errors are told of one object; a hostile one has millions. */
export const ERRORS_MOST = 1000;
/** How long the message of a refusal is at most, in characters, and a value or a detail in it. */
export const MESSAGE_LENGTH_MOST = 256 * 1024;
const PART_LENGTH_MOST = 64 * 1024;
const MORE = 'more errors are not told';

/**
 * The message of a refusal: one error is itself, several are `[e1, e2]` with repeated texts removed; none is ''. What is
 * beyond {@link ERRORS_MOST} or {@link MESSAGE_LENGTH_MOST} is left out, and that it is, is said.
 */
export function aggregate(errors: readonly FieldError[]): string {
  const texts = new Set<string>();
  const told = new Told();
  let length = 0;
  for (const [index, error] of errors.entries()) {
    if (told.has(error)) continue;
    const text = formatFieldError(error);
    if (texts.has(text)) continue;
    if (index >= ERRORS_MOST || length + text.length > MESSAGE_LENGTH_MOST) {
      texts.add(MORE);
      break;
    }
    texts.add(text);
    length += text.length + 2;
  }
  const [first = ''] = texts;
  return texts.size > 1 ? `[${[...texts].join(', ')}]` : first;
}

// Errors of which one has the text of the other, found without writing it: they may all have the same large value.
class Told {
  private readonly details = new Map<Json | undefined, Set<string>>();

  /** Whether there was such an error before; there is one now. */
  has({ kind, path, value, detail = '', text = '' }: FieldError): boolean {
    if (typeof value !== 'object' || value === null) return false;
    const known = this.details.get(value) ?? new Set();
    this.details.set(value, known);
    const key = JSON.stringify([kind, path, shortened(detail), shortened(text)]);
    return known.size === known.add(key).size;
  }
}

/** The text, cut if it is longer than so many characters: those of a message if nothing else is given. */
export function boundedText(text: string, most = 2 * MESSAGE_LENGTH_MOST): string {
  return text.length > most ? `${text.slice(0, most)}...` : text;
}

function shortened(text: string): string {
  return boundedText(text, PART_LENGTH_MOST);
}

/** `text` in double quotes, escaped as Go's `%q` does (which is not JSON: `\x00`, `\a`, `\U0001f600` never for printables). */
export function quote(text: string): string {
  return `"${PLAIN.test(text) ? text : text.replace(ESCAPED, escapeOf)}"`;
}

/** Most texts need no escape. */
const PLAIN = /^[ !#-[\]-~]*$/;
const ESCAPED = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
]);

function escapeOf(character: string): string {
  const known = ESCAPES.get(character);
  if (known !== undefined) return known;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\U${code.toString(16).padStart(8, '0')}`;
}

function detailOf(error: FieldError): string {
  if (error.supported === undefined || error.supported.length === 0) return shortened(error.detail ?? '');
  return `supported values: ${error.supported.map(quote).join(', ')}`;
}

function formatValue(value: Json, bare = false): string {
  if (value === null) return '"null"';
  if (typeof value === 'string') return bare ? shortened(value) : quote(shortened(value));
  return shortened(JSON.stringify(value));
}
