// The engine in a Worker: the page stays responsive whatever is asked of it.

import init, { check, outline, type Plan as Planned, plan } from '../../wasm/pkg/lineside_wasm.js';
import { addChange, type Change } from './edit.ts';
import type { Plan } from './model.ts';

export type Request =
  | { kind: 'start'; module: ArrayBuffer | string }
  | { kind: 'plan'; id: number; text: string }
  | { kind: 'why'; of: Asked; events: number; t: number; job: number | null }
  | { kind: 'hash'; of: Asked }
  | { kind: 'trace'; of: Asked }
  | { kind: 'outline'; text: string }
  | { kind: 'check'; text: string }
  | { kind: 'grants'; text: string; changes: Change[]; job: string; until: number };

// A plan that is asked about. Its text says it once more, should the Worker be a new one.
export interface Asked {
  id: number;
  text: string;
}

const EVENTS_MAX = 2_000_000;
const MILLISECONDS_MAX = 3_000;

// The plans that may still be asked about: those of the two sides of a comparison.
const plans = new Map<number, Planned>();
const KEPT = 3;

function keep(id: number, planned: Planned): void {
  plans.set(id, planned);
  for (const [old, dropped] of plans) {
    if (plans.size <= KEPT) break;
    dropped.free();
    plans.delete(old);
  }
}

function find(of: Asked): Planned {
  const found = plans.get(of.id);
  if (found) return found;
  const planned = run(of.text, EVENTS_MAX, MILLISECONDS_MAX);
  keep(of.id, planned);
  return planned;
}

function run(text: string, events: number, milliseconds: number): Planned {
  const end = performance.now() + milliseconds;
  return plan(text, events, () => performance.now() < end);
}

function answerPlan(request: Extract<Request, { kind: 'plan' }>): Plan {
  const began = performance.now();
  const planned = run(request.text, EVENTS_MAX, MILLISECONDS_MAX);
  keep(request.id, planned);
  const trace = {
    t: planned.t,
    ev: planned.ev,
    who: planned.who,
    lease: planned.lease,
    a: planned.a,
    b: planned.b,
    held: planned.held,
    slot: planned.slot,
    heldEnd: planned.heldEnd,
    order: planned.order,
    placement: planned.placement,
  };
  return {
    id: request.id,
    text: request.text,
    refused: planned.refused,
    stopped: planned.stopped as Plan['stopped'],
    exitCode: planned.exitCode,
    stuck: planned.stuck,
    problems: JSON.parse(planned.problems),
    line: JSON.parse(planned.line),
    trace,
    outline: JSON.parse(outline(request.text)),
    took: performance.now() - began,
  };
}

// How often a job was granted units by a time, with the text changed. -1: it is refused.
function answerGrants(request: Extract<Request, { kind: 'grants' }>): number {
  let text = request.text;
  for (const change of request.changes) {
    text = addChange(text, JSON.parse(outline(text)), change);
  }
  const planned = run(text, 400_000, 400);
  const grants = planned.refused ? -1 : planned.grants(request.job, request.until);
  planned.free();
  return grants;
}

async function answer(request: Request): Promise<unknown> {
  switch (request.kind) {
    case 'start':
      await init({ module_or_path: request.module });
      return true;
    case 'plan':
      return answerPlan(request);
    case 'why': {
      const { events, t, job } = request;
      return JSON.parse(find(request.of).why(events, t, job ?? undefined));
    }
    case 'hash':
      return find(request.of).hash();
    case 'trace':
      return find(request.of).trace();
    case 'outline':
      return JSON.parse(outline(request.text));
    case 'check':
      return JSON.parse(check(request.text));
    case 'grants':
      return answerGrants(request);
  }
}

function buffersOf(result: unknown): Transferable[] {
  const trace = (result as Plan | null)?.trace;
  if (!trace) return [];
  return Object.values(trace).map((column) => (column as Uint8Array).buffer as ArrayBuffer);
}

self.onmessage = async (message: MessageEvent<{ call: number; request: Request }>) => {
  const { call, request } = message.data;
  try {
    const result = await answer(request);
    self.postMessage({ call, result }, { transfer: buffersOf(result) });
  } catch (error) {
    self.postMessage({ call, error: String(error) });
  }
};
