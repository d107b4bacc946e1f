// The types of the package. Those of the JSON are the ones of the playground: a test compares them.

export { default as init, initSync, version } from './lineside_wasm.js';

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

export interface Budget {
  // Events at most; 2,000,000 unless given.
  events?: number;
  // Milliseconds at most; 3,000 unless given.
  milliseconds?: number;
}

export interface PlannedLine {
  refused: boolean;
  // Why the plan is not whole.
  stopped: '' | 'events' | 'time';
  // That of `lineside plan`.
  exitCode: number;
  // Jobs that have not ended though nothing is pending.
  stuck: Uint32Array;
  problems: Problem[];
  line: Line;
  trace: Trace;
  // The trace as JSON lines, and its SHA-256: what `lineside plan --trace` and `--hash` print.
  text(): string;
  hash(): string;
  // Why, after so many events and at a time in nanoseconds; with what each unit says to a job.
  why(events: number, time: number, job?: number): Why;
  free(): void;
}

export function checkLine(text: string): Problem[];
export function outlineLine(text: string): OutlineTable[];
export function planLine(text: string, budget?: Budget): PlannedLine;
