// Field paths as Kubernetes prints them (`spec.containers[0].name`, `metadata.labels[a.b/c]`), to and from segments.

/** One step: the name of a member, or the index of an element. */
export type Segment = string | number;

const PLAIN_NAME = /^[A-Za-z_$][\w$-]*$/;

/** Segments as a field path; a name that is no plain word stands in brackets. The path of the root is ''. */
export function formatFieldPath(segments: readonly Segment[]): string {
  let path = '';
  for (const segment of segments) {
    if (typeof segment === 'string' && PLAIN_NAME.test(segment)) path += path === '' ? segment : `.${segment}`;
    else path += `[${segment}]`;
  }
  return path;
}

/** The reverse of `formatFieldPath`, lenient: text in brackets that is all digits is an index, the rest are names. */
export function parseFieldPath(path: string): Segment[] {
  const segments: Segment[] = [];
  let at = 0;
  while (at < path.length) {
    if (path[at] === '[') {
      const end = closingBracket(path, at);
      const inside = path.slice(at + 1, end);
      segments.push(/^\d+$/.test(inside) ? Number(inside) : inside);
      at = end + 1;
    } else {
      if (path[at] === '.') at++;
      const start = at;
      while (at < path.length && path[at] !== '.' && path[at] !== '[') at++;
      if (at > start) segments.push(path.slice(start, at));
    }
  }
  return segments;
}

// A key may hold brackets itself: the closing one is followed by a dot, a bracket or the end.
function closingBracket(path: string, open: number): number {
  let close = path.indexOf(']', open);
  while (close >= 0 && close + 1 < path.length && path[close + 1] !== '.' && path[close + 1] !== '[') {
    close = path.indexOf(']', close + 1);
  }
  return close < 0 ? path.length : close;
}
