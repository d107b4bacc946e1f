// From a trace to bars on lanes. Within a lane bars are sorted and don't overlap, so whatever is
// visible is found by bisection.

import {
  DONE,
  END,
  FAIL,
  GRANT,
  type Line,
  makespan,
  READY,
  RELEASE,
  REVOKE,
  START,
  type Trace,
} from './model.ts';

export const LEGACY = 1;
export const FAILED = 2;
export const REVOKED = 4;
export const COLD = 8;
export const FALLBACK = 16;
// The first start of its lease.
export const OPENS = 32;
export const TRAIN = 64;

// Bars of many lanes, one lane's after the other's.
export interface Bars {
  // Where the bars of each lane begin; one more than there are lanes.
  laneStart: Uint32Array;
  from: Float64Array;
  to: Float64Array;
  job: Uint32Array;
  lease: Uint32Array;
  first: Uint32Array;
  count: Uint32Array;
  flags: Uint8Array;
}

export interface UnitLane {
  unit: number;
  slot: number;
}

export interface Chart {
  end: number;
  unitLanes: UnitLane[];
  // Starts and leases, by unit lane.
  starts: Bars;
  leases: Bars;
  // Images in flight, leases held and entries in the queue, by job.
  runs: Bars;
  holds: Bars;
  waits: Bars;
}

interface Rows {
  length: number;
  from: Float64Array;
  to: Float64Array;
  job: Uint32Array;
  lease: Uint32Array;
  first: Uint32Array;
  count: Uint32Array;
  flags: Uint8Array;
}

export function makeRows(size: number): Rows {
  return {
    length: 0,
    from: new Float64Array(size),
    to: new Float64Array(size),
    job: new Uint32Array(size),
    lease: new Uint32Array(size),
    first: new Uint32Array(size),
    count: new Uint32Array(size),
    flags: new Uint8Array(size),
  };
}

function push(rows: Rows, from: number, to: number, job: number, lease: number): number {
  const at = rows.length;
  rows.from[at] = from;
  rows.to[at] = to;
  rows.job[at] = job;
  rows.lease[at] = lease;
  rows.length += 1;
  return at;
}

// Sorts rows into lanes; a row may be in several. `lanesOf` writes them and says how many.
export function toLanes(
  rows: Rows,
  lanes: number,
  lanesOf: (row: number, into: number[]) => number,
): Bars {
  const laneStart = new Uint32Array(lanes + 1);
  const into: number[] = [];
  for (let row = 0; row < rows.length; row++) {
    const count = lanesOf(row, into);
    for (let at = 0; at < count; at++) laneStart[into[at]! + 1]! += 1;
  }
  for (let lane = 0; lane < lanes; lane++) laneStart[lane + 1]! += laneStart[lane]!;
  const next = laneStart.slice();
  const bars = { ...makeRows(laneStart[lanes]!), laneStart };
  for (let row = 0; row < rows.length; row++) {
    const count = lanesOf(row, into);
    for (let at = 0; at < count; at++) copyRow(rows, row, bars, next[into[at]!]!++);
  }
  return bars;
}

function copyRow(rows: Rows, row: number, bars: Rows, at: number): void {
  bars.from[at] = rows.from[row]!;
  bars.to[at] = rows.to[row]!;
  bars.job[at] = rows.job[row]!;
  bars.lease[at] = rows.lease[row]!;
  bars.first[at] = rows.first[row]!;
  bars.count[at] = rows.count[row]!;
  bars.flags[at] = rows.flags[row]!;
}

function countEvents(trace: Trace): number[] {
  const counts = new Array<number>(10).fill(0);
  for (const ev of trace.ev) counts[ev]! += 1;
  return counts;
}

// Reads a trace once and keeps what is open: starts and leases by lease, entries by job.
class Reader {
  readonly starts: Rows;
  readonly leases: Rows;
  readonly runs: Rows;
  readonly holds: Rows;
  readonly waits: Rows;
  private readonly start: Int32Array;
  private readonly lease: Int32Array;
  private readonly opened: Uint8Array;
  private readonly run: Int32Array;
  private readonly running: Uint32Array;
  private readonly hold: Int32Array;
  private readonly held: Uint32Array;
  private readonly wait: Int32Array;
  private readonly base: Uint8Array;

  constructor(
    readonly line: Line,
    readonly trace: Trace,
  ) {
    const counts = countEvents(trace);
    const jobs = line.jobs.length;
    const grants = counts[GRANT]!;
    this.starts = makeRows(counts[START]!);
    this.runs = makeRows(counts[START]!);
    this.leases = makeRows(grants);
    this.holds = makeRows(grants);
    this.waits = makeRows(counts[READY]!);
    this.start = new Int32Array(grants).fill(-1);
    this.lease = new Int32Array(grants).fill(-1);
    this.opened = new Uint8Array(grants);
    this.run = new Int32Array(jobs).fill(-1);
    this.running = new Uint32Array(jobs);
    this.hold = new Int32Array(jobs).fill(-1);
    this.held = new Uint32Array(jobs);
    this.wait = new Int32Array(jobs).fill(-1);
    this.base = Uint8Array.from(line.jobs, (job) => {
      return (job.kind === 'legacy' ? LEGACY : 0) | (job.phase === 'train' ? TRAIN : 0);
    });
  }

  read(): void {
    const { trace } = this;
    const end = makespan(trace);
    for (let at = 0; at < trace.ev.length; at++) this.event(at, end);
  }

  private event(at: number, end: number): void {
    const { trace } = this;
    const t = trace.t[at]!;
    const who = trace.who[at]!;
    const lease = trace.lease[at]!;
    switch (trace.ev[at]) {
      case READY:
        // An entry that takes an older ticket goes on waiting.
        if (this.wait[who]! < 0) this.wait[who] = push(this.waits, t, end, who, 0);
        break;
      case GRANT:
        this.granted(t, end, who, lease, trace.b[at]!);
        break;
      case START:
        this.started(t, end, who, lease, at);
        break;
      case DONE:
        this.ended(t, who, lease, 0);
        break;
      case FAIL:
        this.ended(t, who, lease, FAILED);
        break;
      case REVOKE:
        this.ended(t, who, lease, REVOKED);
        break;
      case RELEASE:
        this.released(t, who, lease);
        break;
      case END:
        this.leftQueue(t, who);
        break;
    }
  }

  private granted(t: number, end: number, job: number, lease: number, flags: number): void {
    this.leftQueue(t, job);
    const row = push(this.leases, t, end, job, lease);
    const cold = (flags & 1 ? COLD : 0) | (flags & 2 ? FALLBACK : 0);
    this.leases.flags[row] = this.base[job]! | cold;
    this.lease[lease] = row;
    this.held[job]! += 1;
    if (this.held[job] === 1) this.hold[job] = push(this.holds, t, end, job, lease);
  }

  private started(t: number, end: number, job: number, lease: number, at: number): void {
    const row = push(this.starts, t, end, job, lease);
    this.starts.first[row] = this.trace.a[at]!;
    this.starts.count[row] = this.trace.b[at]!;
    const lead = this.leases.flags[this.lease[lease]!]!;
    const opens = this.opened[lease] ? 0 : OPENS;
    this.starts.flags[row] = (opens ? lead : lead & ~COLD) | opens;
    this.opened[lease] = 1;
    this.start[lease] = row;
    this.running[job]! += 1;
    if (this.running[job] === 1) this.run[job] = push(this.runs, t, end, job, lease);
  }

  private ended(t: number, job: number, lease: number, flags: number): void {
    const row = this.start[lease]!;
    if (row < 0) return;
    this.starts.to[row] = t;
    this.starts.flags[row]! |= flags;
    this.start[lease] = -1;
    this.running[job]! -= 1;
    if (this.running[job] === 0) this.runs.to[this.run[job]!] = t;
  }

  private released(t: number, job: number, lease: number): void {
    this.ended(t, job, lease, REVOKED);
    this.leases.to[this.lease[lease]!] = t;
    this.held[job]! -= 1;
    if (this.held[job] === 0) this.holds.to[this.hold[job]!] = t;
  }

  private leftQueue(t: number, job: number): void {
    const row = this.wait[job]!;
    if (row >= 0) this.waits.to[row] = t;
    this.wait[job] = -1;
  }
}

// How many slots of each unit were ever used at once.
function slotsUsed(line: Line, trace: Trace): number[] {
  const used = line.units.map(() => 1);
  for (let at = 0; at < trace.held.length; at++) {
    const unit = trace.held[at]!;
    used[unit] = Math.max(used[unit]!, trace.slot[at]! + 1);
  }
  return used;
}

export function makeChart(line: Line, trace: Trace): Chart {
  const reader = new Reader(line, trace);
  reader.read();
  const used = slotsUsed(line, trace);
  const unitLanes: UnitLane[] = [];
  const firstLane = used.map((slots, unit) => {
    const first = unitLanes.length;
    for (let slot = 0; slot < slots; slot++) unitLanes.push({ unit, slot });
    return first;
  });
  const lanesOf = (rows: Rows) => (row: number, into: number[]) => {
    const lease = rows.lease[row]!;
    const from = lease > 0 ? trace.heldEnd[lease - 1]! : 0;
    const count = trace.heldEnd[lease]! - from;
    for (let at = 0; at < count; at++) {
      into[at] = firstLane[trace.held[from + at]!]! + trace.slot[from + at]!;
    }
    return count;
  };
  const ofJob = (rows: Rows) => (row: number, into: number[]) => {
    into[0] = rows.job[row]!;
    return 1;
  };
  const { starts, leases, runs, holds, waits } = reader;
  const jobs = line.jobs.length;
  return {
    end: makespan(trace),
    unitLanes,
    starts: toLanes(starts, unitLanes.length, lanesOf(starts)),
    leases: toLanes(leases, unitLanes.length, lanesOf(leases)),
    runs: toLanes(runs, jobs, ofJob(runs)),
    holds: toLanes(holds, jobs, ofJob(holds)),
    waits: toLanes(waits, jobs, ofJob(waits)),
  };
}

// The first bar of a lane that ends after a time.
export function firstAfter(bars: Bars, lane: number, time: number): number {
  let low = bars.laneStart[lane]!;
  let high = bars.laneStart[lane + 1]!;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (bars.to[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The bar of a lane at a time, or -1.
export function barAt(bars: Bars, lane: number, time: number): number {
  const at = firstAfter(bars, lane, time);
  return at < bars.laneStart[lane + 1]! && bars.from[at]! <= time ? at : -1;
}
