// What our build adds to the AssemblyScript compiler: the arena in place of the stub allocator, and a step counted in every loop.
// A loop that is not counted cannot exist in assembly/, but for those of LINEAR: this is how a review is bounded in every
// engine (docs/decisions/0003).

import { readFileSync } from 'node:fs';
import { Node, NodeKind, Source } from 'assemblyscript';
import { libraryFiles } from 'assemblyscript/asc';
import { Transform } from 'assemblyscript/transform';

libraryFiles['rt/stub'] = readFileSync(new URL('../../assembly/runtime/arena.ts', import.meta.url), 'utf8');

/** Loops of these files only go forward over one text, so they are bounded by what their callers hand them. */
const LINEAR = new Set(['scan', 'tokens', 'base64'].map((name) => `assembly/json/${name}`));

export default class extends Transform {
  afterParse(parser) {
    for (const source of parser.sources) {
      const path = source instanceof Source ? source.internalPath : '';
      if (path.startsWith('assembly/') && !LINEAR.has(path)) source.statements.forEach(visit);
    }
  }
}

const LOOPS = new Set([NodeKind.Do, NodeKind.For, NodeKind.While]);

/** Inserts `__step()` at the head of every loop body below a node, in whatever statement or expression it stands. */
function visit(node) {
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child instanceof Node) visit(child);
    }
  }
  if (LOOPS.has(node.kind)) node.body = counted(node.body);
}

function counted(body) {
  const range = body.range;
  const call = Node.createCallExpression(Node.createIdentifierExpression('__step', range), null, [], range);
  const statement = Node.createExpressionStatement(call);
  if (body.kind === NodeKind.Block) {
    body.statements.unshift(statement);
    return body;
  }
  return Node.createBlockStatement([statement, body], range);
}
