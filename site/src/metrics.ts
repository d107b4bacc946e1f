// What a plan comes to, in figures: those of `lineside plan --json`.

import type { Chart } from './bars.ts';
import { END, END_STATES, GRANT, type Line, READY, type Trace } from './model.ts';

export interface Metrics {
  makespan: number;
  grants: number;
  waitMean: number;
  waitP95: number;
  waitMax: number;
  // Of each unit the share of the makespan during which something was computed there.
  utilisation: number[];
  // The most leases at once.
  concurrency: number;
  images: number;
  // Jobs by how they ended; `stuck` for those that have not.
  states: Record<(typeof END_STATES)[number] | 'stuck', number>;
}

export function metricsOf(line: Line, trace: Trace, chart: Chart): Metrics {
  const makespan = chart.end;
  const waits = lengths(chart);
  const states = { done: 0, failed: 0, cancelled: 0, skipped: 0, stuck: 0 };
  let grants = 0;
  for (let at = 0; at < trace.ev.length; at++) {
    if (trace.ev[at] === GRANT) grants += 1;
    if (trace.ev[at] === END) states[END_STATES[trace.a[at]!]!] += 1;
  }
  states.stuck = line.jobs.length - states.done - states.failed - states.cancelled - states.skipped;
  return {
    makespan,
    grants,
    waitMean: waits.length > 0 ? waits.reduce((sum, wait) => sum + wait, 0) / waits.length : 0,
    waitP95: percentile(waits, 95),
    waitMax: waits.at(-1) ?? 0,
    utilisation: line.units.map((_, unit) => {
      return makespan > 0 ? busyTime(chart, unit) / makespan : 0;
    }),
    concurrency: mostAtOnce(trace),
    images: line.jobs.reduce((sum, job) => sum + job.images, 0),
    states,
  };
}

function lengths(chart: Chart): number[] {
  const { from, to } = chart.waits;
  return Array.from(from, (start, at) => to[at]! - start).sort((one, other) => one - other);
}

// The least of the sorted values that so many percent do not exceed.
function percentile(sorted: number[], percent: number): number {
  const rank = Math.ceil((sorted.length * percent) / 100);
  return sorted[Math.max(0, rank - 1)] ?? 0;
}

// Time during which something was in flight on a unit, whatever the slot.
function busyTime(chart: Chart, unit: number): number {
  const spans: [number, number][] = [];
  chart.unitLanes.forEach((lane, at) => {
    if (lane.unit !== unit) return;
    for (let bar = chart.starts.laneStart[at]!; bar < chart.starts.laneStart[at + 1]!; bar++) {
      spans.push([chart.starts.from[bar]!, chart.starts.to[bar]!]);
    }
  });
  spans.sort((one, other) => one[0] - other[0]);
  let busy = 0;
  let until = 0;
  for (const [from, to] of spans) {
    busy += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return busy;
}

function mostAtOnce(trace: Trace): number {
  let now = 0;
  let most = 0;
  for (const ev of trace.ev) {
    if (ev === GRANT) now += 1;
    if (ev === 7) now -= 1;
    most = Math.max(most, now);
  }
  return most;
}

// Entries that were in the queue at once, at most.
export function longestQueue(trace: Trace): number {
  let now = 0;
  let most = 0;
  for (let at = 0; at < trace.ev.length; at++) {
    if (trace.ev[at] === READY) now += 1;
    if (trace.ev[at] === GRANT) now -= 1;
    most = Math.max(most, now);
  }
  return most;
}
