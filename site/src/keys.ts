// The keyboard. Letters go by their place on the keyboard, so that they lie together on every
// layout; single letters act only while the chart or the playback has the focus.

import { signal } from '@preact/signals';
import { firstAfter } from './bars.ts';
import { lane, lanesOf } from './focus.ts';
import { pan, wholeView, zoom } from './gantt/view.ts';
import { play, setSpeed, toggle } from './playback.ts';
import {
  active,
  compare,
  cursor,
  dialog,
  end,
  isPlaying,
  seek,
  selected,
  sideB,
  speed,
  stepBack,
  stepForward,
  view,
} from './store.ts';
import { charts } from './ui/chart.tsx';
import { saveLine } from './ui/share.tsx';
import { leap, step } from './ui/transport.tsx';

// Single letters can be switched off.
export const letters = signal(true);

const SPEEDS = [0.1, 0.5, 1, 4, 20];

function zoomBy(factor: number): void {
  view.value = zoom(view.value ?? wholeView(end.value), factor, cursor.value, end.value);
}

function panBy(share: number): void {
  const now = view.value ?? wholeView(end.value);
  view.value = pan(now, (now.to - now.from) * share, end.value);
}

function moveLane(by: number): void {
  const rows = charts.get(active.value.name)?.gantt.layout?.rows ?? [];
  if (rows.length === 0) return;
  const at = lane.value === null ? 0 : lane.value + by;
  lane.value = Math.min(rows.length - 1, Math.max(0, at));
  const row = rows[lane.value]!;
  if (row.kind === 'job') selected.value = row.who;
}

// The lease before or behind the cursor on this lane.
function moveLease(by: number): void {
  const row = charts.get(active.value.name)?.gantt.layout?.rows[lane.value ?? 0];
  const chart = active.value.chart.value;
  if (!row || !chart) return;
  const bars = row.kind === 'unit' ? chart.leases : chart.holds;
  let at = firstAfter(bars, row.lane, cursor.value);
  if (by > 0 && bars.from[at]! <= cursor.value) at += 1;
  if (by < 0) at -= 1;
  if (at < bars.laneStart[row.lane]! || at >= bars.laneStart[row.lane + 1]!) return;
  step(() => seek(bars.from[at]!));
  selected.value = bars.job[at]!;
}

function fitSelection(): void {
  const row = charts.get(active.value.name)?.gantt.layout?.rows[lane.value ?? -1];
  const chart = active.value.chart.value;
  if (!row || !chart) return;
  const { from, to } = lanesOf(chart, row, cursor.value);
  if (to > from) view.value = { from: from - (to - from) / 2, to: to + (to - from) / 2 };
}

function focusWhy(): void {
  document.getElementById('why')?.focus();
}

const ACTIONS: Record<string, () => void> = {
  Space: toggle,
  KeyK: toggle,
  ArrowLeft: () => step(stepBack),
  ArrowRight: () => step(stepForward),
  'Shift+ArrowLeft': () => leap(-1),
  'Shift+ArrowRight': () => leap(1),
  Home: () => step(() => seek(0)),
  End: () => step(() => seek(end.value)),
  ArrowUp: () => moveLane(-1),
  ArrowDown: () => moveLane(1),
  Comma: () => moveLease(-1),
  Period: () => moveLease(1),
  KeyW: () => zoomBy(1.5),
  KeyS: () => zoomBy(1 / 1.5),
  KeyA: () => panBy(-0.15),
  KeyD: () => panBy(0.15),
  KeyF: fitSelection,
  Digit0: () => {
    view.value = null;
  },
  BracketLeft: () => setSpeed(speed.value / 1.5),
  BracketRight: () => setSpeed(speed.value * 1.5),
  Enter: focusWhy,
  KeyY: focusWhy,
  KeyB: () => {
    if (!sideB.value) compare();
  },
  Escape: () => {
    selected.value = null;
    lane.value = null;
    isPlaying.value = false;
  },
};
SPEEDS.forEach((value, at) => {
  ACTIONS[`Digit${at + 1}`] = () => {
    setSpeed(value);
    if (!isPlaying.value) play();
  };
});

const ALWAYS = new Set(['Space', 'Home', 'End', 'Enter', 'Escape']);

function onSurface(target: Element | null): boolean {
  return target?.closest('.chart, .transport') !== null && target !== null;
}

function inField(target: Element | null): boolean {
  return target?.matches('input:not([type=range]):not([type=radio]), textarea, select') ?? false;
}

// The keys that hold everywhere.
function global(event: KeyboardEvent): boolean {
  const control = event.ctrlKey || event.metaKey;
  if (control && event.code === 'KeyZ' && !inField(event.target as Element)) {
    if (event.shiftKey) active.value.redo();
    else active.value.undo();
    return true;
  }
  if (control && event.code === 'KeyS') {
    saveLine();
    return true;
  }
  if (event.key === '?' && !inField(event.target as Element)) {
    dialog.value = 'keys';
    return true;
  }
  return false;
}

export function onKey(event: KeyboardEvent): void {
  if (event.isComposing || event.defaultPrevented) return;
  if (dialog.value !== '') {
    // Also before the window has taken the focus.
    if (event.code === 'Escape') dialog.value = '';
    return;
  }
  if (global(event)) {
    event.preventDefault();
    return;
  }
  const target = event.target as Element | null;
  if (event.ctrlKey || event.metaKey || event.altKey || !onSurface(target)) return;
  const isButton = target?.matches('button') ?? false;
  if (isButton && (event.code === 'Space' || event.code === 'Enter')) return;
  if (target?.matches('input') && event.code !== 'Space') return;
  const name =
    event.shiftKey && event.code.startsWith('Arrow') ? `Shift+${event.code}` : event.code;
  const isLetter = !ALWAYS.has(event.code) && !event.code.startsWith('Arrow');
  const action = ACTIONS[name];
  if (!action || (isLetter && !letters.value)) return;
  event.preventDefault();
  action();
}
