// The syntax of patterns, row by row: what each form matches, and what each fault is called (as Go's regexp has it).

import { describe, expect, it } from 'vitest';
import { Direct } from '../../../support/direct.ts';

const direct = new Direct();

function matches(pattern: string, text: string): boolean {
  const { text: error, isError } = direct.answer('patternMatches', pattern, text);
  if (isError) throw new Error(error);
  return direct.call('patternMatches', pattern, text) === 1;
}

function errorOf(pattern: string): string {
  const { text, isError } = direct.answer('patternMatches', pattern, '');
  return isError ? text : '';
}

/** A pattern, texts of which it matches a part, and texts of which it matches none. */
type Row = readonly [pattern: string, matching: readonly string[], other: readonly string[]];

const rows: Record<string, readonly Row[]> = {
  'literals and any character': [
    ['', ['', 'a'], []],
    ['app', ['app', 'my-app-1'], ['ap', 'APP', '']],
    ['a.c', ['abc', 'a中c', 'a😀c'], ['ac', 'a\nc', 'abbc']],
    ['日本', ['日本語'], ['日語']],
    ['\\.\\-\\_\\/', ['.-_/'], ['a-_/']],
    ['\\Qa.b*\\E+', ['a.b***'], ['aab', 'a.b']],
    ['\\Qa.b', ['a.b'], ['aab']],
    ['{', ['{'], ['}']],
    ['a{,2}', ['a{,2}'], ['aa']],
    ['a{01}', ['a{01}'], ['a']],
    ['a{1', ['a{1'], ['a']],
  ],
  escapes: [
    ['\\x41\\x{1F600}', ['A😀'], ['A']],
    ['\\101\\0', ['A\0'], ['A']],
    ['\\12', ['\n'], ['12']],
    ['\\a\\f\\n\\r\\t\\v', ['\x07\f\n\r\t\v'], ['afnrtv']],
  ],
  classes: [
    ['^[abc]$', ['a', 'c'], ['d', '']],
    ['^[^abc]$', ['d', '\n', '中'], ['a', '']],
    ['^[a-cx-z]+$', ['abcxyz'], ['abd']],
    ['^[]a]+$', [']a'], ['b']],
    ['^[^]a]$', ['b'], [']', 'a']],
    ['^[a-]+$', ['a-'], ['b']],
    ['^[-a]+$', ['a-'], ['b']],
    ['^[--a]+$', ['-a^A1'], [',', 'b']],
    ['^[a-b-c]+$', ['ab-c'], ['d']],
    ['^[\\]\\\\]+$', [']\\'], ['a']],
    ['^[\\x{3b1}-\\x{3c9}]+$', ['αβγ'], ['abc']],
    ['^[à-ü中]$', ['é', '中'], ['e', '文']],
    ['^[^\\x00-\\x{10FFFF}]$', [], ['a', '', '中']],
    ['^[[:foo]+$', ['[:fo'], ['a']],
  ],
  'named classes': [
    ['^\\d\\D$', ['1a'], ['a1', '11', '٣a']],
    ['^\\w+$', ['aZ_09'], ['a-b', 'é']],
    ['^\\W$', ['-', 'é', ' '], ['a', '_', '0']],
    ['^\\s+$', [' \t\n\f\r'], ['\v', '\u00a0', '']],
    ['^\\S$', ['\v', 'a'], [' ']],
    ['^[\\d-]+$', ['1-2'], ['a']],
    ['^[\\D\\d]$', ['1', 'a', '\n'], ['']],
    ['^[[:alpha:][:digit:]]+$', ['aB3'], ['-']],
    ['^[[:^space:]]+$', ['ab'], ['a b', '\v']],
    ['^[[:word:]]+$', ['a_9'], ['-']],
    ['^[[:punct:]]+$', ['!/:@[`{~'], ['a', ' ']],
    ['^[[:xdigit:]]+$', ['09afAF'], ['g']],
    ['^[[:blank:][:cntrl:]]+$', [' \t\x7f'], ['a']],
    ['^[[:graph:]]+$', ['!~'], [' ']],
    ['^[[:print:]]+$', [' ~'], ['\n']],
    ['^[[:ascii:]]$', ['\x7f'], ['\x80']],
    ['^[[:upper:]][[:lower:]][[:alnum:]]$', ['Aa1'], ['aA1']],
  ],
  'Unicode classes': [
    ['^\\pL+$', ['aéя中'], ['1', '-']],
    ['^\\PL$', ['1', '-', '😀'], ['a', 'я']],
    ['^\\p{Lu}\\p{Ll}$', ['Éé', 'Яя'], ['éÉ']],
    ['^\\p{^Lu}$', ['a', '1'], ['A']],
    ['^\\P{^Lu}$', ['A'], ['a']],
    ['^\\p{Greek}+$', ['αΩ'], ['a', 'я']],
    ['^[\\p{Cyrillic}\\p{Han}]+$', ['я中'], ['a']],
    ['^\\p{Old_Italic}$', ['𐌀'], ['a']],
    ['^\\p{Nd}\\p{Sc}\\p{Zs}\\p{Pd}$', ['٣€\u00a0—'], ['1a -']],
    ['^\\p{Any}$', ['a', '\n', '😀'], ['']],
  ],
  anchors: [
    ['^a', ['ab'], ['ba', 'b\na']],
    ['a$', ['ba'], ['ab', 'a\nb', 'a\n']],
    ['(?m)^a$', ['b\na\nc', 'a'], ['ba', 'ab']],
    ['(?m)\\Aa\\z', ['a'], ['b\na']],
    ['\\bapp\\b', ['my-app', 'app'], ['apps', 'my_app']],
    ['a\\Bb', ['ab'], ['a b']],
    ['\\b', ['a', ' a'], ['', '-', 'é']],
    ['^$', [''], ['a', '\n']],
    ['^*a', ['ba'], ['b']],
    ['(^|x)a', ['a', 'bxa'], ['ba']],
  ],
  repeats: [
    ['^a*$', ['', 'aaa'], ['b']],
    ['^a+$', ['a', 'aa'], ['', 'b']],
    ['^a?b$', ['b', 'ab'], ['aab']],
    ['^a*?b+?c??$', ['aabb', 'bc'], ['aac']],
    ['^a{2}$', ['aa'], ['a', 'aaa']],
    ['^a{2,}$', ['aa', 'aaaa'], ['a']],
    ['^a{2,4}?$', ['aa', 'aaa', 'aaaa'], ['a', 'aaaaa']],
    ['^a{0}b$', ['b'], ['ab']],
    ['^(ab){0,2}$', ['', 'ab', 'abab'], ['ababab', 'a']],
    ['^(?:a|b){3}c{1}$', ['abac'], ['abc']],
    ['^(?:a{2}){3}$', ['aaaaaa'], ['aaaaa', 'aaaaaaa']],
    ['^(a*)*$', ['', 'aaa'], ['b']],
    ['^(|a)+$', ['', 'aaa'], ['b']],
    ['^(a+|b)*?c$', ['aabac'], ['aabad']],
    ['^ab*$', ['a', 'abb'], ['abab']],
    ['a(?i)*B', ['b', 'aab'], ['a']],
    ['^x{1000}$', ['x'.repeat(1000)], ['x'.repeat(999)]],
  ],
  'groups and alternatives': [
    ['^(a|bc|)$', ['a', 'bc', ''], ['b', 'abc']],
    ['^(?:a|b|c)d$', ['ad', 'cd'], ['d', 'abd']],
    ['a||b', ['', 'x'], []],
    ['^(?P<name>a)(?<other>b)$', ['ab'], ['a']],
    ['^(?P<n>a)(?P<n>b)(?<n>c)$', ['abc'], ['aaa']],
    ['^((a)(b(c)))$', ['abc'], ['ab']],
    ['^a|b$', ['ax', 'xb'], ['xax']],
    ['()', ['', 'a'], []],
  ],
  flags: [
    ['(?i)app', ['APP', 'aPp'], ['ap']],
    ['(?i:a)b', ['Ab', 'ab'], ['AB']],
    ['a(?i)b|c', ['aB', 'C'], ['AB']],
    ['(a(?i)b)c', ['aBc'], ['aBC', 'ABc']],
    ['(?i)(?-i)a', ['a'], ['A']],
    ['(?i-s:A.)', ['aB'], ['a\n']],
    ['(?s)a.b', ['a\nb'], ['ab']],
    ['(?U)a+b', ['aab'], ['b']],
    ['(?i)^[a-z]+$', ['ABC', 'ſK'], ['1']],
    ['(?i)^[^a]$', ['b'], ['A', 'a']],
    ['(?i)^\\x{3c3}$', ['σ', 'ς', 'Σ'], ['s']],
    ['(?i)^\\w$', ['\u017f', '\u212a'], ['é']],
    ['(?i)^\\p{Lu}$', ['a', 'я'], ['1', '中']],
    ['(?i)^éя$', ['ÉЯ'], ['eя']],
    ['(?i)^ss$', ['SS', 'ſs'], ['ß']],
    ['(?i)^ß$', ['ẞ'], ['ss']],
    ['(?i)^\\Qa.\\E$', ['A.'], ['AB']],
  ],
};

describe.each(Object.entries(rows))('a pattern with %s', (_, table) => {
  it.each(table)('%j matches what it says', (pattern, matching, other) => {
    for (const text of matching) expect([text, matches(pattern, text)]).toEqual([text, true]);
    for (const text of other) expect([text, matches(pattern, text)]).toEqual([text, false]);
  });
});

describe('a pattern is refused', () => {
  it.each([
    ['(a', 'missing closing ): `(a`'],
    ['(?:', 'missing closing ): `(?:`'],
    ['(?P<n>a', 'missing closing ): `(?P<n>a`'],
    ['a)b', 'unexpected ): `a)b`'],
    ['x[a', 'missing closing ]: `[a`'],
    ['[a-', 'missing closing ]: `[a-`'],
    ['[]', 'missing closing ]: `[]`'],
    ['[^]', 'missing closing ]: `[^]`'],
    ['[[:', 'missing closing ]: `[[:`'],
    ['[z-a]', 'invalid character class range: `z-a`'],
    ['[[:foo:]]', 'invalid character class range: `[:foo:]`'],
    ['\\pX', 'invalid character class range: `\\pX`'],
    ['\\p{Foo}', 'invalid character class range: `\\p{Foo}`'],
    ['\\p{Lu', 'invalid character class range: `\\p{Lu`'],
    ['\\p', 'invalid character class range: `\\p`'],
    ['[a-\\d]', 'invalid escape sequence: `\\d`'],
    ['\\8', 'invalid escape sequence: `\\8`'],
    ['(a)\\1', 'invalid escape sequence: `\\1`'],
    ['\\C', 'invalid escape sequence: `\\C`'],
    ['\\Z', 'invalid escape sequence: `\\Z`'],
    ['\\é', 'invalid escape sequence: `\\é`'],
    ['\\x{110000}', 'invalid escape sequence: `\\x{110000`'],
    ['\\x{}', 'invalid escape sequence: `\\x{}`'],
    ['\\x1', 'invalid escape sequence: `\\x1`'],
    ['a\\', 'trailing backslash at end of expression: ``'],
    ['*', 'missing argument to repetition operator: `*`'],
    ['a|+?', 'missing argument to repetition operator: `+?`'],
    ['({2})', 'missing argument to repetition operator: `{2}`'],
    ['(?i)?', 'missing argument to repetition operator: `?`'],
    ['a**', 'invalid nested repetition operator: `**`'],
    ['a{2}?{3}', 'invalid nested repetition operator: `{2}?{3}`'],
    ['a++', 'invalid nested repetition operator: `++`'],
    ['a{1001}', 'invalid repeat count: `{1001}`'],
    ['a{2,1}', 'invalid repeat count: `{2,1}`'],
    ['a{99999999999999999999}', 'invalid repeat count: `{99999999999999999999}`'],
    ['((a{10}){10}){11}', 'invalid repeat count: `{11}`'],
    ['(a{2,}){501}', 'invalid repeat count: `{501}`'],
    ['(?P<a b>c)', 'invalid named capture: `(?P<a b>`'],
    ['(?P<>c)', 'invalid named capture: `(?P<>`'],
    ['(?P<n', 'invalid named capture: `(?P<n`'],
    ['(?<=a)', 'invalid named capture: `(?<=a)`'],
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['(?!a)', 'invalid or unsupported Perl syntax: `(?!`'],
    ['(?z)', 'invalid or unsupported Perl syntax: `(?z`'],
    ['(?i-)', 'invalid or unsupported Perl syntax: `(?i-)`'],
    ['(?', 'invalid or unsupported Perl syntax: `(?`'],
    ['(?P=n)', 'invalid or unsupported Perl syntax: `(?P`'],
  ])('for its fault: %s', (pattern, fault) => {
    expect(errorOf(pattern)).toBe(`error parsing regexp: ${fault}`);
  });

  it('when it nests too deeply', () => {
    expect(errorOf(`${'('.repeat(999)}${')'.repeat(999)}`)).toBe('');
    expect(errorOf(`${'('.repeat(1000)}${')'.repeat(1000)}`)).toMatch('expression nests too deeply');
  });
});
