// What is wrong with a JSON text, in the words of the Go implementation: users meet them in field errors about settings
// that are JSON in a ConfigMap.
import { quote } from './field-error.ts';

const END = 'unexpected end of JSON input';

/** The first fault of the text; undefined if it is JSON. Nesting is not limited. */
export function jsonSyntaxFault(text: string): string | undefined {
  try {
    new Scanner(text).scan();
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

class Fault extends Error {}

class Scanner {
  private readonly text: string;
  private position = 0;
  // What is open: objects and arrays.
  private readonly open: ('{' | '[')[] = [];

  constructor(text: string) {
    this.text = text;
  }

  scan(): void {
    this.value();
    while (this.open.length > 0) this.afterValue();
    this.blanks();
    if (this.position < this.text.length) this.refuse('after top-level value');
  }

  // One value; of an object or array only what stands up to its first value.
  private value(): void {
    this.blanks();
    const start = this.peek();
    switch (start) {
      case '{':
        this.position++;
        this.blanks();
        if (this.peek() === '}') this.position++;
        else {
          this.open.push('{');
          this.member();
        }
        break;
      case '[':
        this.position++;
        this.blanks();
        if (this.peek() === ']') this.position++;
        else {
          this.open.push('[');
          this.value();
        }
        break;
      case '"':
        this.string();
        break;
      case 't':
        this.literal('true');
        break;
      case 'f':
        this.literal('false');
        break;
      case 'n':
        this.literal('null');
        break;
      default:
        if (start === '-' || isDigit(start)) this.number();
        else this.refuse('looking for beginning of value');
    }
  }

  private member(): void {
    if (this.peek() !== '"') this.refuse('looking for beginning of object key string');
    this.string();
    this.blanks();
    if (this.peek() !== ':') this.refuse('after object key');
    this.position++;
    this.value();
  }

  private afterValue(): void {
    this.blanks();
    const isObject = this.open.at(-1) === '{';
    const next = this.peek();
    if (next === (isObject ? '}' : ']')) {
      this.position++;
      this.open.pop();
    } else if (next === ',') {
      this.position++;
      this.blanks();
      if (isObject) this.member();
      else this.value();
    } else {
      this.refuse(isObject ? 'after object key:value pair' : 'after array element');
    }
  }

  private string(): void {
    this.position++;
    for (let next = this.peek(); next !== '"'; next = this.peek()) {
      if (next < ' ') this.refuse('in string literal');
      this.position++;
      if (next === '\\') this.escape();
    }
    this.position++;
  }

  private escape(): void {
    const code = this.peek();
    if (!'bfnrt\\/"u'.includes(code)) this.refuse('in string escape code');
    this.position++;
    if (code !== 'u') return;
    for (let i = 0; i < 4; i++) {
      if (!/[0-9a-fA-F]/.test(this.peek())) this.refuse('in \\u hexadecimal character escape');
      this.position++;
    }
  }

  private literal(word: string): void {
    for (const letter of word) {
      if (this.peek() !== letter) this.refuse(`in literal ${word} (expecting '${letter}')`);
      this.position++;
    }
  }

  private number(): void {
    if (this.peek() === '-') {
      this.position++;
      if (!isDigit(this.peek())) this.refuse('in numeric literal');
    }
    if (this.peek() === '0') this.position++;
    else this.digits();
    if (this.at() === '.') {
      this.position++;
      if (!isDigit(this.peek())) this.refuse('after decimal point in numeric literal');
      this.digits();
    }
    if (this.at() === 'e' || this.at() === 'E') {
      this.position++;
      if (this.peek() === '+' || this.peek() === '-') this.position++;
      if (!isDigit(this.peek())) this.refuse('in exponent of numeric literal');
      this.digits();
    }
  }

  private digits(): void {
    while (isDigit(this.at())) this.position++;
  }

  private blanks(): void {
    while (' \t\r\n'.includes(this.at()) && this.position < this.text.length) this.position++;
  }

  // The character here; '' at the end.
  private at(): string {
    return this.text.charAt(this.position);
  }

  // The character here, which must be there.
  private peek(): string {
    if (this.position >= this.text.length) throw new Fault(END);
    return this.at();
  }

  private refuse(where: string): never {
    throw new Fault(`invalid character ${inQuotes(this.peek())} ${where}`);
  }
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9' && character.length === 1;
}

function inQuotes(character: string): string {
  if (character === "'") return "'\\''";
  if (character === '"') return "'\"'";
  return `'${quote(character).slice(1, -1)}'`;
}
