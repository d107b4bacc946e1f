// The page shows what the product says: traces, states, reasons.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { makeChart } from '../../src/bars.ts';
import { en } from '../../src/lang/en.ts';
import { zh } from '../../src/lang/zh.ts';
import { LESSONS } from '../../src/lessons.ts';
import { DONE, eventsUntil, GRANT, makespan, RELEASE, START, type Why } from '../../src/model.ts';
import { answer } from '../../src/sentences.ts';
import { leasesAt, memoryTaken, type State, States, walkOrder } from '../../src/state.ts';
import { candidates } from '../../src/whatif.ts';
import { change, figure, path, plan, random, scenarios } from './support.ts';

test('T1: the trace of 1,000 random lines is the native one, byte for byte', () => {
  const all = scenarios();
  let events = 0;
  for (const [text, hash] of all) {
    const planned = plan(text);
    assert.equal(planned.hash, hash, text);
    events += planned.trace.t.length;
  }
  assert.ok(all.length >= 1000);
  figure('T1', `${all.length} lines, ${events} events: all hashes equal`);
});

test('the trace of every case is the one in the repository', () => {
  const names = readdirSync(path('tests/cases')).filter((name) => name.endsWith('.toml'));
  for (const name of names) {
    const planned = plan(readFileSync(path('tests/cases', name), 'utf8'));
    const expected = readFileSync(path('tests/cases', name.replace('.toml', '.jsonl')), 'utf8');
    assert.equal(planned.trace_text, expected, name);
  }
  assert.ok(names.length > 60);
});

function plain(state: State): unknown {
  return {
    ...state,
    leases: [...state.leases.values()],
    resident: state.resident.map((models) => [...models].sort()),
  };
}

test('T2: stepping, seeking and scrubbing back come to the same state', () => {
  const chance = random(7);
  let checked = 0;
  for (const [text] of scenarios().slice(0, 150)) {
    const { line, trace } = plan(text);
    const states = new States(line, trace);
    const end = makespan(trace);
    for (let round = 0; round < 5; round++) {
      const t = Math.floor(chance() * (end + 1));
      const sought = plain(states.at(t));
      const stepped = states.after(0);
      assert.equal(stepped.events, 0);
      const until = eventsUntil(trace.t, t);
      const oneByOne = plain(states.after(until));
      states.at(end);
      assert.deepEqual(plain(states.at(t)), sought);
      assert.deepEqual(oneByOne, sought);
      checked += 1;
    }
  }
  figure('T2', `${checked} moments: the same state by stepping, seeking and scrubbing back`);
});

test('T3: no overlap in a lane, memory within its bounds, order of chains, releases match', () => {
  let lanes = 0;
  for (const [text] of scenarios().slice(0, 300)) {
    const { line, trace } = plan(text);
    const chart = makeChart(line, trace);
    for (const bars of [chart.starts, chart.leases, chart.runs, chart.holds, chart.waits]) {
      for (let lane = 0; lane + 1 < bars.laneStart.length; lane++) {
        lanes += 1;
        for (let at = bars.laneStart[lane]! + 1; at < bars.laneStart[lane + 1]!; at++) {
          assert.ok(bars.to[at - 1]! <= bars.from[at]!, `bars overlap in ${text}`);
        }
      }
    }
    const states = new States(line, trace);
    const granted = new Set<number>();
    for (let at = 0; at < trace.t.length; at++) {
      if (trace.ev[at] === GRANT) granted.add(trace.lease[at]!);
      if (trace.ev[at] === RELEASE) assert.ok(granted.delete(trace.lease[at]!));
    }
    for (let at = 0; at <= trace.t.length; at += 1 + Math.floor(trace.t.length / 12)) {
      const state = states.after(at);
      line.units.forEach((unit, index) => {
        assert.ok(memoryTaken(line, trace, state, index) <= unit.budget, text);
        assert.ok(leasesAt(trace, state, index).length <= unit.slots, text);
      });
    }
    checkChains(line, trace);
  }
  figure('T3', `${lanes} lanes without overlap; memory, slots, chains and releases hold`);
});

// Over a stream edge image k starts after image k of the upstream is done.
function checkChains(
  line: ReturnType<typeof plan>['line'],
  trace: ReturnType<typeof plan>['trace'],
) {
  const done = line.jobs.map(() => new Set<number>());
  for (let at = 0; at < trace.t.length; at++) {
    const job = trace.who[at]!;
    const images = Array.from({ length: trace.b[at]! }, (_, n) => trace.a[at]! + n);
    if (trace.ev[at] === DONE) for (const image of images) done[job]!.add(image);
    if (trace.ev[at] !== START) continue;
    for (const edge of line.jobs[job]!.after) {
      if (edge.mode !== 'stream') continue;
      for (const image of images) assert.ok(done[edge.upstream]!.has(image));
    }
  }
}

test('T4: all waits have sentences in both languages, changes on offer work', async () => {
  let asked = 0;
  let tried = 0;
  const texts = [
    ...LESSONS.map((it) => it.text),
    ...scenarios()
      .slice(0, 60)
      .map(([text]) => text),
  ];
  for (const text of texts) {
    const planned = plan(text);
    const { line, trace } = planned;
    const states = new States(line, trace);
    const end = makespan(trace);
    for (const share of [0.15, 0.4, 0.7, 1]) {
      const t = Math.floor(end * share);
      const state = states.at(t);
      for (let job = 0; job < Math.min(line.jobs.length, 6); job++) {
        const why = planned.whyAt(state.events, t, job) as Why;
        for (const words of [en, zh]) {
          const found = answer(planned, why, state, job, t, words);
          assert.ok(found && found.headline !== '' && found.reasons.every((it) => it !== ''), text);
          assert.ok(found.reasons.length > 0, `${text} at ${t}: ${found.headline}`);
          asked += 1;
        }
        tried += proveFixes(planned, why, state, job, t);
      }
      const order = walkOrder(line, trace, state, t);
      assert.equal(order.length, [...state.since].filter((since) => since >= 0).length);
    }
  }
  assert.ok(tried > 60, `${tried}`);
  figure('T4', `${asked} answers with reasons; ${tried} changes that help, each proved by a run`);
});

// How many of the changes that could be offered really flip the decision.
function proveFixes(
  planned: ReturnType<typeof plan>,
  why: Why,
  state: State,
  job: number,
  t: number,
): number {
  const name = planned.line.jobs[job]!.name;
  const before = grants(planned, name, t);
  let helped = 0;
  for (const kind of candidates({ plan: planned, why, state, job, t }, en)) {
    for (const fix of kind) {
      const text = change(planned.text, ...fix.changes);
      assert.notEqual(text, planned.text);
      const after = plan(text);
      if (after.refused || grants(after, name, t) <= before) continue;
      helped += 1;
      break;
    }
  }
  return helped;
}

function grants({ line, trace }: ReturnType<typeof plan>, name: string, t: number): number {
  const job = line.jobs.findIndex((it) => it.name === name);
  const until = eventsUntil(trace.t, t);
  let count = 0;
  for (let at = 0; at < until; at++) {
    if (trace.ev[at] === GRANT && trace.who[at] === job) count += 1;
  }
  return count;
}

test('T5: lessons have words in both languages, and a moment within the plan', async () => {
  const { lessonsEn } = await import('../../src/lang/lessons.en.ts');
  const { lessonsZh } = await import('../../src/lang/lessons.zh.ts');
  for (const lesson of LESSONS) {
    for (const text of [lesson.text, lesson.versus].filter((it) => it !== undefined)) {
      const planned = plan(text);
      assert.equal(planned.refused, false, lesson.slug);
      assert.ok(lesson.at * 1e6 <= makespan(planned.trace) || text === lesson.versus, lesson.slug);
    }
    const names = plan(lesson.text).line.jobs.map((job) => job.name);
    assert.ok(names.includes(lesson.job ?? ''), lesson.slug);
    for (const words of [lessonsEn[lesson.slug], lessonsZh[lesson.slug]]) {
      assert.ok(words.title && words.moral && words.see);
      assert.ok(words.moral.length < 100, `${words.moral} is one line`);
    }
  }
  assert.ok(LESSONS.length >= 12);
  figure('T5', `${LESSONS.length} lessons; their morals are asserted in wasm/tests/lessons.rs`);
});
