// Codes and numbers in sentences of the reader's language. Names are only ever text.

import { showTime } from './gantt/axis.ts';
import type { Words } from './lang/en.ts';
import {
  CAUSES,
  DONE,
  END,
  END_STATES,
  EVICT,
  FAIL,
  GRANT,
  type GrantReason,
  heldRange,
  type JobWait,
  type Line,
  ORDER_RULES,
  PLACEMENT_RULES,
  type Plan,
  READY,
  RELEASE,
  REVOKE,
  START,
  type Trace,
  UNIT_STATES,
  type Verdict,
  type Why,
} from './model.ts';
import { showMemory } from './quantity.ts';
import { type State, walkOrder } from './state.ts';

export function imagesText(first: number, count: number): string {
  return count > 1 ? `${first}–${first + count - 1}` : `${first}`;
}

export function listText(names: string[], words: Words): string {
  return new Intl.ListFormat(words.code, { style: 'short', type: 'conjunction' }).format(names);
}

function unique(jobs: number[], line: Line): string[] {
  return [...new Set(jobs)].map((job) => line.jobs[job]!.name);
}

export function unitsOf(line: Line, trace: Trace, lease: number): string[] {
  const [from, to] = heldRange(trace, lease);
  return Array.from(trace.held.subarray(from, to), (unit) => line.units[unit]!.name);
}

// What is so of a tool at the cursor.
export interface Answer {
  tone: 'wait' | 'run' | 'bad' | 'calm';
  headline: string;
  reasons: string[];
  // When it is granted units next, in nanoseconds; null: never again; undefined: no matter.
  nextGrant?: number | null;
  // The units that it waits for.
  units: number[];
}

export function answer(plan: Plan, why: Why, state: State, job: number, t: number, words: Words) {
  const { line, trace } = plan;
  const { name } = line.jobs[job]!;
  const wait = why.waits.find((it) => it.job === job);
  if (!wait) return null;
  const next = nextGrant(trace, state, job);
  const done: Answer = { tone: 'calm', headline: '', reasons: [], units: [] };
  const own = [...state.leases.values()].filter((lease) => lease.job === job);
  const running = own.filter((lease) => lease.count > 0);
  const images = running.map((lease) => imagesText(lease.first, lease.count)).join(', ');
  if (wait.kind === 'ended') {
    const ended = END_STATES[Math.max(0, state.ended[job]! - 1)]!;
    done.headline = words.over(name);
    done.reasons.push(words.whyEnded[ended]);
    if (ended !== 'done') done.tone = 'bad';
    return done;
  }
  if (wait.kind === 'arrival') {
    done.headline = words.notYet(name);
    done.reasons.push(words.whyArrival(showTime(line.jobs[job]!.arrive, 2, words.code)));
    return done;
  }
  if (running.length > 0) {
    done.tone = 'run';
    done.headline = words.runs(name);
    const isQueued = state.since[job]! >= 0;
    done.reasons.push(isQueued ? words.whyRunningQueued(images) : words.whyRunning(images));
    return done;
  }
  const isOver = state.events >= trace.ev.length;
  done.tone = isOver ? 'bad' : 'wait';
  done.headline = own.length > 0 ? words.starves(name) : words.waits(name);
  if (isOver && plan.stopped === '') done.headline = words.stuckNow(name);
  done.reasons.push(...waitReasons(plan, why, state, wait, t, words));
  done.nextGrant = own.length > 0 ? undefined : next;
  done.units = why.units
    .filter((it) => ['full', 'memory', 'withheld', 'threads', 'down', 'draining'].includes(it.rule))
    .map((it) => it.unit);
  if (wait.kind !== 'units' && wait.kind !== 'next') done.units = [];
  return done;
}

function nextGrant(trace: Trace, state: State, job: number): number | null {
  for (let at = state.events; at < trace.ev.length; at++) {
    if (trace.ev[at] === GRANT && trace.who[at] === job) return trace.t[at]!;
  }
  return null;
}

function waitReasons(
  plan: Plan,
  why: Why,
  state: State,
  wait: JobWait,
  t: number,
  words: Words,
): string[] {
  const { line } = plan;
  if (wait.kind === 'units' || wait.kind === 'next') {
    return unitReasons(plan, why, state, wait, t, words);
  }
  return [waitText(line, wait, words)];
}

// A wait in one sentence.
export function waitText(line: Line, wait: JobWait, words: Words): string {
  const job = line.jobs[wait.job]!;
  const by = wait.by === null ? '' : line.jobs[wait.by]!.name;
  const stream = line.streams[wait.stream ?? -1];
  switch (wait.kind) {
    case 'upstream': {
      const edge = job.after.find((it) => it.upstream === wait.by);
      const upstream = line.jobs[wait.by!]!;
      if (edge?.mode === 'stream') return words.whyUpstreamStream(by, wait.done);
      return words.whyUpstreamBarrier(by, wait.by_done ?? 0, upstream.images);
    }
    case 'back-pressure': {
      const edge = line.jobs[wait.by!]!.after.find((it) => it.upstream === wait.job);
      return words.whyBackPressure(by, edge?.depth ?? 0);
    }
    case 'arrival':
      return words.whyArrival(showTime(job.arrive, 2, words.code));
    case 'feed':
      return words.whyFeed;
    case 'giving-back':
      return words.whyGivingBack;
    case 'stream':
      return words.whyStream(stream?.name ?? '', stream?.limit ?? 0);
    case 'stream-withheld':
      return words.whyStreamWithheld(stream?.name ?? '', by);
    case 'units': {
      const { wanted, candidates, own } = wait.shortage!;
      return words.whyCounts(wanted, candidates + own);
    }
    case 'next':
      return words.whyNext;
    case 'running':
      return words.whyRunning('');
    case 'ended':
      return words.whyEnded.done;
  }
}

function unitReasons(
  plan: Plan,
  why: Why,
  state: State,
  wait: JobWait,
  t: number,
  words: Words,
): string[] {
  const { line } = plan;
  const reasons: string[] = [];
  const seen = new Set<string>();
  for (const verdict of why.units) {
    if (verdict.rule !== 'full' && verdict.rule !== 'memory') continue;
    for (const holder of verdict.holders) {
      const text = holderText(plan, state, holder, verdict.unit, words);
      if (text && reasons.length < 3 && !seen.has(text)) reasons.push(text);
      seen.add(text);
    }
  }
  for (const verdict of why.units) {
    if (!['memory', 'withheld', 'down', 'draining'].includes(verdict.rule)) continue;
    const name = line.units[verdict.unit]!.name;
    if (reasons.length < 4) reasons.push(`${name}: ${verdictText(line, verdict, wait, words)}`);
  }
  const order = walkOrder(line, plan.trace, state, t);
  const ahead = order[order.indexOf(wait.job) - 1];
  if (ahead !== undefined && order.includes(wait.job)) {
    reasons.push(words.aheadOf(line.jobs[wait.job]!.name, line.jobs[ahead]!.name));
  }
  if (reasons.length === 0) reasons.push(waitText(line, wait, words));
  return reasons;
}

// Why a unit is taken: who has it, and when he hands it back by the rules.
function holderText(plan: Plan, state: State, job: number, unit: number, words: Words): string {
  const holder = plan.line.jobs[job]!;
  const name = plan.line.units[unit]!.name;
  const lease = [...state.leases.values()].find((it) => {
    const [from, to] = heldRange(plan.trace, it.lease);
    return it.job === job && plan.trace.held.subarray(from, to).includes(unit);
  });
  if (lease && lease.count === 0) return words.holdsWaiting(holder.name, name);
  if (holder.phase === 'train') return words.holdsTrain(holder.name, name);
  if (holder.kind === 'standard') return words.holdsStandard(holder.name, name);
  const images = lease ? imagesText(lease.first, lease.count) : '';
  return words.holdsLegacy(holder.name, name, images);
}

export function verdictText(line: Line, verdict: Verdict, wait: JobWait, words: Words): string {
  const memory = (bytes: number) => showMemory(bytes, words.code);
  switch (verdict.rule) {
    case 'budget':
      return words.verdict.budget(memory(verdict.need), memory(line.units[verdict.unit]!.budget));
    case 'full':
      return words.verdict.full(listText(unique(verdict.holders, line), words));
    case 'memory':
      return words.verdict.memory(memory(verdict.need), memory(verdict.free));
    case 'withheld':
      return words.verdict.withheld(wait.by === null ? '…' : line.jobs[wait.by]!.name);
    default:
      return words.verdict[verdict.rule];
  }
}

// Why a grant was made: the rule of the queue and that of the placement.
export function grantText(line: Line, grant: GrantReason, words: Words): string[] {
  const rule = ORDER_RULES[grant.order]!;
  const next = grant.next === null ? '' : line.jobs[grant.next]!.name;
  const order = rule === 'only' ? words.order.only : words.order[rule](next);
  const unit = line.units[grant.unit]!.name;
  const nextUnit = grant.next_unit === null ? '' : line.units[grant.next_unit]!.name;
  const placement = words.placement[PLACEMENT_RULES[grant.placement]!];
  return [order, placement(unit, nextUnit)];
}

// One event of the trace in words.
export function eventText(line: Line, trace: Trace, at: number, words: Words): string {
  const who = trace.who[at]!;
  const a = trace.a[at]!;
  const b = trace.b[at]!;
  const job = () => line.jobs[who]!.name;
  const units = () => listText(unitsOf(line, trace, trace.lease[at]!), words);
  switch (trace.ev[at]) {
    case READY:
      return words.event.ready(job(), a);
    case EVICT:
      return words.event.evict(line.units[who]!.name, line.models[a]!.name);
    case GRANT:
      return words.event.grant(job(), units(), (b & 1) !== 0, (b & 2) !== 0);
    case START:
      return words.event.start(job(), imagesText(a, b));
    case DONE:
      return words.event.done(job(), imagesText(a, b));
    case FAIL:
      return words.event.fail(job(), imagesText(a, b));
    case REVOKE:
      return words.event.revoke(job(), words.cause[CAUSES[a]!]);
    case RELEASE:
      return words.event.release(job(), units());
    case END:
      return words.event.end(job(), words.endState[END_STATES[a]!]);
    default:
      return words.event.unit(line.units[who]!.name, words.unitStates[UNIT_STATES[a]!]);
  }
}
