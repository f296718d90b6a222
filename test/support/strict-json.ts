// What a strict reader must say of a text, by other means than ours: the platform's UTF-8 decoder and JSON.parse, then
// a walk over the tokens for what they let pass: a key twice in an object, a lone surrogate, nesting beyond a limit.

const DEPTH_MOST = 512;
const BYTES_MOST = 7 * 1024 * 1024;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const TOKENS = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s"[\]{}:,]+/gsu;

/** Why a text must be refused; undefined when it must be accepted. */
export function refusal(bytes: Uint8Array): string | undefined {
  if (bytes.length > BYTES_MOST) return 'too long';
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return 'not UTF-8';
  }
  const depth = deepest(text);
  try {
    JSON.parse(text);
  } catch {
    return 'not JSON';
  }
  if (depth > DEPTH_MOST) return 'too deep';
  return refusalOfStrings(text);
}

/** Of a text that JSON.parse accepts. */
function refusalOfStrings(text: string): string | undefined {
  const open: Set<string>[] = [];
  const tokens = text.match(TOKENS) ?? [];
  for (const [i, token] of tokens.entries()) {
    if (token === '{' || token === '[') open.push(new Set());
    if (token === '}' || token === ']') open.pop();
    if (!token.startsWith('"')) continue;
    const value = JSON.parse(token) as string;
    if (!value.isWellFormed()) return 'lone surrogate';
    if (tokens[i + 1] !== ':') continue;
    const names = open.at(-1);
    if (names?.has(value)) return 'key twice';
    names?.add(value);
  }
  return undefined;
}

/** How deep brackets stand, strings left out. */
function deepest(text: string): number {
  let depth = 0;
  let most = 0;
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '{' || token === '[') most = Math.max(most, ++depth);
    if (token === '}' || token === ']') depth--;
  }
  return most;
}
