// Rules for short texts: names, label keys and values, ports, environment names. A rule takes a text and returns what is
// wrong with it, in Kubernetes' words; no entries mean that it is right.
import { wording } from './wording.ts';

/** Says what is wrong with a text; an empty list if nothing is. */
export type TextRule = (text: string) => readonly string[];

const RIGHT: readonly string[] = [];
const LABEL_LENGTH = 63;
const SUBDOMAIN_LENGTH = 253;
const PORT_NAME_LENGTH = 15;

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const qualified = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelText = `(${qualified})?`;
const environment = '[-._a-zA-Z][-._a-zA-Z0-9]*';
const configKeyText = '[-._a-zA-Z0-9]+';
const header = '[-A-Za-z0-9]+';

const alphanumericEnds = 'and must start and end with an alphanumeric character';
const labelPattern = new RegExp(`^${label}$`);
const subdomainPattern = new RegExp(`^${subdomain}$`);
const qualifiedPattern = new RegExp(`^${qualified}$`);
const labelTextPattern = new RegExp(`^${labelText}$`);

const notLabel = mismatch(
  `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${alphanumericEnds}`,
  label,
  'my-name',
  '123-abc',
);
const notSubdomain = mismatch(
  `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${alphanumericEnds}`,
  subdomain,
  'example.com',
);
const notQualified = mismatch(
  `must consist of alphanumeric characters, '-', '_' or '.', ${alphanumericEnds}`,
  qualified,
  'MyName',
  'my.name',
  '123-abc',
);
const notLabelValue = mismatch(
  `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ${alphanumericEnds}`,
  labelText,
  'MyValue',
  'my_value',
  '12345',
);

/** The text for a pattern that does not match: the rule in words, examples, and the pattern. */
export function mismatch(rule: string, pattern: string, ...examples: readonly string[]): string {
  const quoted = examples.map((example) => `'${example}', `).join(' or ');
  return `${rule} (e.g. ${quoted}regex used for validation is '${pattern}')`;
}

/** A rule with one pattern, which is matched as a whole. */
export function patternRule(rule: string, pattern: string, ...examples: readonly string[]): TextRule {
  const whole = new RegExp(`^${pattern.replace(/^\^|\$$/g, '')}$`);
  const details = [mismatch(rule, pattern, ...examples)];
  return (text) => (whole.test(text) ? RIGHT : details);
}

/** A name of up to 63 characters without dots, e.g. of a container or a namespace. */
export const dnsLabel: TextRule = (text) => {
  const details = noLongerThan(text, LABEL_LENGTH);
  if (labelPattern.test(text)) return details;
  return [...details, subdomainPattern.test(text) ? wording.noDots : notLabel];
};

/** A name of up to 253 characters in which dots separate labels, e.g. of most objects. */
export const dnsSubdomain: TextRule = (text) => {
  const details = noLongerThan(text, SUBDOMAIN_LENGTH);
  return subdomainPattern.test(text) ? details : [...details, notSubdomain];
};

/** A label or annotation key, condition type, resource name: a name with an optional DNS prefix. */
export const qualifiedName: TextRule = (text) => {
  const parts = text.split('/');
  if (parts.length > 2) {
    return [
      `a qualified name ${notQualified} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? (parts[0] ?? '') : undefined;
  if (prefix === undefined && name.length <= LABEL_LENGTH && qualifiedPattern.test(name)) return RIGHT;
  return [...namePrefixFaults(prefix), ...namePartFaults(name)];
};

/** An annotation key: a qualified name whose case does not matter. */
export const annotationKey: TextRule = (text) => qualifiedName(text.toLowerCase());

/** The value of a label; it may be empty. */
export const labelValue: TextRule = (text) => {
  const details = noLongerThan(text, LABEL_LENGTH);
  return labelTextPattern.test(text) ? details : [...details, notLabelValue];
};

/** The name of a port of a container. */
export const portName: TextRule = (text) => {
  const details: string[] = [...noLongerThan(text, PORT_NAME_LENGTH)];
  if (!/^[-a-z0-9]+$/.test(text)) {
    details.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(text)) details.push('must contain at least one letter (a-z)');
  if (text.includes('--')) details.push('must not contain consecutive hyphens');
  if (text.startsWith('-') || text.endsWith('-')) details.push('must not begin or end with a hyphen');
  return details;
};

/** The name of an environment variable (the strict rule of Kubernetes 1.32). */
export const envName: TextRule = (text) => [...environmentName(text), ...dotsInFront(text)];

/** A key of a ConfigMap or Secret. */
export const configKey: TextRule = (text) => {
  const details = noLongerThan(text, SUBDOMAIN_LENGTH);
  return [...details, ...configKeyName(text), ...dotsInFront(text)];
};

/** The name of an HTTP header. */
export const headerName: TextRule = patternRule(
  "a valid HTTP header must consist of alphanumeric characters or '-'",
  header,
  'X-Header-Name',
);

/** At most so many bytes of UTF-8. */
export function noLongerThan(text: string, limit: number): readonly string[] {
  return exceeds(text, limit) ? [wording.noMoreCharacters(limit)] : RIGHT;
}

/** True if the text is longer than so many bytes of UTF-8. */
export function exceeds(text: string, limitBytes: number): boolean {
  if (text.length > limitBytes) return true;
  return text.length * 3 > limitBytes && new TextEncoder().encode(text).length > limitBytes;
}

const environmentName = patternRule(
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
  environment,
  'my.env-name',
  'MY_ENV.NAME',
  'MyEnvName1',
);
const configKeyName = patternRule(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  configKeyText,
  'key.name',
  'KEY_NAME',
  'key-name',
);

function dotsInFront(text: string): readonly string[] {
  if (text === '.' || text === '..') return [`must not be '${text}'`];
  return text.startsWith('..') ? [wording.notDotDot] : RIGHT;
}

function namePrefixFaults(prefix: string | undefined): readonly string[] {
  if (prefix === undefined) return RIGHT;
  const details = prefix === '' ? [wording.nonEmpty] : dnsSubdomain(prefix);
  return details.map((detail) => `prefix part ${detail}`);
}

function namePartFaults(name: string): readonly string[] {
  const details = name === '' ? [wording.nonEmpty] : noLongerThan(name, LABEL_LENGTH);
  return [...details, ...(qualifiedPattern.test(name) ? [] : [notQualified])].map((detail) => `name part ${detail}`);
}
