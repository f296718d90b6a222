// What Go's encoding/json says about a text that is no JSON: messages of refusals carry it (sidecarset.md 5.4).

import { Text } from '../json/text';
import { Writer } from '../json/writer';

const QUOTE: u8 = 0x22;

/** Writes the words for the first fault of the text. */
export function writeSyntaxFault(text: Text, out: Writer): void {
  const reader = new Reader(text);
  reader.document();
  if (reader.context === null) {
    out.ascii('unexpected end of JSON input');
    return;
  }
  out.ascii('invalid character ');
  writeCharacter(text, reader.at, out);
  out.byte(0x20);
  out.ascii(reader.context as string);
}

/** The character as Go quotes it. */
function writeCharacter(text: Text, at: i32, out: Writer): void {
  const byte = text.byteAt(at);
  if (byte == 0x27) {
    out.ascii("'\\''");
  } else if (byte == QUOTE) {
    out.ascii("'\"'");
  } else if (byte == 0x0a) {
    out.ascii("'\\n'");
  } else if (byte == 0x0d) {
    out.ascii("'\\r'");
  } else if (byte == 0x09) {
    out.ascii("'\\t'");
  } else if (byte == 0x5c) {
    out.ascii("'\\\\'");
  } else if (byte < 0x20 || byte == 0x7f) {
    out.ascii("'\\x");
    out.byte(hex(byte >> 4));
    out.byte(hex(byte & 15));
    out.byte(0x27);
  } else if (byte < 0x80) {
    out.byte(0x27);
    out.byte(byte);
    out.byte(0x27);
  } else {
    // Go looks at single bytes: the byte as a character of Latin-1.
    out.byte(0x27);
    out.byte(0xc0 | (byte >> 6));
    out.byte(0x80 | (byte & 0x3f));
    out.byte(0x27);
  }
}

function hex(value: u8): u8 {
  return value < 10 ? 0x30 + value : 0x57 + value;
}

/** Reads until the first fault: `context` says what was expected there, or nothing when the text ends too early. */
class Reader {
  at: i32 = 0;
  context: string | null = null;
  private failed: bool = false;
  /** Open containers, `true` for objects. */
  private readonly open: Array<bool> = [];

  constructor(private readonly text: Text) {}

  document(): void {
    let expectsValue = true;
    while (!this.failed && (expectsValue || this.open.length > 0)) {
      expectsValue = expectsValue ? this.value() : this.afterValue();
    }
    if (!this.failed) {
      this.blank();
      if (this.at < this.text.length) {
        this.fail('after top-level value');
      }
    }
  }

  private get isEnd(): bool {
    return this.at >= this.text.length;
  }

  private get byte(): u8 {
    return this.text.byteAt(this.at);
  }

  private fail(context: string): void {
    this.failed = true;
    this.context = this.isEnd ? null : context;
  }

  private blank(): void {
    while (!this.isEnd && (this.byte == 0x20 || this.byte == 0x0a || this.byte == 0x0d || this.byte == 0x09)) {
      this.at++;
    }
  }

  /** Reads a value up to where the next one begins inside of it; true when one does. */
  private value(): bool {
    this.blank();
    if (this.isEnd) {
      this.fail('');
      return false;
    }
    const byte = this.byte;
    if (byte == QUOTE) {
      this.string();
    } else if (byte == 0x7b) {
      return this.enter(true, 0x7d) && this.key('looking for beginning of object key string');
    } else if (byte == 0x5b) {
      return this.enter(false, 0x5d);
    } else if (byte == 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      this.number();
    } else if (byte == 0x74) {
      this.word('true');
    } else if (byte == 0x66) {
      this.word('false');
    } else if (byte == 0x6e) {
      this.word('null');
    } else {
      this.fail('looking for beginning of value');
    }
    return false;
  }

  /** Opens a container; false when it is closed at once. */
  private enter(isObject: bool, close: u8): bool {
    this.at++;
    this.blank();
    if (!this.isEnd && this.byte == close) {
      this.at++;
      return false;
    }
    this.open.push(isObject);
    return true;
  }

  /** Reads a key and its colon; true when a value may follow. */
  private key(expected: string): bool {
    this.blank();
    if (this.isEnd || this.byte != QUOTE) {
      this.fail(expected);
      return false;
    }
    this.string();
    if (this.failed) {
      return false;
    }
    this.blank();
    if (this.isEnd || this.byte != 0x3a) {
      this.fail('after object key');
      return false;
    }
    this.at++;
    return true;
  }

  /** Reads what stands behind a value in a container; true when another value follows. */
  private afterValue(): bool {
    this.blank();
    const isObject = this.open[this.open.length - 1];
    if (this.isEnd) {
      this.fail('');
    } else if (this.byte == 0x2c) {
      this.at++;
      return !isObject || this.key('looking for beginning of object key string');
    } else if (this.byte == (isObject ? 0x7d : 0x5d)) {
      this.at++;
      this.open.pop();
    } else {
      this.fail(isObject ? 'after object key:value pair' : 'after array element');
    }
    return false;
  }

  private string(): void {
    this.at++;
    while (!this.isEnd && this.byte != QUOTE) {
      if (this.byte < 0x20) {
        this.fail('in string literal');
        return;
      }
      if (this.byte == 0x5c) {
        this.at++;
        if (!this.isEnd && this.byte == 0x75) {
          this.hexEscape();
        } else if (!this.isEnd && !isEscape(this.byte)) {
          this.fail('in string escape code');
        }
        if (this.failed || this.isEnd) {
          break;
        }
      }
      this.at++;
    }
    if (!this.failed && this.isEnd) {
      this.fail('');
    }
    this.at++;
  }

  private hexEscape(): void {
    for (let i = 0; i < 4; i++) {
      this.at++;
      if (this.isEnd || !isHex(this.byte)) {
        this.fail('in \\u hexadecimal character escape');
        return;
      }
    }
  }

  private word(word: string): void {
    for (let i = 0; i < word.length; i++) {
      if (this.isEnd || this.byte != <u8>word.charCodeAt(i)) {
        this.fail(`in literal ${word} (expecting '${word.charAt(i)}')`);
        return;
      }
      this.at++;
    }
  }

  private number(): void {
    if (this.byte == 0x2d) {
      this.at++;
    }
    if (!this.isEnd && this.byte == 0x30) {
      this.at++;
    } else {
      this.digits('in numeric literal');
    }
    if (!this.failed && !this.isEnd && this.byte == 0x2e) {
      this.at++;
      this.digits('after decimal point in numeric literal');
    }
    if (!this.failed && !this.isEnd && (this.byte | 0x20) == 0x65) {
      this.at++;
      if (!this.isEnd && (this.byte == 0x2b || this.byte == 0x2d)) {
        this.at++;
      }
      this.digits('in exponent of numeric literal');
    }
  }

  private digits(expected: string): void {
    if (this.isEnd || this.byte < 0x30 || this.byte > 0x39) {
      this.fail(expected);
      return;
    }
    while (!this.isEnd && this.byte >= 0x30 && this.byte <= 0x39) {
      this.at++;
    }
  }
}

function isEscape(byte: u8): bool {
  switch (byte) {
    case QUOTE:
    case 0x2f:
    case 0x5c:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return true;
    default:
      return false;
  }
}

function isHex(byte: u8): bool {
  const lower = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (lower >= 0x61 && lower <= 0x66);
}
