// Resource expressions of a SidecarSet (`max(cpu*50%, 100m)`): values are numbers and quantities, operators bind as in
// arithmetic. Parsing and evaluating are one pass over explicit stacks, so that nesting costs no call stack.

import { Text } from '../json/text';
import { Writer } from '../json/writer';
import { Operand } from './calculator/operand';
import { isWordByte, Token, Tokens } from './calculator/tokens';
import { Quantity } from './quantity';

/** Bytes of an expression: evaluating one costs about a hundred steps a byte at worst. */
const EXPRESSION_MOST = 1 << 14;

/** What an expression comes to: a quantity, or why there is none. */
export class Calculation {
  private constructor(
    readonly quantity: Quantity | null,
    readonly error: Text | null,
  ) {}

  static of(quantity: Quantity): Calculation {
    return new Calculation(quantity, null);
  }

  static failed(error: Text): Calculation {
    return new Calculation(null, error);
  }
}

/**
 * Evaluates an expression for a pod. The one variable is bound to the aggregate: it is called `memory` if the
 * expression contains that word, else `cpu`.
 */
export function evaluate(expression: Text, aggregate: Quantity): Calculation {
  const variable = containsMemory(expression) ? 'memory' : 'cpu';
  return new Calculator(expression, variable, Operand.ofQuantity(aggregate)).run();
}

/** Why an expression cannot stand in the field of a resource (`cpu` or `memory`), or null: its variable counts as 1. */
export function checkExpression(expression: Text, variable: string): Text | null {
  return new Calculator(expression, variable, Operand.ofNumber(1)).run().error;
}

/** Higher binds tighter; an open parenthesis or call holds everything. */
const enum Operator {
  Open,
  Call,
  Add,
  Subtract,
  Multiply,
  Divide,
  Negate,
}

const enum Called {
  Min,
  Max,
}

class Calculator {
  private tokens: Tokens;
  private operands: Array<Operand> = [];
  private operators: Array<Operator> = [];
  /** For each open call: the function, and how many arguments have begun. */
  private called: Array<Called> = [];
  private counts: Array<i32> = [];
  private error: Text | null = null;

  constructor(
    private readonly expression: Text,
    private readonly variable: string,
    private readonly value: Operand,
  ) {
    this.tokens = new Tokens(expression);
  }

  run(): Calculation {
    if (this.expression.length > EXPRESSION_MOST) {
      return Calculation.failed(Text.of('expression is longer than 16384 bytes'));
    }
    let expectsOperand = true;
    do {
      this.tokens.next();
      expectsOperand = expectsOperand ? this.readOperand() : this.readOperator();
    } while (this.error == null && this.tokens.kind != Token.End);
    const error = this.error;
    return error != null ? Calculation.failed(error) : this.finish();
  }

  /** Reads what may stand where an operand is due, and tells whether one still is. */
  private readOperand(): bool {
    switch (this.tokens.kind) {
      case Token.Literal:
        this.push(Operand.ofLiteral(this.tokens.text));
        return false;
      case Token.Name:
        return this.readName();
      case Token.Minus:
        this.operators.push(Operator.Negate);
        return true;
      case Token.Open:
        this.operators.push(Operator.Open);
        return true;
      default:
        this.unexpected();
        return true;
    }
  }

  private readName(): bool {
    const name = this.tokens.text;
    if (this.tokens.isCall) {
      const isMax = isWord(name, 'max');
      if (!isMax && !isWord(name, 'min')) {
        this.fail('undefined function: ', lowerCased(name));
        return true;
      }
      this.tokens.next();
      this.operators.push(Operator.Call);
      this.called.push(isMax ? Called.Max : Called.Min);
      this.counts.push(1);
      return true;
    }
    if (isWord(name, this.variable)) {
      this.push(this.value);
    } else {
      this.fail('undefined variable: ', lowerCased(name));
    }
    return false;
  }

  /** Reads what may stand behind an operand, and tells whether another one is due. */
  private readOperator(): bool {
    switch (this.tokens.kind) {
      case Token.Plus:
        this.operator(Operator.Add);
        return true;
      case Token.Minus:
        this.operator(Operator.Subtract);
        return true;
      case Token.Times:
        this.operator(Operator.Multiply);
        return true;
      case Token.Divide:
        this.operator(Operator.Divide);
        return true;
      case Token.Comma:
        this.reduce(Operator.Add);
        if (this.topIs(Operator.Call)) {
          this.counts[this.counts.length - 1] += 1;
        } else {
          this.unexpected();
        }
        return true;
      case Token.Close:
        this.close();
        return false;
      case Token.End:
        this.reduce(Operator.Add);
        if (this.operators.length > 0) {
          this.unexpected();
        }
        return false;
      default:
        this.unexpected();
        return false;
    }
  }

  private operator(operator: Operator): void {
    this.reduce(operator >= Operator.Multiply ? Operator.Multiply : Operator.Add);
    this.operators.push(operator);
  }

  private close(): void {
    this.reduce(Operator.Add);
    if (this.topIs(Operator.Call)) {
      this.operators.pop();
      const called = this.called.pop();
      if (this.counts.pop() != 2) {
        this.fail(called == Called.Max ? 'max takes two arguments' : 'min takes two arguments', Text.empty());
        return;
      }
      const right = this.operands.pop();
      const left = this.operands.pop();
      this.push(left.extreme(right, called == Called.Max));
    } else if (this.topIs(Operator.Open)) {
      this.operators.pop();
      this.push(this.operands.pop());
    } else {
      this.unexpected();
    }
  }

  private topIs(operator: Operator): bool {
    const length = this.operators.length;
    return length > 0 && this.operators[length - 1] == operator;
  }

  /** Puts a finished operand on the stack, behind the minus signs that stand before it. */
  private push(operand: Operand): void {
    let value = operand;
    while (this.topIs(Operator.Negate)) {
      this.operators.pop();
      value = value.negated();
    }
    const error = value.error;
    if (error != null) {
      this.error = this.error == null ? error : this.error;
    }
    this.operands.push(value);
  }

  /** Applies the operators on the stack that bind at least as tightly as `least`. */
  private reduce(least: Operator): void {
    while (this.error == null && this.operators.length > 0 && this.operators[this.operators.length - 1] >= least) {
      const operator = this.operators.pop();
      const right = this.operands.pop();
      const left = this.operands.pop();
      switch (operator) {
        case Operator.Add:
          this.push(left.plus(right));
          break;
        case Operator.Subtract:
          this.push(left.plus(right.negated()));
          break;
        case Operator.Multiply:
          this.push(left.times(right));
          break;
        default:
          this.push(left.over(right));
      }
    }
  }

  private unexpected(): void {
    if (this.tokens.kind == Token.End) {
      this.fail('syntax error: unexpected end of expression', Text.empty());
    } else {
      this.fail('syntax error: unexpected ', this.tokens.text);
    }
  }

  private fail(reason: string, subject: Text): void {
    if (this.error == null) {
      this.error = message(reason, subject);
    }
  }

  private finish(): Calculation {
    const result = this.operands[0];
    const quantity = result.toQuantity(containsMemory(this.expression));
    if (quantity == null) {
      return Calculation.failed(Text.of('calculation result is out of range'));
    }
    if (result.isNegative) {
      return Calculation.failed(message('calculation result is negative: ', quantity.toText()));
    }
    return Calculation.of(quantity);
  }
}

function message(reason: string, subject: Text): Text {
  const out = new Writer();
  out.ascii(reason);
  out.text(subject);
  return out.toText();
}

/** Whether the expression has the whole word `memory`, in lower case. */
function containsMemory(expression: Text): bool {
  const length = 6;
  for (let at = expression.indexOf(0x6d); at >= 0; at = expression.indexOf(0x6d, at + 1)) {
    const end = at + length;
    if (end > expression.length) {
      return false;
    }
    const begins = at == 0 || !isWordByte(expression.byteAt(at - 1));
    const ends = end == expression.length || !isWordByte(expression.byteAt(end));
    if (begins && ends && expression.slice(at, end).is('memory')) {
      return true;
    }
  }
  return false;
}

/** Equal to a word in lower case but for the case of letters. */
function isWord(text: Text, word: string): bool {
  return text.length == word.length && lowerCased(text).is(word);
}

function lowerCased(text: Text): Text {
  const out = new Writer(text.length);
  for (let i = 0; i < text.length; i++) {
    const byte = text.byteAt(i);
    out.byte(byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte);
  }
  return out.toText();
}
