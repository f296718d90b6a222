// The errors that our code throws on purpose. Anything else that is thrown is a bug.

/** What a refusal says besides its message: when to try again at the earliest, and the reasons of its causes. */
export type StatusDetails = { readonly retryAfterSeconds?: number; readonly causes?: readonly string[] };

/** A refusal as Kubernetes reports it: HTTP code, machine reason (`Forbidden`, `Invalid`, ...) and message. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails;

  constructor(code: number, reason: string, message: string, options: ErrorOptions & { details?: StatusDetails } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.reason = reason;
    this.details = options.details ?? {};
  }
}

/**
 * No answer, or only part of one: the connection was refused, broke, or took too long. Unless `sent` is false the request
 * may have been carried out.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly sent: boolean;

  constructor(message: string, options: ErrorOptions & { sent: boolean }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.sent = options.sent;
  }
}

/** What was wanted could not be done now; the same may work later. Without `afterMs` the caller's back-off says when. */
export class RetryError extends Error {
  override readonly name = 'RetryError';
  readonly afterMs: number | undefined;

  constructor(message: string, options: ErrorOptions & { afterMs?: number | undefined } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.afterMs = options.afterMs;
  }
}

/** What was wanted cannot be done until somebody changes an object; trying again does not help. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

/** Where an input is wrong: file as the user named it, line and column from 1, field as Kubernetes prints paths. */
export type InputPlace = { file?: string; line?: number; column?: number; field?: string };

/** Something that a user gave is wrong. `message` is the sentence alone, `describe()` puts the place before it. */
export class InputError extends Error {
  override readonly name = 'InputError';
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly field: string | undefined;

  constructor(message: string, place: InputPlace = {}, options?: ErrorOptions) {
    super(message, options);
    this.file = place.file;
    this.line = place.line;
    this.column = place.column;
    this.field = place.field;
  }

  /** `file:line:column: field: message`, without the parts that are not known; a field is not said twice. */
  describe(): string {
    const position = [this.file, this.line, this.column].filter((part) => part !== undefined).join(':');
    const field = this.field === undefined || this.message.startsWith(`${this.field}: `) ? '' : this.field;
    return [position, field, this.message].filter((part) => part !== '').join(': ');
  }

  /** The same error with a place filled in where it has none yet; the cause is kept. */
  at(place: InputPlace): InputError {
    const { file, line, column, field } = this;
    const known = Object.fromEntries(
      Object.entries({ file, line, column, field }).filter(([, value]) => value !== undefined),
    );
    return new InputError(this.message, { ...place, ...known }, { cause: this.cause ?? this });
  }
}
