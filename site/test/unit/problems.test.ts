// Faults in the reader's language.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { tell } from '../../src/lang/problems.ts';
import { codesZh } from '../../src/lang/problems.zh.ts';
import type { Problem } from '../../src/model.ts';
import { figure, path, problemsOf } from './support.ts';

// Every problem of the refused cases and of the line files that the fuzzer collected.
function corpus(): Problem[] {
  const folders = ['tests/cases/refused', 'fuzz/corpus/line_file', 'fuzz/corpus/line_structured'];
  return folders.flatMap((folder) => {
    return readdirSync(path(folder)).flatMap((name) => {
      const text = readFileSync(path(folder, name), 'utf8');
      return problemsOf(text);
    });
  });
}

test('every code has a meaning in Chinese', () => {
  const source = readFileSync(path('line/src/problem.rs'), 'utf8');
  const codes = [...source.matchAll(/^ {4}\w+ = "([a-z0-9-]+)",$/gm)].map((found) => found[1]!);
  assert.ok(codes.length > 40);
  assert.deepEqual(
    codes.filter((code) => !codesZh[code]),
    [],
  );
  assert.deepEqual(
    Object.keys(codesZh).filter((code) => !codes.includes(code)),
    [],
  );
});

test('I1: messages in Chinese have no English sentence left', () => {
  const problems = corpus();
  let whole = 0;
  for (const problem of problems) {
    const { message, help } = tell(problem, 'zh-CN');
    // Names, keys and values may be anything; what the parser says of syntax stays as it is.
    for (const text of [message, help]) {
      const rest = text.replace(/`[^`]*`|"[^"]*"|\[\[?\w+\]\]?/g, '').replace(/不是 TOML：.*/s, '');
      const words = rest.match(/\b[a-z]{4,}\b/g) ?? [];
      if (problem.code !== 'syntax') assert.deepEqual(words, [], `${problem.message}: ${text}`);
    }
    if (message !== codesZh[problem.code]) whole += 1;
  }
  assert.ok(problems.length >= 90, `${problems.length}`);
  figure(
    'I1',
    `${problems.length} messages of the corpus: ${whole} as sentences, the rest by code`,
  );
});

test('messages in English are those of the command', () => {
  for (const problem of corpus().slice(0, 50)) {
    assert.equal(tell(problem, 'en').message, problem.message);
  }
});
