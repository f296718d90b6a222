// Image references as the kubelet and container runtimes write them: `repository[:tag][@digest]`.

import { Text } from '../json/text';
import { between } from '../json/writer';

const DIGEST_DIGITS_LEAST: i32 = 32;

export class Image {
  private constructor(
    /** With its registry: of short names that is Docker's. */
    readonly repository: Text,
    /** Empty when there is none. */
    readonly tag: Text,
    /** Empty when there is none. */
    readonly digest: Text,
  ) {}

  /** Null for what is no reference. */
  static parse(text: Text): Image | null {
    const at = text.indexOf(0x40);
    const named = at < 0 ? text : text.slice(0, at);
    const digest = at < 0 ? Text.empty() : text.slice(at + 1, text.length);
    if (at >= 0 && !isDigest(digest)) {
      return null;
    }
    const colon = lastColon(named);
    const repository = colon < 0 ? named : named.slice(0, colon);
    const tag = colon < 0 ? Text.empty() : named.slice(colon + 1, named.length);
    if (!isRepository(repository) || (colon >= 0 && !isTag(tag))) {
      return null;
    }
    return new Image(withRegistry(repository), tag, digest);
  }

  /** With the tag that counts when none is given. */
  orLatest(): Image {
    const isOpen = this.tag.isEmpty && this.digest.isEmpty;
    return isOpen ? new Image(this.repository, Text.of('latest'), this.digest) : this;
  }

  /** Same digest where both have one, otherwise same tag, of the same repository. */
  equals(other: Image): bool {
    if (!this.repository.equals(other.repository)) {
      return false;
    }
    const haveDigests = !this.digest.isEmpty && !other.digest.isEmpty;
    return haveDigests ? this.digest.equals(other.digest) : this.tag.equals(other.tag);
  }
}

/** Do both texts mean the same image? One with neither tag nor digest is the latest. */
export function isSameImage(a: Text, b: Text): bool {
  if (a.equals(b)) {
    return true;
  }
  const left = Image.parse(a);
  const right = Image.parse(b);
  return left !== null && right !== null && left.orLatest().equals(right.orLatest());
}

/** `sha256:` and hexadecimal digits, or the like of another algorithm. */
export function isDigest(text: Text): bool {
  const colon = text.indexOf(0x3a);
  if (colon < 1 || text.length - colon - 1 < DIGEST_DIGITS_LEAST) {
    return false;
  }
  for (let i = 0; i < colon; i++) {
    if (!isAlphanumeric(text.byteAt(i)) && !isOneOf(text.byteAt(i), '+._-')) {
      return false;
    }
  }
  for (let i = colon + 1; i < text.length; i++) {
    const byte = text.byteAt(i);
    const letter = byte | 0x20;
    if (!isDigit(byte) && (letter < 0x61 || letter > 0x66)) {
      return false;
    }
  }
  return true;
}

/** The colon in front of a tag: one behind the last slash. */
function lastColon(text: Text): i32 {
  for (let i = text.length - 1; i >= 0 && text.byteAt(i) != 0x2f; i--) {
    if (text.byteAt(i) == 0x3a) {
      return i;
    }
  }
  return -1;
}

function withRegistry(repository: Text): Text {
  const slash = repository.indexOf(0x2f);
  const host = slash < 0 ? Text.empty() : repository.slice(0, slash);
  const isHost = host.is('localhost') || host.indexOf(0x2e) >= 0 || host.indexOf(0x3a) >= 0;
  if (isHost && !host.is('docker.io') && !host.is('index.docker.io')) {
    return repository;
  }
  const path = isHost ? repository.slice(slash + 1, repository.length) : repository;
  return between(path.indexOf(0x2f) < 0 ? 'docker.io/library/' : 'docker.io/', path);
}

function isRepository(text: Text): bool {
  const slash = text.indexOf(0x2f);
  let isSeparated = true;
  for (let i = 0; i < text.length; i++) {
    const byte = text.byteAt(i);
    const isPlain = isLower(byte) || isDigit(byte);
    const isOfHost = i < slash && (isAlphanumeric(byte) || byte == 0x3a);
    if (!isPlain && !isOfHost && !isOneOf(byte, '._-/')) {
      return false;
    }
    if (byte == 0x2f && isSeparated) {
      return false;
    }
    isSeparated = byte == 0x2f;
  }
  return !isSeparated;
}

function isTag(text: Text): bool {
  if (text.isEmpty || text.length > 128 || isOneOf(text.byteAt(0), '.-')) {
    return false;
  }
  for (let i = 0; i < text.length; i++) {
    if (!isAlphanumeric(text.byteAt(i)) && !isOneOf(text.byteAt(i), '._-')) {
      return false;
    }
  }
  return true;
}

function isAlphanumeric(byte: u8): bool {
  return isDigit(byte) || isLower(byte | 0x20);
}

function isLower(byte: u8): bool {
  return byte >= 0x61 && byte <= 0x7a;
}

function isDigit(byte: u8): bool {
  return byte >= 0x30 && byte <= 0x39;
}

function isOneOf(byte: u8, letters: string): bool {
  for (let i = 0; i < letters.length; i++) {
    if (<i32>byte == letters.charCodeAt(i)) {
      return true;
    }
  }
  return false;
}
