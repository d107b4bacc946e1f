// The form changes the text, and only what it means to change.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LESSONS } from '../../src/lessons.ts';
import { timeText } from '../../src/quantity.ts';
import { History, STEPS_MAX } from '../../src/undo.ts';
import { change, plan } from './support.ts';

const TEXT = `# A line.
[[device]]
name = "gpu0"  # the only one
memory = "8GiB"

[[job]]
name = "检测"
time = [ "10ms", "12ms" ] # two cameras
kernel = { tool = "sleep" }

# Behind it.
[[job]]
name = "b"
`;

test('a value is replaced where it stands', () => {
  const after = change(TEXT, { kind: 'set', table: 'job', index: 0, key: 'time', value: '5ms' });
  assert.equal(after, TEXT.replace('[ "10ms", "12ms" ]', '"5ms"'));
});

test('a key is added behind the last of its table, and taken away with its line', () => {
  const at = { table: 'device', index: 0, key: 'slots' };
  const with2 = change(TEXT, { kind: 'set', ...at, value: 2 });
  assert.equal(with2, TEXT.replace('memory = "8GiB"\n', 'memory = "8GiB"\nslots = 2\n'));
  assert.equal(change(with2, { kind: 'unset', ...at }), TEXT);
});

test('a missing policy comes before the first table', () => {
  const after = change(TEXT, {
    kind: 'set',
    table: 'policy',
    index: 0,
    key: 'order',
    value: 'fifo',
  });
  assert.equal(after, TEXT.replace('[[device]]', '[policy]\norder = "fifo"\n[[device]]'));
});

test('a table is added at the end and removed whole', () => {
  const entries: [string, string | number][] = [
    ['name', 'c "quoted"'],
    ['images', 3],
  ];
  const after = change(TEXT, { kind: 'add', table: 'job', entries });
  assert.equal(after, `${TEXT}[[job]]\nname = "c \\"quoted\\""\nimages = 3\n`);
  assert.equal(change(after, { kind: 'remove', table: 'job', index: 2 }), TEXT);
  const without = change(TEXT, { kind: 'remove', table: 'job', index: 1 });
  assert.equal(without, TEXT.slice(0, TEXT.indexOf('[[job]]\nname = "b"')));
});

test('inline tables take keys too', () => {
  const device = 'device = [{ name = "g" }]\n';
  const text = `${device}job = [{ name = "a" }, { name = "b", images = 2 }]\n`;
  const at = { table: 'job', index: 1 };
  const more = change(text, { kind: 'set', ...at, key: 'priority', value: 3 });
  const jobs = 'job = [{ name = "a" }, { name = "b", images = 2, priority = 3 }]\n';
  assert.equal(more, device + jobs);
  const less = change(more, { kind: 'unset', ...at, key: 'images' });
  assert.equal(plan(less).line.jobs[1]!.images, 1);
});

test('every field of every lesson can be written again without changing what it means', () => {
  for (const { text } of LESSONS) {
    const before = plan(text);
    for (const table of before.outline) {
      for (const entry of table.entries) {
        const value = { toml: text.slice(...entry.at) };
        const at = { table: table.name, index: table.index, key: entry.key };
        assert.equal(change(text, { kind: 'set', ...at, value }), text);
      }
    }
  }
});

test('durations are written so that they are read as the same', () => {
  for (const ns of [0, 1, 1500, 2_000_000, 90e9, 3_600e9, 1_234_567_891]) {
    const text = `[[device]]\nname = "g"\n[[job]]\nname = "a"\ntime = "${timeText(ns)}"\n`;
    assert.equal(plan(text).line.jobs[0]!.time[0], ns);
  }
});

test('undo takes back steps, and typing is one step until it pauses', () => {
  const history = new History();
  history.push('a', true, 0);
  history.push('ab', true, 300);
  history.push('abc', true, 2000);
  assert.equal(history.undo('abcd'), 'abc');
  assert.equal(history.undo('abc'), 'a');
  assert.equal(history.undo('a'), undefined);
  assert.equal(history.redo('a'), 'abc');
  for (let step = 0; step < STEPS_MAX + 20; step++) history.push(String(step), false);
  let steps = 0;
  for (let text: string | undefined = 'end'; text !== undefined; text = history.undo(text))
    steps += 1;
  assert.equal(steps - 1, STEPS_MAX);
  assert.ok(STEPS_MAX >= 100);
});
