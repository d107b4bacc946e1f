// What is in focus in the chart: a lane, and who waits for whom at the cursor.

import { computed, signal } from '@preact/signals';
import { barAt, type Chart, firstAfter } from './bars.ts';
import type { Row } from './gantt/layout.ts';
import { words } from './lang/lang.ts';
import { answer } from './sentences.ts';
import { walkOrder } from './state.ts';
import { active, cursor, selected, state, why, whyOf } from './store.ts';

// The lane that the arrow keys are on: index into the rows of the layout.
export const lane = signal<number | null>(null);

// The tool that the page explains: who is selected, else who waits first, else who runs.
export const subject = computed<number | null>(() => {
  if (selected.value !== null) return selected.value;
  const plan = active.value.plan.value;
  if (!plan || !state.value) return null;
  const queue = walkOrder(plan.line, plan.trace, state.value, cursor.value);
  if (queue.length > 0) return queue[0]!;
  const [lease] = [...state.value.leases.values()];
  return lease ? lease.job : null;
});

// The answer to why, if it has come for what is shown.
export const answered = computed(() => {
  const plan = active.value.plan.value;
  const found = why.value;
  const of = whyOf.value;
  if (!plan || !found || !of || !state.value || of.plan !== plan) return null;
  const job = subject.value;
  if (job === null || job >= plan.line.jobs.length) return null;
  return answer(plan, found, state.value, job, cursor.value, words.value);
});

export const waitsNow = computed(() => {
  const job = subject.value;
  const found = answered.value;
  if (job === null || !found || found.tone !== 'wait' || found.units.length === 0) return null;
  return { job, units: found.units };
});

// The lease of a lane at a time, or the next one.
export function lanesOf(
  chart: Chart,
  row: Row,
  t: number,
): { from: number; to: number; job: number; lease: number } {
  const bars = row.kind === 'unit' ? chart.leases : chart.holds;
  const found = barAt(bars, row.lane, t);
  const at = found >= 0 ? found : firstAfter(bars, row.lane, t);
  if (at >= bars.laneStart[row.lane + 1]!) return { from: 0, to: 0, job: -1, lease: -1 };
  const [from, to] = [bars.from[at]!, bars.to[at]!];
  return { from, to, job: bars.job[at]!, lease: bars.lease[at]! };
}
