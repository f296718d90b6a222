// What answers look like on the wire.

import { STATUS_CODES } from 'node:http';

/** The body of an answer, a byte a character: in this form it goes out in one write with its head. */
export type Content = string;

/** An answer: its headers as names and values in turns. */
export type Answer = { status: number; headers: readonly string[]; content: Content };

/** A copy that nobody writes over. */
export function contentOf(body: Uint8Array): Content {
  return Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
}

/** The answer to a review. A 503 may be tried again: the API server does so by itself, as long as its caller waits. */
export function reviewAnswer(status: number, content: Content): Answer {
  const headers = ['Content-Type', 'application/json', 'Content-Length', String(content.length)];
  if (status === 503) headers.push('Retry-After', '1');
  return { status, headers, content };
}

export function plainAnswer(status: number, text: string, ...more: string[]): Answer {
  const content = contentOf(Buffer.from(text));
  const type = ['Content-Type', 'text/plain; charset=utf-8', 'X-Content-Type-Options', 'nosniff'];
  return { status, headers: [...type, 'Content-Length', String(content.length), ...more], content };
}

/** Writes answers as Node.js does. */
export class AnswerWriter {
  readonly #now: () => number;
  #second = 0;
  #date = '';

  /** `now`: milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The whole answer, a byte a character. */
  write({ status, headers, content }: Answer, closes: boolean): string {
    let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
    for (let i = 0; i < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}\r\n`;
    return `${text}Date: ${this.#dateNow()}\r\nConnection: ${closes ? 'close' : 'keep-alive'}\r\n\r\n${content}`;
  }

  #dateNow(): string {
    const second = Math.floor(this.#now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#date = new Date(second * 1000).toUTCString();
    }
    return this.#date;
  }
}
