// The memory slices of cut cards: where each MIG slice sits, who has it, and what is left over.

import { words } from '../lang/lang.ts';
import { GPUS } from '../mig.ts';
import type { Plan } from '../model.ts';
import { leasesAt, type State } from '../state.ts';

interface Card {
  device: string;
  gpu: string;
  units: number[];
}

function cardsOf(plan: Plan): Card[] {
  const cards = new Map<string, Card>();
  plan.line.units.forEach((unit, at) => {
    if (!unit.profile || !unit.gpu) return;
    const device = unit.name.replace(/\/\d+$/, '');
    const card = cards.get(device) ?? { device, gpu: unit.gpu, units: [] };
    card.units.push(at);
    cards.set(device, card);
  });
  return [...cards.values()];
}

// Where slices sit: each at the first of its starts that leaves room for the rest.
export function place(sizes: number[], starts: number[][], width: number): number[] | null {
  const taken = new Array<boolean>(width).fill(false);
  const order = sizes.map((_, at) => at).sort((one, other) => sizes[other]! - sizes[one]!);
  const chosen: number[] = [];
  const next = new Array<number>(order.length).fill(0);
  let depth = 0;
  const mark = (at: number, start: number, value: boolean) => {
    for (let slot = start; slot < start + sizes[at]!; slot++) taken[slot] = value;
  };
  while (depth >= 0 && depth < order.length) {
    const at = order[depth]!;
    if (chosen[at] !== undefined) {
      mark(at, chosen[at]!, false);
      delete chosen[at];
    }
    const from = next[depth]!;
    const found = starts[at]!.findIndex((start, index) => {
      if (index < from || start + sizes[at]! > width) return false;
      return !taken.slice(start, start + sizes[at]!).some((it) => it);
    });
    if (found < 0) {
      next[depth] = 0;
      depth -= 1;
      continue;
    }
    chosen[at] = starts[at]![found]!;
    mark(at, chosen[at]!, true);
    next[depth] = found + 1;
    depth += 1;
  }
  return depth < 0 ? null : chosen;
}

export function Slices({ plan, now }: { plan: Plan; now: State }) {
  const w = words.value;
  const cards = cardsOf(plan);
  if (cards.length === 0) return null;
  return (
    <div class="slices">
      <h3>{w.slices}</h3>
      {cards.map((card) => (
        <CardMap key={card.device} plan={plan} now={now} card={card} />
      ))}
    </div>
  );
}

function CardMap({ plan, now, card }: { plan: Plan; now: State; card: Card }) {
  const gpu = GPUS[card.gpu];
  if (!gpu) return null;
  const profiles = card.units.map((unit) => gpu.profiles[plan.line.units[unit]!.profile!]!);
  const sizes = profiles.map((profile) => profile.size);
  const starts = place(
    sizes,
    profiles.map((profile) => profile.starts),
    gpu.slices,
  );
  if (!starts) return null;
  const free = Array.from({ length: gpu.slices }, (_, slot) => {
    return !starts.some((start, at) => slot >= start && slot < start + sizes[at]!);
  });
  return (
    <figure>
      <div class="card-map" style={{ gridTemplateColumns: `repeat(${gpu.slices}, 1fr)` }}>
        {card.units.map((unit, at) => (
          <Slice
            key={unit}
            plan={plan}
            now={now}
            unit={unit}
            column={`${starts[at]! + 1} / span ${sizes[at]}`}
          />
        ))}
        {free.map((isFree, slot) =>
          isFree ? (
            <div key={`free-${slot}`} class="slice slice-uncut" style={{ gridColumn: slot + 1 }} />
          ) : null,
        )}
      </div>
      <figcaption class="dim small-text">
        {card.device} · {card.gpu} · {words.value.slicesFree(count(free), longest(free))}
      </figcaption>
    </figure>
  );
}

interface SliceProps {
  plan: Plan;
  now: State;
  unit: number;
  column: string;
}

function Slice({ plan, now, unit, column }: SliceProps) {
  const spec = plan.line.units[unit]!;
  const [lease] = leasesAt(plan.trace, now, unit);
  const colour = lease ? `bar-${lease.job % 12} slice-taken` : '';
  return (
    <div class={`slice ${colour}`} style={{ gridColumn: column }}>
      <b>{spec.profile}</b>
      <span>{lease ? plan.line.jobs[lease.job]!.name : words.value.free}</span>
    </div>
  );
}

function count(free: boolean[]): number {
  return free.filter((it) => it).length;
}

function longest(free: boolean[]): number {
  let most = 0;
  let run = 0;
  for (const it of free) {
    run = it ? run + 1 : 0;
    most = Math.max(most, run);
  }
  return most;
}
