// What the engine says, as types. The engine is the product's own, compiled to WebAssembly.

export type Place = 'cuda' | 'vulkan' | 'cpu';

export interface Unit {
  name: string;
  place: Place;
  memory: number;
  budget: number;
  slots: number;
  profile: string | null;
  gpu: string | null;
}

export interface Edge {
  upstream: number;
  mode: 'barrier' | 'stream';
  depth: number;
  on: 'success' | 'end';
}

export interface Job {
  name: string;
  kind: 'standard' | 'legacy';
  phase: 'process' | 'train';
  grain: 'image' | 'whole';
  images: number;
  batch: number;
  inflight: number;
  threads: number;
  priority: number;
  memory: number;
  gpus: number;
  needs: 'gpu' | 'cuda' | 'vulkan' | 'cpu' | 'any';
  profile: string | null;
  model: number | null;
  stream: number | null;
  after: Edge[];
  time: number[];
  startup: number;
  arrive: number;
  every: number | null;
  timeout: number | null;
  retries: number;
  fallback: boolean;
  path: number;
  declared: number;
}

export interface Policy {
  order: 'standard-first' | 'fifo' | 'oldest-image' | 'critical-path';
  placement: 'fit' | 'balance' | 'rotate' | 'pack';
  overtake: number;
  patience: number | null;
  pool: 'keep' | 'free';
  headroom: number;
}

export interface Line {
  name: string | null;
  description: string | null;
  policy: Policy;
  units: Unit[];
  models: { name: string; weights: number; cold: number }[];
  streams: { name: string; limit: number | null }[];
  jobs: Job[];
  faults: { at: number; event: string; unit: number | null; job: number | null }[];
}

export interface Problem {
  code: string;
  severity: 'error' | 'warning';
  message: string;
  line: number;
  column: number;
  end_line: number;
  end_column: number;
  help: string | null;
  from: number;
  to: number;
}

// The numbers of the column `ev`.
export const READY = 0;
export const EVICT = 1;
export const GRANT = 2;
export const START = 3;
export const DONE = 4;
export const FAIL = 5;
export const REVOKE = 6;
export const RELEASE = 7;
export const END = 8;
export const UNIT = 9;

// A trace as columns: see `Columns` in wasm/src/columns.rs.
export interface Trace {
  t: Float64Array;
  ev: Uint8Array;
  who: Uint32Array;
  lease: Uint32Array;
  a: Uint32Array;
  b: Uint32Array;
  held: Uint32Array;
  slot: Uint32Array;
  heldEnd: Uint32Array;
  order: Uint8Array;
  placement: Uint8Array;
}

export const CAUSES = ['timeout', 'cancel', 'skipped', 'failed', 'device', 'circle'] as const;
export const END_STATES = ['done', 'failed', 'cancelled', 'skipped'] as const;
export const FAILURES = ['error', 'timeout', 'device'] as const;
export const UNIT_STATES = ['up', 'draining', 'down'] as const;

export const ORDER_RULES = [
  'only',
  'patience',
  'priority',
  'standard-first',
  'oldest-image',
  'critical-path',
  'ticket',
] as const;
export type OrderRule = (typeof ORDER_RULES)[number];

export const PLACEMENT_RULES = [
  'only',
  'resident',
  'least-left',
  'least-busy',
  'longest-released',
  'most-leases',
  'index',
] as const;
export type PlacementRule = (typeof PLACEMENT_RULES)[number];

export type WaitKind =
  | 'ended'
  | 'running'
  | 'arrival'
  | 'feed'
  | 'upstream'
  | 'back-pressure'
  | 'giving-back'
  | 'stream'
  | 'stream-withheld'
  | 'units'
  | 'next';

export interface JobWait {
  job: number;
  done: number;
  kind: WaitKind;
  by: number | null;
  // Images that the upstream is done with.
  by_done: number | null;
  stream: number | null;
  shortage: {
    wanted: number;
    candidates: number;
    own: number;
    full: number;
    short: number;
    withheld: number;
    not_up: number;
  } | null;
}

export interface GrantReason {
  lease: number;
  job: number;
  order: number;
  next: number | null;
  passed: JobWait[];
  passed_more: number;
  unit: number;
  placement: number;
  next_unit: number | null;
}

export type VerdictRule =
  | 'ok'
  | 'needs'
  | 'profile'
  | 'budget'
  | 'down'
  | 'draining'
  | 'threads'
  | 'full'
  | 'memory'
  | 'withheld';

export interface Verdict {
  unit: number;
  rule: VerdictRule;
  need: number;
  free: number;
  slots_free: number;
  holders: number[];
}

export interface Why {
  grants: GrantReason[];
  waits: JobWait[];
  units: Verdict[];
}

export interface OutlineEntry {
  key: string;
  key_at: [number, number];
  at: [number, number];
  value: unknown;
}

export interface OutlineTable {
  name: string;
  index: number;
  at: [number, number];
  entries: OutlineEntry[];
}

// A line file, read and planned.
export interface Plan {
  // Counts the plans of this page, so that an answer can be matched with its question.
  id: number;
  text: string;
  refused: boolean;
  stopped: '' | 'events' | 'time';
  exitCode: number;
  stuck: Uint32Array;
  problems: Problem[];
  line: Line;
  trace: Trace;
  outline: OutlineTable[];
  // Milliseconds that reading and planning took.
  took: number;
}

export const NO_LINE: Line = {
  name: null,
  description: null,
  policy: {
    order: 'standard-first',
    placement: 'fit',
    overtake: 16,
    patience: null,
    pool: 'keep',
    headroom: 10,
  },
  units: [],
  models: [],
  streams: [],
  jobs: [],
  faults: [],
};

// How many events lie at or before a time.
export function eventsUntil(t: Float64Array, time: number): number {
  let low = 0;
  let high = t.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (t[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function makespan(trace: Trace): number {
  return trace.t.length > 0 ? trace.t[trace.t.length - 1]! : 0;
}

// The units of a lease, as a range of `held`.
export function heldRange(trace: Trace, lease: number): [number, number] {
  return [lease > 0 ? trace.heldEnd[lease - 1]! : 0, trace.heldEnd[lease]!];
}
