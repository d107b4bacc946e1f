// Times on an axis.

const UNITS: [number, string][] = [
  [3_600e9, 'h'],
  [60e9, 'min'],
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
  [1, 'ns'],
];

// Nanoseconds as people read them: `12.5 ms`. No more than `digits` behind the point.
export function showTime(ns: number, digits = 2, lang = 'en'): string {
  if (ns === 0) return '0 ms';
  const [size, name] = UNITS.find(([size]) => Math.abs(ns) >= size) ?? [1, 'ns'];
  const format = new Intl.NumberFormat(lang, { maximumFractionDigits: digits });
  return `${format.format(ns / size)}\u00a0${name}`;
}

// Steps that people count in, for a span with so many ticks at most.
export function tickStep(span: number, most: number): number {
  const least = span / Math.max(1, most);
  const magnitude = 10 ** Math.floor(Math.log10(Math.max(least, 1e-9)));
  const step = [1, 2, 5, 10].map((it) => it * magnitude).find((it) => it >= least);
  return Math.max(1, step ?? least);
}

export interface Tick {
  t: number;
  label: string;
}

// Ticks within a view; all labels in one unit, so that they can be compared at a glance.
export function ticks(from: number, to: number, most: number): Tick[] {
  const step = tickStep(to - from, most);
  const largest = Math.max(Math.abs(from), Math.abs(to));
  const [size, name] =
    UNITS.find(([size]) => largest >= size && step >= size / 100) ?? UNITS[UNITS.length - 1]!;
  const digits = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  const list: Tick[] = [];
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
    list.push({ t, label: `${(t / size).toFixed(digits)} ${name}` });
  }
  return list;
}
