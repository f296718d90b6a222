// What is wrong with a JSON text, in the words of the Go implementation: users meet them in field errors about settings
// that are JSON in a ConfigMap.
import { quote } from './field-error.ts';

const END = 'unexpected end of JSON input';
/** As deep as parseJson reads; Go itself stops at 10,000. */
const DEEPEST = 1000;

/** The first fault of the text; undefined if it is JSON that parseJson reads. */
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
    do {
      while (this.beginsContainer());
    } while (this.endsWithComma());
    this.blanks();
    if (this.position < this.text.length) this.refuse('after top-level value');
  }

  // Reads a value, of an object or array that is not empty only up to its first value; true then.
  private beginsContainer(): boolean {
    this.blanks();
    const start = this.peek();
    if (start !== '{' && start !== '[') {
      this.scalar(start);
      return false;
    }
    if (this.open.length === DEEPEST) throw new Fault('exceeded max depth');
    this.position++;
    this.blanks();
    if (this.peek() === (start === '{' ? '}' : ']')) {
      this.position++;
      return false;
    }
    this.open.push(start);
    if (start === '{') this.key();
    return true;
  }

  // Closes what ends behind a value; true if another value follows.
  private endsWithComma(): boolean {
    while (this.open.length > 0) {
      this.blanks();
      const isObject = this.open.at(-1) === '{';
      const next = this.peek();
      if (next !== ',' && next !== (isObject ? '}' : ']')) {
        this.refuse(isObject ? 'after object key:value pair' : 'after array element');
      }
      this.position++;
      if (next === ',') {
        this.blanks();
        if (isObject) this.key();
        return true;
      }
      this.open.pop();
    }
    return false;
  }

  private key(): void {
    if (this.peek() !== '"') this.refuse('looking for beginning of object key string');
    this.string();
    this.blanks();
    if (this.peek() !== ':') this.refuse('after object key');
    this.position++;
  }

  private scalar(start: string): void {
    if (start === '"') this.string();
    else if (start === 't') this.literal('true');
    else if (start === 'f') this.literal('false');
    else if (start === 'n') this.literal('null');
    else if (start === '-' || isDigit(start)) this.number();
    else this.refuse('looking for beginning of value');
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
    const code = this.atOrBlank();
    if (!'bfnrt\\/"u'.includes(code)) this.refuse('in string escape code');
    this.position++;
    if (code !== 'u') return;
    for (let i = 0; i < 4; i++) {
      if (!/[0-9a-fA-F]/.test(this.atOrBlank())) this.refuse('in \\u hexadecimal character escape');
      this.position++;
    }
  }

  private literal(word: string): void {
    for (const letter of word) {
      if (this.atOrBlank() !== letter) this.refuse(`in literal ${word} (expecting '${letter}')`);
      this.position++;
    }
  }

  private number(): void {
    if (this.peek() === '-') {
      this.position++;
      if (!isDigit(this.atOrBlank())) this.refuse('in numeric literal');
    }
    if (this.at() === '0') this.position++;
    else this.digits();
    if (this.at() === '.') {
      this.position++;
      if (!isDigit(this.atOrBlank())) this.refuse('after decimal point in numeric literal');
      this.digits();
    }
    if (this.at() === 'e' || this.at() === 'E') {
      this.position++;
      if (this.at() === '+' || this.at() === '-') this.position++;
      if (!isDigit(this.atOrBlank())) this.refuse('in exponent of numeric literal');
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

  // Inside a word or number the end of the text is told as a blank.
  private atOrBlank(): string {
    return this.at() || ' ';
  }

  // The character here, which must be there.
  private peek(): string {
    if (this.position >= this.text.length) throw new Fault(END);
    return this.at();
  }

  private refuse(where: string): never {
    throw new Fault(`invalid character ${inQuotes(this.atOrBlank())} ${where}`);
  }
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9' && character.length === 1;
}

function inQuotes(character: string): string {
  if (character === "'") return "'\\''";
  if (character === '"') return "'\"'";
  // Go looks at bytes: of a character beyond ASCII it names the first one.
  const [byte = 0] = new TextEncoder().encode(character);
  return `'${quote(String.fromCharCode(byte)).slice(1, -1)}'`;
}
