// The whole line in a strip: how busy it is, what part is shown, where the cursor is.

import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Chart } from '../bars.ts';
import { isWhole, pan, wholeView } from '../gantt/view.ts';
import { words } from '../lang/lang.ts';
import { cursor, end, gutter, sideA, view } from '../store.ts';
import { theme } from '../theme.ts';

const HEIGHT = 26;

// How many lanes are busy in each pixel, as a share.
function busy(chart: Chart, width: number, whole: number): Float32Array {
  const columns = new Float32Array(width);
  const { from, to } = chart.starts;
  const perPixel = whole / width;
  const stride = Math.max(1, Math.floor(from.length / 200_000));
  for (let at = 0; at < from.length; at += stride) {
    const first = Math.floor(from[at]! / perPixel);
    const last = Math.min(width - 1, Math.floor((to[at]! - 1) / perPixel));
    for (let x = first; x <= last; x++) columns[x]! += stride;
  }
  const most = Math.max(1, ...columns);
  return columns.map((it) => it / most);
}

function draw(canvas: HTMLCanvasElement, columns: Float32Array): void {
  const ctx = canvas.getContext('2d')!;
  const ratio = globalThis.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(HEIGHT * ratio);
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  const colours = theme.peek();
  ctx.fillStyle = colours.lane;
  ctx.fillRect(0, 0, width, HEIGHT);
  ctx.fillStyle = colours.line;
  columns.forEach((share, x) => {
    if (share > 0) ctx.fillRect(x, HEIGHT - 2 - share * (HEIGHT - 8), 1, share * (HEIGHT - 8));
  });
  const whole = wholeView(end.peek());
  const x = (t: number) => (t / whole.to) * width;
  const shown = view.peek();
  if (shown && !isWhole(shown, end.peek())) {
    ctx.globalAlpha = 0.18;
    ctx.fillStyle = colours.accent;
    ctx.fillRect(x(shown.from), 0, Math.max(3, x(shown.to) - x(shown.from)), HEIGHT);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = colours.accent;
    ctx.strokeRect(
      x(shown.from) + 0.5,
      0.5,
      Math.max(3, x(shown.to) - x(shown.from)) - 1,
      HEIGHT - 1,
    );
  }
  ctx.fillStyle = colours.accent;
  ctx.fillRect(x(cursor.peek()) - 1, 0, 2, HEIGHT);
}

export function Overview() {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    let columns: Float32Array = new Float32Array(0);
    let of: Chart | null = null;
    const stop = effect(() => {
      const chart = sideA.chart.value;
      view.value;
      cursor.value;
      theme.value;
      gutter.value;
      const element = canvas.current;
      if (!chart || !element || element.clientWidth === 0) return;
      if (of !== chart || columns.length !== element.clientWidth) {
        columns = busy(chart, element.clientWidth, wholeView(end.value).to);
        of = chart;
      }
      draw(element, columns);
    });
    return stop;
  }, []);
  const move = (event: PointerEvent) => {
    if (event.buttons === 0 && event.type === 'pointermove') return;
    const box = canvas.current!.getBoundingClientRect();
    const whole = wholeView(end.value);
    const t = ((event.clientX - box.left) / box.width) * whole.to;
    const now = view.value;
    if (!now || isWhole(now, end.value)) cursor.value = Math.min(end.value, Math.max(0, t));
    else view.value = pan(now, t - (now.from + now.to) / 2, end.value);
  };
  return (
    <canvas
      ref={canvas}
      class="overview"
      style={{ marginLeft: `${gutter.value}px`, width: `calc(100% - ${gutter.value + 10}px)` }}
      role="img"
      aria-label={words.value.overview}
      onPointerDown={move}
      onPointerMove={move}
    />
  );
}
