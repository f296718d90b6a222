// What our build adds to the AssemblyScript compiler: the arena in place of the stub allocator, and a step counted in every loop.
// A loop that is not instrumented cannot exist in assembly/: this is how a review is bounded in every engine (docs/decisions/0003).

import { readFileSync } from 'node:fs';
import { Node, NodeKind, Source } from 'assemblyscript';
import { libraryFiles } from 'assemblyscript/asc';
import { Transform } from 'assemblyscript/transform';

libraryFiles['rt/stub'] = readFileSync(new URL('../../assembly/runtime/arena.ts', import.meta.url), 'utf8');

export default class extends Transform {
  afterParse(parser) {
    for (const source of parser.sources) {
      if (source instanceof Source && source.internalPath.startsWith('assembly/')) source.statements.forEach(visit);
    }
  }
}

/** Inserts `__step()` at the head of every loop body below a statement. */
function visit(node) {
  if (!node) return;
  switch (node.kind) {
    case NodeKind.Block:
      node.statements.forEach(visit);
      break;
    case NodeKind.If:
      visit(node.ifTrue);
      visit(node.ifFalse);
      break;
    case NodeKind.Switch:
      for (const branch of node.cases) branch.statements.forEach(visit);
      break;
    case NodeKind.Do:
    case NodeKind.For:
    case NodeKind.While:
      visit(node.body);
      node.body = counted(node.body);
      break;
    case NodeKind.ClassDeclaration:
    case NodeKind.NamespaceDeclaration:
      node.members.forEach(visit);
      break;
    case NodeKind.FunctionDeclaration:
    case NodeKind.MethodDeclaration:
      visit(node.body);
      break;
    case NodeKind.Export:
    case NodeKind.Variable:
    case NodeKind.Return:
    case NodeKind.Expression:
      break;
  }
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
