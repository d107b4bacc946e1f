// Links carry everything, and whatever comes in by one leaves the page usable.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { decode, encode, LinkError } from '../../src/link.ts';
import { figure, path, random, scenarios } from './support.ts';

test('L1: 1,000 lines come out as they went in, and the same line is the same link', async () => {
  const names = ['检测', '🙂 emoji', 'a"b\\c', 'x'.repeat(200), 'ﷺ', ''];
  let count = 0;
  for (const [at, [line]] of scenarios().slice(0, 1000).entries()) {
    const name = names[at % names.length]!;
    const text = `${line}# ${name}\n[[device]]\nmemory = ${at % 2 === 0 ? 0 : 2 ** 53}\n`;
    const view = { t: at * 1000, job: name, tab: 'text', lang: 'zh-CN' };
    const link = await encode({ text, view });
    assert.equal(link, await encode({ text, view }));
    const back = await decode(`#${link}`);
    assert.equal(back.text, text);
    assert.equal(back.view.t, view.t);
    assert.equal(back.view.job, name === '' ? undefined : name);
    count += 1;
  }
  const pair = await decode(await encode({ text: 'a', versus: 'b', view: {} }));
  assert.deepEqual([pair.text, pair.versus], ['a', 'b']);
  figure('L1', `${count} lines: decode(encode(x)) = x, and encode is canonical`);
});

// A line as people write them: tools that differ in names, times and edges.
function lineOf(tools: number): string {
  const chance = random(tools);
  const times = ['10ms', '12ms', '8ms', '25ms', '40ms'];
  let text = '[policy]\norder = "oldest-image"\n[[device]]\nname = "gpu0"\nmemory = "24GiB"\n';
  for (let at = 0; at < tools; at++) {
    text += `[[job]]\nname = "tool${at}"\nkind = "legacy"\nimages = 20\n`;
    text += `time = "${times[Math.floor(chance() * times.length)]}"\n`;
    if (at % 3 > 0) text += `after = ["tool${at - 1}"]\n`;
  }
  return text;
}

test('L2: links stay short', async () => {
  const bounds: [number, number][] = [
    [30, 1000],
    [100, 1800],
    [300, 4000],
  ];
  const found: string[] = [];
  for (const [tools, most] of bounds) {
    const { length } = await encode({ text: lineOf(tools), view: { t: 1e7, job: 'tool1' } });
    found.push(`${tools} tools: ${length} characters (at most ${most})`);
    assert.ok(length <= most, `${tools} tools: ${length}`);
  }
  figure('L2', found.join('; '));
});

test('L4: links of every format of the past open', async () => {
  const rows = readFileSync(path('site/test/links.txt'), 'utf8').split('\n');
  let count = 0;
  for (const row of rows.filter((it) => it !== '' && !it.startsWith('#'))) {
    const [link = '', expected = ''] = row.split('\t');
    const { text, versus } = await decode(link);
    assert.equal(JSON.stringify(versus === undefined ? [text] : [text, versus]), expected);
    count += 1;
  }
  assert.ok(count >= 3);
});

test('L4: what is no link, or a broken one, is refused in a way that can be told', async () => {
  const whole = await encode({ text: lineOf(20), view: {} });
  const zeros = await encode({ text: '\n'.repeat(3 << 20), view: {} });
  const faults: [string, string][] = [
    [whole.slice(0, whole.length / 2), 'corrupt'],
    [`${whole.slice(0, 30)}!!!${whole.slice(33)}`, 'corrupt'],
    ['l1.AAAA', 'corrupt'],
    ['c1.q1ZKLElUslIyVNIBAA', 'corrupt'],
    ['l9.abcdef', 'unknown'],
    ['whatever', 'unknown'],
    ['toml=%E0%A4%A', 'corrupt'],
    [zeros, 'too-large'],
  ];
  for (const [link, fault] of faults) {
    const refused = await decode(link).then(
      () => 'taken',
      (error) => (error instanceof LinkError ? error.fault : String(error)),
    );
    assert.equal(refused, fault, link.slice(0, 40));
  }
  const view = await decode(`${whole}&t=-5&from=x&to=NaN&job=${'%F0%9F%99%82'}&tab=`);
  assert.deepEqual(view.view, { job: '🙂' });
  figure('L4', `${faults.length} broken links refused, each with its message`);
});

test('readable links work too', async () => {
  const text = '[[job]]\nname = "a & b"\n';
  const back = await decode(`#toml=${encodeURIComponent(text)}&t=5`);
  assert.deepEqual(back, { text, view: { t: 5 } });
});
