// Takes apart the message of a refusal that is made of field errors: `path: Kind: detail`, `path: expected ...`, or
// several as `[e1, e2]`.

/** One field error: the path, and the text with the path. */
export type FieldMessage = { path: string; text: string };

const KIND =
  '(?:Invalid value|Required value|Forbidden|Duplicate value|Unsupported value|Not found|Too long|Too many|Internal error|expected )';
// A path has no space but inside brackets.
const START = new RegExp(`(?<path>[A-Za-z_][\\w$-]*(?:\\.[A-Za-z_][\\w$-]*|\\[[^\\]]*\\])*): ${KIND}`, 'g');

/** The field errors of a message in order; none if it is another kind of message. */
export function fieldsOf(message: string): FieldMessage[] {
  const inside = message.startsWith('[') && message.endsWith(']') ? message.slice(1, -1) : message;
  const starts = [...inside.matchAll(START)].filter(
    ({ index }) => index === 0 || inside.slice(index - 2, index) === ', ',
  );
  if (starts[0]?.index !== 0) return decodingFault(message);
  return starts.map((start, at) => {
    const next = starts[at + 1];
    const end = next === undefined ? inside.length : next.index - ', '.length;
    return { path: start.groups?.path ?? '', text: inside.slice(start.index, end) };
  });
}

// What API machinery says of a member of the wrong type: without indices, so the place is that of the list.
function decodingFault(message: string): FieldMessage[] {
  const path = /^json: cannot unmarshal .* into Go struct field \w+\.([\w.]+) of type /.exec(message)?.[1];
  return path === undefined ? [] : [{ path, text: message }];
}
