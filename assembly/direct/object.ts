// Direct access to object/ for tests: the texts of a call lie one behind the other in what `objectRoom` gave, and each
// function takes their lengths. Text comes back as its length, with its place in `objectResult`.

import { Text } from '../json/text';
import { Writer } from '../json/writer';
import { checkExpression, evaluate } from '../object/calculator';
import { parseDecimal } from '../object/decimal';
import { Format, Quantity } from '../object/quantity';
import { Automaton } from '../object/regex/automaton';
import { Matcher } from '../object/regex/matcher';
import { Parser } from '../object/regex/parser';
import { Pattern } from '../object/regex/pattern';

const STEPS = i32.MAX_VALUE;

let input: usize = 0;
let output: usize = 0;

/** Empties the arena and gives the place for texts of this length in all. */
export function objectRoom(length: i32): usize {
  heap.reset();
  __allow(STEPS);
  input = heap.alloc(length + 8);
  return input;
}

export function objectResult(): usize {
  return output;
}

/** Steps that the last call took. */
export function objectSteps(): i32 {
  return STEPS - __left();
}

function first(length: i32): Text {
  return new Text(input, length);
}

function second(before: i32, length: i32): Text {
  return new Text(input + before, length);
}

function answer(text: Text): i32 {
  output = text.start;
  return text.length;
}

/** An error is told by a negative length: -1 for an empty text, -2 for one byte and so on. */
function failure(text: Text): i32 {
  output = text.start;
  return -1 - text.length;
}

function describe(quantity: Quantity): i32 {
  const out = new Writer();
  quantity.write(out);
  out.byte(0x20);
  out.integer(quantity.format);
  out.byte(0x20);
  out.integer(quantity.value());
  out.byte(0x20);
  out.integer(quantity.milliValue());
  return answer(out.toText());
}

/** Canonical text, format, value and milli value, with blanks between. */
export function quantityRead(length: i32): i32 {
  const quantity = Quantity.parse(first(length));
  return quantity == null ? -1 : describe(quantity);
}

export function quantityAdd(left: i32, right: i32): i32 {
  const a = Quantity.parse(first(left));
  const b = Quantity.parse(second(left, right));
  return a == null || b == null ? -1 : describe(a.add(b));
}

export function quantitySubtract(left: i32, right: i32): i32 {
  const a = Quantity.parse(first(left));
  const b = Quantity.parse(second(left, right));
  return a == null || b == null ? -1 : describe(a.subtract(b));
}

export function quantityCompare(left: i32, right: i32): i32 {
  const a = Quantity.parse(first(left));
  const b = Quantity.parse(second(left, right));
  return a == null || b == null ? i32.MIN_VALUE : a.compare(b);
}

export function quantityMilliFloat(length: i32): f64 {
  const quantity = Quantity.parse(first(length));
  return quantity == null ? NaN : quantity.milliFloat();
}

export function quantityOfMilli(value: f64, format: Format): i32 {
  const quantity = Quantity.ofMilli(value, format);
  return quantity == null ? -1 : describe(quantity);
}

export function decimal(length: i32): f64 {
  return parseDecimal(first(length));
}

/** An expression and the aggregate that its variable is bound to: the quantity or the error. */
export function calculate(expression: i32, aggregate: i32): i32 {
  const bound = Quantity.parse(second(expression, aggregate));
  const calculation = evaluate(first(expression), bound == null ? Quantity.zero() : bound);
  const quantity = calculation.quantity;
  if (quantity != null) {
    return answer(quantity.toText());
  }
  const error = calculation.error;
  return failure(error == null ? Text.empty() : error);
}

/** An expression and `cpu` or `memory`: nothing, or the error. */
export function expressionCheck(expression: i32, variable: i32): i32 {
  const error = checkExpression(first(expression), second(expression, variable).is('memory') ? 'memory' : 'cpu');
  return error == null ? 0 : failure(error);
}

/** A pattern and a text: 1 or 0, or the error of the pattern. */
export function patternMatches(pattern: i32, text: i32): i32 {
  const compiled = Pattern.compile(first(pattern));
  const error = compiled.error;
  return error != null ? failure(error) : compiled.matches(second(pattern, text)) ? 1 : 0;
}

/** As `patternMatches`, always by what was remembered: once while it is found out, once when it is known; 2 if they differ. */
export function patternRemembers(pattern: i32, text: i32): i32 {
  const parser = new Parser(first(pattern));
  parser.parse();
  const error = parser.error;
  if (error != null) {
    return failure(error);
  }
  const automaton = new Automaton(parser.program, new Matcher(parser.program));
  const found = automaton.search(second(pattern, text));
  return automaton.search(second(pattern, text)) == found ? <i32>found : 2;
}
