// Durations and memory as a line file writes them, and as people read them.

const DURATIONS: [number, string][] = [
  [3_600e9, 'h'],
  [60e9, 'm'],
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'us'],
  [1, 'ns'],
];

// As it is written: the largest unit in which it is a whole number.
export function timeText(ns: number): string {
  const whole = Math.max(0, Math.round(ns));
  if (whole === 0) return '0ms';
  const [size, name] = DURATIONS.find(([size]) => whole % size === 0)!;
  return `${whole / size}${name}`;
}

const MEMORIES: [number, string][] = [
  [2 ** 40, 'TiB'],
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
];

// As it is written: whole MiB, rounded down, so that it fits where the bytes would.
export function memoryText(bytes: number): string {
  const mebi = Math.floor(bytes / 2 ** 20);
  if (mebi < 1) return `${Math.floor(bytes)}B`;
  return mebi % 1024 === 0 ? `${mebi / 1024}GiB` : `${mebi}MiB`;
}

// As it is read: `3.5 GiB`.
export function showMemory(bytes: number, lang: string): string {
  const [size, name] = MEMORIES.find(([size]) => bytes >= size) ?? [1, 'B'];
  const format = new Intl.NumberFormat(lang, { maximumFractionDigits: 1 });
  return `${format.format(bytes / size)}\u00a0${name}`;
}
