// Two sides in figures, and their difference.

import { showTime } from '../gantt/axis.ts';
import { lang, words } from '../lang/lang.ts';
import type { Metrics } from '../metrics.ts';
import { activeName, closeCompare, type SideName, sideA, sideB } from '../store.ts';
import { IconButton } from './icons.tsx';

interface Row {
  name: string;
  a: number;
  b: number;
  show: (value: number) => string;
  // Less is better, or more, or neither.
  better: -1 | 0 | 1;
}

export function CompareBar() {
  const w = words.value;
  if (!sideB.value) return null;
  return (
    <div class="compare-bar">
      <fieldset class="sides">
        <legend>{w.edits}</legend>
        {(['A', 'B'] as SideName[]).map((name) => (
          <label key={name} class="side-choice">
            <input
              type="radio"
              name="side"
              checked={activeName.value === name}
              onChange={() => {
                activeName.value = name;
              }}
            />
            <span>{w.side(name)}</span>
          </label>
        ))}
      </fieldset>
      <button type="button" class="button small" onClick={() => closeCompare('B')}>
        {w.keepB}
      </button>
      <IconButton icon="close" label={w.closeCompare} onClick={() => closeCompare('A')} />
    </div>
  );
}

export function CompareTable() {
  const w = words.value;
  const a = sideA.metrics.value;
  const b = sideB.value?.metrics.value;
  if (!a || !b) return null;
  return (
    <section class="card metrics" aria-labelledby="metrics-title">
      <h2 id="metrics-title">{w.metrics}</h2>
      <table data-table="metrics">
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden">{w.metrics}</span>
            </th>
            <th scope="col">{w.sideA}</th>
            <th scope="col">{w.sideB}</th>
            <th scope="col">{w.difference}</th>
          </tr>
        </thead>
        <tbody>
          {rowsOf(a, b).map((row) => (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
              <td class="number">{row.show(row.a)}</td>
              <td class="number">{row.show(row.b)}</td>
              <td class={`number ${judge(row)}`}>{difference(row)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function judge({ a, b, better }: Row): string {
  if (a === b || better === 0) return '';
  return Math.sign(b - a) === better ? 'better' : 'worse';
}

function difference({ a, b }: Row): string {
  if (a === b) return '=';
  const format = new Intl.NumberFormat(lang.value, {
    style: 'percent',
    maximumFractionDigits: 0,
    signDisplay: 'always',
  });
  if (a === 0) return '';
  const ratio = Math.max(a, b) / Math.max(Math.min(a, b), 1e-12);
  const times = new Intl.NumberFormat(lang.value, { maximumFractionDigits: 1 }).format(ratio);
  if (ratio >= 2 && ratio < 1000) return b > a ? `× ${times}` : `÷ ${times}`;
  return format.format(b / a - 1);
}

function rowsOf(a: Metrics, b: Metrics): Row[] {
  const w = words.value;
  const time = (ns: number) => showTime(ns, 1, lang.value);
  const whole = (n: number) => new Intl.NumberFormat(lang.value).format(n);
  const share = (part: number) => {
    const format = { style: 'percent', maximumFractionDigits: 1 } as const;
    return new Intl.NumberFormat(lang.value, format).format(part);
  };
  const of = (
    name: string,
    pick: (of: Metrics) => number,
    show: Row['show'],
    better: Row['better'],
  ) => {
    return { name, a: pick(a), b: pick(b), show, better };
  };
  const units = sideA.plan.value!.line.units;
  const bad = (it: Metrics) => it.states.failed + it.states.cancelled + it.states.skipped;
  const rows = [
    of(w.metric.makespan, (it) => it.makespan, time, -1),
    of(w.metric.waitMean, (it) => it.waitMean, time, -1),
    of(w.metric.waitP95, (it) => it.waitP95, time, -1),
    of(w.metric.waitMax, (it) => it.waitMax, time, -1),
    of(w.metric.concurrency, (it) => it.concurrency, whole, 0),
    of(w.metric.done, (it) => it.states.done, whole, 1),
  ];
  if (bad(a) + bad(b) > 0) rows.push(of(w.metric.bad, bad, whole, -1));
  if (a.states.stuck + b.states.stuck > 0) {
    rows.push(of(w.metric.stuck, (it) => it.states.stuck, whole, -1));
  }
  units.slice(0, 4).forEach((unit, at) => {
    const other = sideB.value?.plan.value?.line.units[at];
    if (other?.name !== unit.name) return;
    rows.push(of(w.metric.utilisation(unit.name), (it) => it.utilisation[at] ?? 0, share, 1));
  });
  return rows;
}
