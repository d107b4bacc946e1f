// The smallest changes with which a tool would start by now. Each is tried on the engine before it
// is shown.

import type { Change } from './edit.ts';
import type { Engine } from './engine.ts';
import type { Words } from './lang/en.ts';
import type { JobWait, Plan, Why } from './model.ts';
import { memoryText, timeText } from './quantity.ts';
import type { State } from './state.ts';
import { leasesAt } from './state.ts';

export interface Fix {
  label: string;
  changes: Change[];
}

export interface Question {
  plan: Plan;
  why: Why;
  state: State;
  job: number;
  // Nanoseconds.
  t: number;
}

// Those that help, in the order in which they are tried; of one kind only the smallest.
export async function findFixes(engine: Engine, question: Question, words: Words): Promise<Fix[]> {
  const { plan, job, t } = question;
  const { name } = plan.line.jobs[job]!;
  const before = await engine.grants(plan.text, [], name, t);
  const found: Fix[] = [];
  for (const kind of candidates(question, words)) {
    for (const fix of kind) {
      const after = await engine.grants(plan.text, fix.changes, name, t);
      if (after > before) {
        found.push(fix);
        break;
      }
    }
  }
  return found;
}

// Possible fixes by kind, the smallest of each kind first.
export function candidates(question: Question, words: Words): Fix[][] {
  const wait = question.why.waits.find((it) => it.job === question.job);
  if (!wait) return [];
  switch (wait.kind) {
    case 'units':
    case 'next':
      return [...ofOrder(question, words), ...ofUnits(question, words, wait)];
    case 'stream':
    case 'stream-withheld':
      return [ofStream(question, words, wait), ...ofOrder(question, words)];
    case 'upstream':
      return ofUpstream(question, words, wait);
    case 'back-pressure':
      return ofDepth(question, words, wait);
    case 'running':
      return [ofInflight(question, words)];
    default:
      return [];
  }
}

function set(plan: Plan, job: number, key: string, value: number | string): Change {
  return { kind: 'set', table: 'job', index: plan.line.jobs[job]!.declared, key, value };
}

// Changes of who comes first.
function ofOrder({ plan, job, state, t }: Question, words: Words): Fix[][] {
  const { jobs, policy } = plan.line;
  const spec = jobs[job]!;
  const higher = [...new Set(jobs.map((it) => it.priority))]
    .map((priority) => priority + 1)
    .filter((priority) => priority > spec.priority && priority <= 127)
    .sort((one, other) => one - other);
  const priorities = higher.slice(0, 6).map((value) => {
    const changes = [set(plan, job, 'priority', value)];
    return { label: words.fix.priority(spec.name, value), changes };
  });
  const kinds: Fix[][] = [];
  if (spec.kind === 'legacy') {
    const changes = [set(plan, job, 'kind', 'standard')];
    kinds.push([{ label: words.fix.standard(spec.name), changes }]);
  }
  const waited = Math.floor((t - Math.max(0, state.since[job]!)) / 2);
  if (policy.patience === null && waited > 0) {
    const value = timeText(waited);
    const change: Change = { kind: 'set', table: 'policy', index: 0, key: 'patience', value };
    kinds.push([{ label: words.fix.patience(value), changes: [change] }]);
  }
  return [priorities, ...kinds];
}

// Changes of what there is, and of who holds it.
function ofUnits(question: Question, words: Words, wait: JobWait): Fix[][] {
  const { plan, job, why } = question;
  const { line } = plan;
  const spec = line.jobs[job]!;
  const holders = new Set(why.units.filter((it) => it.rule === 'full').flatMap((it) => it.holders));
  const legacy = [...holders]
    .filter((holder) => holder !== job)
    .flatMap((holder) => {
      const other = line.jobs[holder]!;
      if (other.kind === 'legacy' || other.phase === 'train') return [];
      const changes = [set(plan, holder, 'kind', 'legacy')];
      return [{ label: words.fix.legacy(other.name), changes }];
    });
  const short = why.units.filter((it) => it.rule === 'memory');
  const most = Math.max(0, ...short.map((it) => it.free - (it.need - spec.memory)));
  const memory: Fix[] = [];
  if (most > 0) {
    const value = memoryText(most);
    const changes = [set(plan, job, 'memory', value)];
    memory.push({ label: words.fix.memory(spec.name, value), changes });
    const headroom: Change = { kind: 'set', table: 'policy', index: 0, key: 'headroom', value: 0 };
    memory.push({ label: words.fix.headroom, changes: [headroom] });
  }
  const fixes = [legacy, memory, ofSlots(question, words), ofDevices(question, words)];
  if (wait.shortage && wait.shortage.withheld > 0) {
    const value = Math.max(16, 2 * line.policy.overtake);
    const change: Change = { kind: 'set', table: 'policy', index: 0, key: 'overtake', value };
    fixes.push([{ label: words.fix.overtake(value), changes: [change] }]);
  }
  if (spec.needs !== 'any' && line.units.some((unit, at) => isFree(question, at, unit.slots))) {
    const changes = [set(plan, job, 'needs', 'any')];
    fixes.push([{ label: words.fix.placeAny(spec.name), changes }]);
  }
  return fixes;
}

function isFree({ plan, state }: Question, unit: number, slots: number): boolean {
  return leasesAt(plan.trace, state, unit).length < slots;
}

// The tables of devices, each with the first of its units.
function devices(plan: Plan): { index: number; name: string; unit: number; isCut: boolean }[] {
  const tables = plan.outline.filter((table) => table.name === 'device');
  return tables.flatMap((table) => {
    const name = String(table.entries.find((it) => it.key === 'name')?.value ?? '');
    const isCut = table.entries.some((it) => it.key === 'mig');
    const unit = plan.line.units.findIndex((it) => it.name === (isCut ? `${name}/0` : name));
    return unit < 0 ? [] : [{ index: table.index, name, unit, isCut }];
  });
}

function ofSlots({ plan, why }: Question, words: Words): Fix[] {
  const full = new Set(why.units.filter((it) => it.rule === 'full').map((it) => it.unit));
  return devices(plan)
    .filter((device) => full.has(device.unit))
    .map((device) => {
      const value = plan.line.units[device.unit]!.slots + 1;
      const at = { table: 'device', index: device.index, key: 'slots' };
      const changes: Change[] = [{ kind: 'set', ...at, value }];
      return { label: words.fix.slots(device.name, value), changes };
    });
}

function ofDevices({ plan, why }: Question, words: Words): Fix[] {
  const candidates = new Set(
    why.units
      .filter((it) => !['needs', 'profile', 'budget'].includes(it.rule))
      .map((it) => it.unit),
  );
  const device = devices(plan).find((it) => candidates.has(it.unit));
  if (!device) return [];
  const table = plan.outline.find((it) => it.name === 'device' && it.index === device.index)!;
  const names = new Set(devices(plan).map((it) => it.name));
  let name = `${device.name}-2`;
  while (names.has(name)) name += 'x';
  const entries = table.entries.map((it): [string, { toml: string }] => {
    const toml = it.key === 'name' ? JSON.stringify(name) : plan.text.slice(...it.at);
    return [it.key, { toml }];
  });
  return [
    { label: words.fix.device(device.name), changes: [{ kind: 'add', table: 'device', entries }] },
  ];
}

function ofStream({ plan }: Question, words: Words, wait: JobWait): Fix[] {
  const stream = plan.line.streams[wait.stream ?? -1];
  if (!stream || stream.limit === null) return [];
  const value = stream.limit + 1;
  const at = { table: 'stream', index: wait.stream!, key: 'limit' };
  return [{ label: words.fix.limit(stream.name, value), changes: [{ kind: 'set', ...at, value }] }];
}

// A barrier between two tools that could hand over image by image.
function ofUpstream({ plan, job }: Question, words: Words, wait: JobWait): Fix[][] {
  const { jobs } = plan.line;
  const spec = jobs[job]!;
  const edge = spec.after.find((it) => it.upstream === wait.by);
  if (!edge || edge.mode === 'stream' || edge.on === 'end') return [];
  const changes = [edge.upstream, job]
    .filter((it) => jobs[it]!.kind === 'standard' && jobs[it]!.phase === 'process')
    .map((it) => set(plan, it, 'kind', 'legacy'));
  return changes.length > 0 ? [[{ label: words.fix.stream(spec.name), changes }]] : [];
}

function ofDepth({ plan, job }: Question, words: Words, wait: JobWait): Fix[][] {
  const down = plan.line.jobs[wait.by ?? -1];
  const edge = down?.after.find((it) => it.upstream === job);
  if (!down || !edge) return [];
  const table = plan.outline.find((it) => it.name === 'job' && it.index === down.declared);
  const entry = table?.entries.find((it) => it.key === 'after');
  if (!entry) return [];
  const written = plan.text.slice(...entry.at);
  const value = edge.depth + 1;
  const toml = written.replace(/depth\s*=\s*\d+/, `depth = ${value}`);
  if (toml === written) return [];
  const at = { table: 'job', index: down.declared, key: 'after' };
  const changes: Change[] = [{ kind: 'set', ...at, value: { toml } }];
  return [[{ label: words.fix.depth(plan.line.jobs[job]!.name, value), changes }]];
}

function ofInflight({ plan, job }: Question, words: Words): Fix[] {
  const spec = plan.line.jobs[job]!;
  if (spec.grain !== 'image' || (spec.inflight + 1) * spec.batch > 64) return [];
  const value = spec.inflight + 1;
  return [
    { label: words.fix.inflight(spec.name, value), changes: [set(plan, job, 'inflight', value)] },
  ];
}
