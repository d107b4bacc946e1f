// What moves above the bars: the cursor, what is under the pointer, and who waits for whom.

import { showTime } from './axis.ts';
import { type Context, roundRect, type Scene, scaleOf } from './draw.ts';
import type { Row } from './layout.ts';

export interface Overlay {
  // Nanoseconds.
  cursor: number;
  hover: number | null;
  // The bar under the pointer or in focus: its row and times.
  focus: { row: Row; from: number; to: number } | null;
  // The job that waits at the cursor, and the units that it waits for.
  waits: { job: number; units: number[] } | null;
  lang: string;
}

export function drawOverlay(ctx: Context, scene: Scene, overlay: Overlay): void {
  const { layout, theme, width } = scene;
  ctx.clearRect(0, 0, width, layout.height);
  const scale = scaleOf(scene);
  if (overlay.focus) {
    const { row, from, to } = overlay.focus;
    const left = Math.max(scale.left, scale.x(from));
    const right = Math.min(scale.left + scale.width, scale.x(to));
    ctx.strokeStyle = theme.text;
    ctx.lineWidth = 2;
    ctx.strokeRect(left - 1, row.y + 3, Math.max(3, right - left + 1), row.height - 6);
  }
  if (overlay.hover !== null) {
    ctx.fillStyle = theme.line;
    ctx.fillRect(Math.round(scale.x(overlay.hover)), layout.axis, 1, layout.height);
  }
  const x = scale.x(overlay.cursor);
  if (x < scale.left - 1 || x > scale.left + scale.width + 1) return;
  ctx.fillStyle = theme.accent;
  ctx.fillRect(Math.round(x) - 1, layout.axis - 4, 2, layout.height - layout.axis);
  drawWaits(ctx, scene, overlay, x);
  drawFlag(ctx, scene, showTime(overlay.cursor, 2, overlay.lang), x);
}

function drawFlag(ctx: Context, scene: Scene, text: string, x: number): void {
  const { layout, theme, width } = scene;
  ctx.font = `600 ${layout.axisFont}px ${scene.fontFamily}`;
  const room = ctx.measureText(text).width + 14;
  const left = Math.min(Math.max(x - room / 2, layout.gutter - room / 2), width - room - 2);
  ctx.fillStyle = theme.accent;
  roundRect(ctx, left, 3, room, layout.axis - 8, 5);
  ctx.fillStyle = theme.ground;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.fillText(text, left + room / 2, layout.axis / 2 - 0.5);
}

// From the lane of who waits to the lanes of what it waits for, along the cursor.
function drawWaits(ctx: Context, scene: Scene, overlay: Overlay, x: number): void {
  const { waits } = overlay;
  if (!waits) return;
  const { rows } = scene.layout;
  const from = rows.find((row) => row.kind === 'job' && row.who === waits.job);
  if (!from) return;
  const middle = (row: Row) => row.y + row.height / 2;
  const to = rows.filter((row) => row.kind === 'unit' && waits.units.includes(row.who));
  ctx.lineWidth = 2;
  ctx.strokeStyle = scene.theme.accent;
  for (const row of to) {
    ctx.fillStyle = scene.theme.accent;
    ctx.beginPath();
    ctx.arc(x, middle(row), 5.5, 0, 2 * Math.PI);
    ctx.fill();
    ctx.fillStyle = scene.theme.ground;
    ctx.beginPath();
    ctx.arc(x, middle(row), 2.2, 0, 2 * Math.PI);
    ctx.fill();
  }
  ctx.fillStyle = scene.theme.ground;
  ctx.beginPath();
  ctx.arc(x, middle(from), 5.5, 0, 2 * Math.PI);
  ctx.fill();
  ctx.stroke();
}
