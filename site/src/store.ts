// What the page is about: one line, or two side by side; a moment; a tool that is asked about.

import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type Chart, makeChart } from './bars.ts';
import { addChange, type Change } from './edit.ts';
import { Cancelled, type Engine } from './engine.ts';
import type { Outage } from './gantt/draw.ts';
import type { View } from './gantt/view.ts';
import { LESSONS, type Lesson, lessonOf } from './lessons.ts';
import { type Metrics, metricsOf } from './metrics.ts';
import { eventsUntil, makespan, type Plan, type Trace, UNIT, type Why } from './model.ts';
import { type State, States } from './state.ts';
import { History } from './undo.ts';

export type SideName = 'A' | 'B';

export class Side {
  readonly text: Signal<string>;
  // The last plan of a text, refused or not; and the last that was not.
  readonly latest = signal<Plan | null>(null);
  readonly plan = signal<Plan | null>(null);
  readonly hash = signal('');
  readonly isPlanning = signal(false);
  readonly history = new History();
  readonly chart: ReadonlySignal<Chart | null>;
  readonly states: ReadonlySignal<States | null>;
  readonly outages: ReadonlySignal<Outage[]>;
  readonly metrics: ReadonlySignal<Metrics | null>;
  private wanted = '';
  private changing: Promise<void> = Promise.resolve();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly name: SideName,
    text: string,
    private readonly engine: () => Engine,
  ) {
    this.text = signal(text);
    const { plan } = this;
    this.chart = computed(() => plan.value && makeChart(plan.value.line, plan.value.trace));
    this.states = computed(() => plan.value && new States(plan.value.line, plan.value.trace));
    this.outages = computed(() => (plan.value ? outagesOf(plan.value.trace) : []));
    this.metrics = computed(() => {
      return plan.value && metricsOf(plan.value.line, plan.value.trace, this.chart.value!);
    });
  }

  // Takes another text. What is typed is planned when the typing pauses.
  set(text: string, how: 'typed' | 'changed' | 'loaded'): void {
    if (text === this.text.value && this.latest.value) return;
    if (how === 'loaded') this.history.clear();
    else this.history.push(this.text.value, how === 'typed');
    this.text.value = text;
    this.replan(how === 'typed' ? 90 : 0);
  }

  undo(): void {
    this.restore(this.history.undo(this.text.value));
  }

  redo(): void {
    this.restore(this.history.redo(this.text.value));
  }

  // Makes changes to the text, one after the other: each has places of its own.
  change(...changes: Change[]): Promise<void> {
    this.changing = this.changing.then(async () => {
      let text = this.text.value;
      for (const change of changes) {
        text = addChange(text, await this.engine().outline(text), change);
      }
      this.set(text, 'changed');
    }, ignore);
    return this.changing;
  }

  // Plans the text as it is; whoever comes too late is dropped.
  async replan(delay: number): Promise<void> {
    clearTimeout(this.timer);
    if (delay > 0) {
      this.timer = setTimeout(() => this.replan(0), delay);
      return;
    }
    this.wanted = this.text.value;
    if (this.isPlanning.value) return;
    this.isPlanning.value = true;
    try {
      while (this.latest.value?.text !== this.wanted) {
        const text = this.wanted;
        const plan = await this.engine().plan(text);
        if (text === this.wanted) this.take(plan);
      }
    } catch (error) {
      if (error instanceof Cancelled) message.value = 'cancelled';
      else throw error;
    } finally {
      this.isPlanning.value = false;
    }
  }

  private take(plan: Plan): void {
    batch(() => {
      this.latest.value = plan;
      if (!plan.refused) {
        this.plan.value = plan;
        this.hash.value = '';
      }
    });
    if (!plan.refused) {
      this.engine()
        .hash(plan)
        .then((hash) => {
          if (this.plan.value === plan) this.hash.value = hash;
        }, ignore);
    }
  }

  private restore(text: string | undefined): void {
    if (text === undefined) return;
    this.text.value = text;
    this.replan(0);
  }
}

// Whoever asked is gone by now.
export function ignore(): void {}

function outagesOf(trace: Trace): Outage[] {
  const outages: Outage[] = [];
  const open = new Map<number, Outage>();
  for (let at = 0; at < trace.ev.length; at++) {
    if (trace.ev[at] !== UNIT) continue;
    const unit = trace.who[at]!;
    const before = open.get(unit);
    if (before) before.to = trace.t[at]!;
    open.delete(unit);
    if (trace.a[at] === 0) continue;
    const from = trace.t[at]!;
    const outage = { unit, from, to: Number.POSITIVE_INFINITY, down: trace.a[at] === 2 };
    open.set(unit, outage);
    outages.push(outage);
  }
  return outages;
}

let engine: Engine | undefined;

export function setEngine(made: Engine): void {
  engine = made;
}

export function theEngine(): Engine {
  if (!engine) throw new Error('the engine is made before the page is shown');
  return engine;
}

export const first: Lesson = LESSONS[0]!;
export const sideA = new Side('A', first.text, theEngine);
export const sideB = signal<Side | null>(null);
export const activeName = signal<SideName>('A');
export const active = computed(() => (activeName.value === 'B' && sideB.value) || sideA);
export const cursor = signal(0);
export const view = signal<View | null>(null);
export const selected = signal<number | null>(null);
export const tab = signal<'form' | 'text'>('form');
export const isPlaying = signal(false);
export const speed = signal(1);
export const why = signal<Why | null>(null);
// The plan, the number of events and the tool that `why` is about.
export const whyOf = signal<{ plan: Plan; events: number; job: number | null } | null>(null);
export type Message =
  | ''
  | 'cancelled'
  | 'linkUnknown'
  | 'linkCorrupt'
  | 'linkTooLarge'
  | 'fileTooLarge'
  | 'engineFailed';
export const message = signal<Message>('');
export const dialog = signal<'' | 'share' | 'keys'>('');
// Where the lanes begin, in pixels.
export const gutter = signal(148);
// What a screen reader is told when somebody steps.
export const spoken = signal('');

export const lesson = computed(() => lessonOf(sideA.text.value, sideB.value?.text.value));

// The end of the longer of the two plans.
export const end = computed(() => {
  const ends = [sideA, sideB.value].map((side) => side?.chart.value?.end ?? 0);
  return Math.max(...ends, 0);
});

export const state = computed<State | null>(() => {
  return active.value.states.value?.at(cursor.value) ?? null;
});

// The events that have happened at the cursor.
export const eventsNow = computed(() => {
  const { plan } = active.value;
  return plan.value ? eventsUntil(plan.value.trace.t, cursor.value) : 0;
});

export function seek(t: number): void {
  cursor.value = Math.min(Math.max(0, t), end.value);
}

// The instants at which something happens, one side's or both's.
function instants(): Float64Array[] {
  return [sideA, sideB.value].flatMap((side) =>
    side?.plan.value ? [side.plan.value.trace.t] : [],
  );
}

export function stepForward(): void {
  const later = instants().map((t) => t[eventsUntil(t, cursor.value)] ?? Number.POSITIVE_INFINITY);
  const next = Math.min(...later);
  seek(Number.isFinite(next) ? next : end.value);
}

export function stepBack(): void {
  const earlier = instants().map((t) => {
    // The last instant before the cursor.
    let at = eventsUntil(t, cursor.value) - 1;
    while (at >= 0 && t[at]! >= cursor.value) at -= 1;
    return at >= 0 ? t[at]! : 0;
  });
  seek(Math.max(...earlier, 0));
}

// A comparison: side B is a copy of A, or another text.
export function compare(text: string = sideA.text.value): void {
  batch(() => {
    const side = new Side('B', text, theEngine);
    sideB.value = side;
    activeName.value = 'B';
    side.replan(0);
  });
}

export function closeCompare(keep: SideName): void {
  const text = keep === 'B' ? sideB.value?.text.value : undefined;
  batch(() => {
    sideB.value = null;
    activeName.value = 'A';
  });
  if (text !== undefined) sideA.set(text, 'changed');
}

// Shows a lesson at the moment that it is about.
export function load(it: Lesson): void {
  batch(() => {
    isPlaying.value = false;
    view.value = null;
    message.value = '';
    pending = { at: it.at * 1e6, job: it.job };
    sideB.value = null;
    activeName.value = 'A';
    sideA.set(it.text, 'loaded');
    if (it.versus !== undefined) {
      compare(it.versus);
      activeName.value = 'A';
    }
  });
}

export function loadText(text: string, versus: string | undefined, at = 0, job?: string): void {
  batch(() => {
    isPlaying.value = false;
    view.value = null;
    pending = { at, job };
    sideB.value = null;
    activeName.value = 'A';
    sideA.set(text, 'loaded');
    if (versus !== undefined) {
      compare(versus);
      activeName.value = 'A';
    }
  });
}

// What is looked at once the plan is there.
let pending: { at: number; job: string | undefined } | null = {
  at: first.at * 1e6,
  job: first.job,
};

effect(() => {
  const plan = active.value.plan.value;
  const latest = active.value.latest.value;
  if (!plan || plan !== latest || plan.text !== active.value.text.peek()) return;
  batch(() => {
    const { jobs } = plan.line;
    if (pending) {
      const { at, job } = pending;
      pending = null;
      cursor.value = Math.min(at, makespan(plan.trace));
      const found = jobs.findIndex((it) => it.name === job);
      selected.value = found >= 0 ? found : null;
    } else if ((selected.peek() ?? 0) >= jobs.length) {
      selected.value = null;
    }
    if (cursor.peek() > end.peek()) cursor.value = end.peek();
  });
});

// Asks why, a moment after whatever it depends on has come to rest.
let asking: ReturnType<typeof setTimeout> | undefined;
effect(() => {
  const plan = active.value.plan.value;
  const events = eventsNow.value;
  const job = selected.value;
  const delay = isPlaying.value ? 200 : 20;
  if (!plan) return;
  if (isPlaying.peek() && asking) return;
  clearTimeout(asking);
  asking = setTimeout(() => {
    asking = undefined;
    const now = Math.max(cursor.peek(), 0);
    theEngine()
      .why(plan, isPlaying.peek() ? eventsNow.peek() : events, now, job)
      .then((found) => {
        if (active.peek().plan.peek() !== plan) return;
        batch(() => {
          why.value = found;
          whyOf.value = { plan, events, job };
        });
      }, ignore);
  }, delay);
});
