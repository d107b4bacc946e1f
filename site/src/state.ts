// The state of the line at a time, read off the trace: the queue, the leases, memory, models.

import {
  DONE,
  END,
  EVICT,
  eventsUntil,
  FAIL,
  GRANT,
  heldRange,
  type Line,
  READY,
  RELEASE,
  REVOKE,
  START,
  type Trace,
  UNIT,
} from './model.ts';

export interface Lease {
  lease: number;
  job: number;
  since: number;
  // Images in flight; count 0: it holds its units and waits.
  first: number;
  count: number;
}

export interface State {
  // How many events have happened.
  events: number;
  // Since when each job is in the queue; -1: it is not.
  since: Float64Array;
  ticket: Float64Array;
  done: Uint32Array;
  // 0: not ended; else 1 + index into END_STATES.
  ended: Uint8Array;
  // Live leases by number.
  leases: Map<number, Lease>;
  // Index into UNIT_STATES.
  unit: Uint8Array;
  // Loaded models, by unit.
  resident: Set<number>[];
}

function begin(line: Line): State {
  const jobs = line.jobs.length;
  return {
    events: 0,
    since: new Float64Array(jobs).fill(-1),
    ticket: new Float64Array(jobs),
    done: new Uint32Array(jobs),
    ended: new Uint8Array(jobs),
    leases: new Map(),
    unit: new Uint8Array(line.units.length),
    resident: line.units.map(() => new Set()),
  };
}

function copy(state: State): State {
  return {
    events: state.events,
    since: state.since.slice(),
    ticket: state.ticket.slice(),
    done: state.done.slice(),
    ended: state.ended.slice(),
    leases: new Map([...state.leases].map(([key, lease]) => [key, { ...lease }])),
    unit: state.unit.slice(),
    resident: state.resident.map((models) => new Set(models)),
  };
}

// Seeks in a trace. What lies between two checkpoints is read again.
export class States {
  private readonly checkpoints: State[];
  private readonly spacing: number;

  constructor(
    private readonly line: Line,
    private readonly trace: Trace,
  ) {
    this.spacing = Math.max(4096, 4 * (line.jobs.length + line.units.length));
    const state = begin(line);
    this.checkpoints = [copy(state)];
    while (state.events < trace.ev.length) {
      this.step(state);
      if (state.events % this.spacing === 0) this.checkpoints.push(copy(state));
    }
  }

  // After everything that happens at or before a time.
  at(time: number): State {
    return this.after(eventsUntil(this.trace.t, time));
  }

  // After so many events.
  after(events: number): State {
    const state = copy(this.checkpoints[Math.floor(events / this.spacing)]!);
    while (state.events < events) this.step(state);
    return state;
  }

  private step(state: State): void {
    const { trace } = this;
    const at = state.events;
    state.events += 1;
    const who = trace.who[at]!;
    const lease = trace.lease[at]!;
    switch (trace.ev[at]) {
      case READY:
        if (state.since[who]! < 0) state.since[who] = trace.t[at]!;
        state.ticket[who] = trace.a[at]!;
        break;
      case EVICT:
        state.resident[who]!.delete(trace.a[at]!);
        break;
      case GRANT:
        this.grant(state, at);
        break;
      case START: {
        const live = state.leases.get(lease)!;
        live.first = trace.a[at]!;
        live.count = trace.b[at]!;
        break;
      }
      case DONE:
        state.done[who]! += trace.b[at]!;
        state.leases.get(lease)!.count = 0;
        break;
      case FAIL:
      case REVOKE:
        state.leases.get(lease)!.count = 0;
        break;
      case RELEASE:
        state.leases.delete(lease);
        if (this.line.policy.pool === 'free') this.unload(state, who, lease);
        break;
      case END:
        state.since[who] = -1;
        state.ended[who] = 1 + trace.a[at]!;
        break;
      case UNIT:
        state.unit[who] = trace.a[at]!;
        if (trace.a[at] === 2) state.resident[who]!.clear();
        break;
    }
  }

  private grant(state: State, at: number): void {
    const { trace } = this;
    const job = trace.who[at]!;
    const lease = trace.lease[at]!;
    state.since[job] = -1;
    state.leases.set(lease, { lease, job, since: trace.t[at]!, first: 0, count: 0 });
    const model = this.line.jobs[job]!.model;
    if (model !== null) for (const unit of this.unitsOf(lease)) state.resident[unit]!.add(model);
  }

  // With the pool off a model leaves with the last lease that uses it.
  private unload(state: State, job: number, lease: number): void {
    const model = this.line.jobs[job]!.model;
    if (model === null) return;
    for (const unit of this.unitsOf(lease)) {
      const others = leasesAt(this.trace, state, unit);
      if (!others.some((it) => this.line.jobs[it.job]!.model === model)) {
        state.resident[unit]!.delete(model);
      }
    }
  }

  private unitsOf(lease: number): Uint32Array {
    return this.trace.held.subarray(...heldRange(this.trace, lease));
  }
}

// The leases on a unit, in grant order.
export function leasesAt(trace: Trace, state: State, unit: number): Lease[] {
  return [...state.leases.values()].filter((it) => {
    return trace.held.subarray(...heldRange(trace, it.lease)).includes(unit);
  });
}

// The queue, in the order of the rules as far as the trace shows it: by ticket.
export function queueOf(state: State): number[] {
  const queued: number[] = [];
  for (let job = 0; job < state.since.length; job++) if (state.since[job]! >= 0) queued.push(job);
  return queued.sort((one, other) => state.ticket[one]! - state.ticket[other]!);
}

// The queue in the order in which it is walked: semantics, section 3.
export function walkOrder(line: Line, trace: Trace, state: State, time: number): number[] {
  const { order, patience } = line.policy;
  const heads = headsOf(trace, state, line.jobs.length);
  const key = (job: number): number[] => {
    const spec = line.jobs[job]!;
    const ticket = state.ticket[job]!;
    if (patience !== null && time - state.since[job]! >= patience) return [0, ticket];
    const kind = spec.kind === 'standard' ? 0 : 1;
    const byKind = order === 'standard-first' || order === 'oldest-image' ? kind : 0;
    const rank =
      order === 'oldest-image' ? heads[job]! : order === 'critical-path' ? -spec.path : 0;
    return [1, -spec.priority, byKind, rank, ticket];
  };
  const keys = new Map(queueOf(state).map((job) => [job, key(job)]));
  return [...keys.keys()].sort((one, other) => compare(keys.get(one)!, keys.get(other)!));
}

function compare(one: number[], other: number[]): number {
  for (let at = 0; at < Math.min(one.length, other.length); at++) {
    const difference = one[at]! - other[at]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

// The lowest image of each job that is neither done nor in flight, for jobs without gaps.
function headsOf(_trace: Trace, state: State, jobs: number): Uint32Array {
  const heads = new Uint32Array(jobs);
  heads.set(state.done);
  for (const lease of state.leases.values()) heads[lease.job]! += lease.count;
  return heads;
}

// Bytes of a unit that leases and the models that they use take up.
export function memoryTaken(line: Line, trace: Trace, state: State, unit: number): number {
  let taken = 0;
  const pinned = new Set<number>();
  for (const lease of leasesAt(trace, state, unit)) {
    const job = line.jobs[lease.job]!;
    taken += job.memory;
    if (job.model !== null) pinned.add(job.model);
  }
  for (const model of pinned) taken += line.models[model]!.weights;
  return taken;
}
