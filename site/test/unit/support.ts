// The engine in Node, and what several tests need.

import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, initSync, outline, plan as planText } from '../../../wasm/pkg/lineside_wasm.js';
import { addChange, type Change } from '../../src/edit.ts';
import type { Plan, Problem } from '../../src/model.ts';

// The tests run in the folder of the site.
const root = process.cwd().endsWith('/site') ? join(process.cwd(), '..') : process.cwd();

export function path(...parts: string[]): string {
  return join(root, ...parts);
}

initSync({ module: readFileSync(path('wasm/pkg/lineside_wasm_bg.wasm')) });

let counter = 0;

export interface Planned extends Plan {
  hash: string;
  trace_text: string;
  whyAt(events: number, t: number, job: number | null): unknown;
}

export function plan(text: string, events = 2_000_000): Planned {
  const planned = planText(text, events, () => true);
  const { t, ev, who, lease, a, b, held, slot, heldEnd, order, placement } = planned;
  counter += 1;
  return {
    id: counter,
    text,
    refused: planned.refused,
    stopped: planned.stopped as Plan['stopped'],
    exitCode: planned.exitCode,
    stuck: planned.stuck,
    problems: JSON.parse(planned.problems),
    line: JSON.parse(planned.line),
    trace: { t, ev, who, lease, a, b, held, slot, heldEnd, order, placement },
    outline: JSON.parse(outline(text)),
    took: 0,
    hash: planned.hash(),
    trace_text: planned.trace(),
    whyAt: (events, t, job) => JSON.parse(planned.why(events, t, job ?? undefined)),
  };
}

export function problemsOf(text: string): Problem[] {
  return JSON.parse(check(text));
}

export function change(text: string, ...changes: Change[]): string {
  let now = text;
  for (const it of changes) now = addChange(now, JSON.parse(outline(now)), it);
  return now;
}

// Random lines and the hashes of their traces as the product plans them natively.
export function scenarios(): [string, string][] {
  return JSON.parse(readFileSync(path('target/site-scenarios/scenarios.json'), 'utf8'));
}

// Chance that is the same each time.
export function random(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 13), 0x297a2d39);
    mixed ^= mixed >>> 16;
    return (mixed >>> 0) / 2 ** 32;
  };
}

// A figure that a criterion asks for, printed where it can be found.
export function figure(criterion: string, text: string): void {
  const line = `${criterion}: ${text}`;
  console.log(`FIGURE ${line}`);
  // Where the chores of the repository collect what was run.
  const tally = process.env.LINESIDE_TALLY;
  if (tally) appendFileSync(tally, `site ${line}\n`);
}
