// Draws the chart. It only calls a drawing context, so a test can write down the calls.

import {
  type Bars,
  type Chart,
  COLD,
  FAILED,
  FALLBACK,
  firstAfter,
  LEGACY,
  OPENS,
  REVOKED,
} from '../bars.ts';
import type { Line } from '../model.ts';
import { ticks } from './axis.ts';
import type { Layout, Row } from './layout.ts';
import { colourOf, type Theme } from './palette.ts';
import { Scale, type View } from './view.ts';

export type Context = CanvasRenderingContext2D;

export interface Scene {
  line: Line;
  chart: Chart;
  layout: Layout;
  view: View;
  theme: Theme;
  width: number;
  // The job in focus.
  selected: number | null;
  outages: Outage[];
  fontFamily: string;
}

// A time during which a unit takes no leases.
export interface Outage {
  unit: number;
  from: number;
  to: number;
  down: boolean;
}

// More bars than this are drawn as a raster.
export const BARS_MAX = 4_000;

export function scaleOf(scene: Scene): Scale {
  const { layout, width, view } = scene;
  return new Scale(view, layout.gutter, width - layout.gutter - 10);
}

export function drawGround(ctx: Context, scene: Scene): void {
  const { layout, theme, width, view } = scene;
  const scale = scaleOf(scene);
  ctx.fillStyle = theme.ground;
  ctx.fillRect(0, 0, width, layout.height);
  for (const row of layout.rows) {
    const isFocus = row.kind === 'job' && row.who === scene.selected;
    ctx.fillStyle = isFocus ? theme.focus : theme.lane;
    const inset = row.height > 16 ? 2 : 1;
    roundRect(ctx, scale.left, row.y + inset, scale.width, row.height - 2 * inset, 5);
  }
  const most = Math.max(2, Math.floor(scale.width / 72));
  ctx.font = `${layout.axisFont}px ${scene.fontFamily}`;
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'center';
  for (const tick of ticks(view.from, view.to, most)) {
    const x = Math.round(scale.x(tick.t)) + 0.5;
    ctx.fillStyle = theme.grid;
    ctx.fillRect(x - 0.5, layout.axis, 1, layout.height - layout.axis);
    ctx.fillStyle = theme.dim;
    ctx.fillText(tick.label, Math.max(x, scale.left + 10), layout.axis / 2);
  }
}

export function drawLabels(ctx: Context, scene: Scene): void {
  const { layout, theme, selected } = scene;
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  ctx.font = `600 ${Math.round(layout.axisFont * 0.9)}px ${scene.fontFamily}`;
  ctx.fillStyle = theme.dim;
  for (const caption of layout.captions) ctx.fillText(caption.text, 8, caption.y + 14);
  for (const row of layout.rows) {
    if (row.height < 9) continue;
    const middle = row.y + row.height / 2;
    ctx.font = `${row.who === selected && row.kind === 'job' ? '700' : '500'} ${layout.font}px ${
      scene.fontFamily
    }`;
    let left = 8;
    if (row.kind === 'job') {
      ctx.fillStyle = colourOf(theme, row.who);
      const size = Math.min(10, row.height - 3);
      const isLegacy = scene.line.jobs[row.who]!.kind === 'legacy';
      roundRect(ctx, left, middle - size / 2, size, size, isLegacy ? size / 2 : 2);
      left += 17;
    }
    const noteWidth = row.note ? ctx.measureText(row.note).width : 0;
    ctx.fillStyle = theme.text;
    const room = layout.gutter - left - noteWidth - 16;
    ctx.fillText(shorten(ctx, row.label, room), left, middle);
    if (row.note) {
      ctx.fillStyle = theme.dim;
      ctx.fillText(row.note, layout.gutter - noteWidth - 9, middle);
    }
  }
}

const widths = new Map<string, number>();

function widthOf(ctx: Context, text: string): number {
  const key = `${ctx.font}|${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    width = ctx.measureText(text).width;
    if (widths.size > 20_000) widths.clear();
    widths.set(key, width);
  }
  return width;
}

function shorten(ctx: Context, text: string, room: number): string {
  if (widthOf(ctx, text) <= room) return text;
  const characters = [...text];
  while (characters.length > 1 && widthOf(ctx, `${characters.join('')}…`) > room) characters.pop();
  return `${characters.join('')}…`;
}

export function roundRect(
  ctx: Context,
  x: number,
  y: number,
  width: number,
  height: number,
  radius: number,
): void {
  const r = Math.min(radius, width / 2, height / 2);
  if (r < 1) {
    ctx.fillRect(x, y, width, height);
    return;
  }
  ctx.beginPath();
  ctx.roundRect(x, y, width, height, r);
  ctx.fill();
}

// How many bars of all these lanes are visible.
export function countVisible(bars: Bars, view: View): number {
  let count = 0;
  for (let lane = 0; lane + 1 < bars.laneStart.length; lane++) {
    const from = firstAfter(bars, lane, view.from);
    const to = Math.min(firstAfter(bars, lane, view.to) + 1, bars.laneStart[lane + 1]!);
    count += Math.max(0, to - from);
  }
  return count;
}

export function drawOutages(ctx: Context, scene: Scene): void {
  const scale = scaleOf(scene);
  for (const outage of scene.outages) {
    for (const row of scene.layout.rows) {
      if (row.kind !== 'unit' || row.who !== outage.unit) continue;
      const from = Math.max(scale.left, scale.x(outage.from));
      const to = Math.min(scale.left + scale.width, scale.x(outage.to));
      if (to <= from) continue;
      const { theme } = scene;
      hatch(ctx, from, row.y + 2, to - from, row.height - 4, outage.down ? theme.bad : theme.wait);
    }
  }
}

// Slanted lines within a rectangle: waiting, loading, lost.
export function hatch(
  ctx: Context,
  x: number,
  y: number,
  width: number,
  height: number,
  colour: string,
  gap = 6,
): void {
  if (width < 1) return;
  ctx.save();
  ctx.beginPath();
  ctx.rect(x, y, width, height);
  ctx.clip();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  const first = Math.floor((x - height) / gap) * gap;
  for (let at = first; at < x + width; at += gap) {
    ctx.moveTo(at, y + height);
    ctx.lineTo(at + height, y);
  }
  ctx.stroke();
  ctx.restore();
}

export function drawUnitRow(ctx: Context, scene: Scene, row: Row): void {
  const scale = scaleOf(scene);
  const inset = row.height > 20 ? 5 : row.height > 10 ? 2 : 1;
  const y = row.y + inset;
  const height = row.height - 2 * inset;
  eachBar(scene.chart.leases, row.lane, scene.view, (at, bars) => {
    const [x, width] = span(scale, bars.from[at]!, bars.to[at]!);
    ctx.globalAlpha = 0.24;
    ctx.fillStyle = colourOf(scene.theme, bars.job[at]!);
    roundRect(ctx, x, y - 2, width, height + 4, 6);
  });
  eachBar(scene.chart.starts, row.lane, scene.view, (at, bars) => {
    drawStart(ctx, scene, scale, bars, at, y, height);
  });
  ctx.globalAlpha = 1;
}

function span(scale: Scale, from: number, to: number): [number, number] {
  const x = scale.x(from);
  const gap = to > from ? 1 : 0;
  return [x, Math.max(1.5, scale.x(to) - x - gap)];
}

function drawStart(
  ctx: Context,
  scene: Scene,
  scale: Scale,
  bars: Bars,
  at: number,
  y: number,
  height: number,
): void {
  const { theme } = scene;
  const job = bars.job[at]!;
  const flags = bars.flags[at]!;
  const [x, width] = span(scale, bars.from[at]!, bars.to[at]!);
  ctx.globalAlpha = 1;
  ctx.fillStyle = colourOf(theme, job);
  roundRect(ctx, x, y, width, height, flags & LEGACY ? height / 2.6 : 2.5);
  const lead = leadOf(scene, job, flags);
  let loaded = 0;
  if (lead > 0 && height > 8) {
    const until = Math.min(bars.to[at]!, bars.from[at]! + lead);
    const loading = scale.x(until) - x;
    loaded = Math.min(loading, width);
    hatch(ctx, x + 1, y + 1, loaded - 2, height - 2, theme.ground, 7);
  }
  if (flags & (FAILED | REVOKED)) drawBadEnd(ctx, theme, x, y, width, height);
  if (flags & FALLBACK && height > 10) {
    ctx.fillStyle = theme.onBar;
    ctx.fillRect(x + 2, y + height - 4, width - 4, 2);
  }
  if (height >= 13) drawText(ctx, scene, bars, at, x + loaded, y, width - loaded, height);
}

// How long a start loads before its first image.
function leadOf(scene: Scene, job: number, flags: number): number {
  if (!(flags & OPENS)) return 0;
  const spec = scene.line.jobs[job]!;
  const cold = flags & COLD && spec.model !== null ? scene.line.models[spec.model]!.cold : 0;
  return spec.startup + cold;
}

function drawBadEnd(
  ctx: Context,
  theme: Theme,
  x: number,
  y: number,
  width: number,
  height: number,
): void {
  const end = x + width;
  ctx.fillStyle = theme.bad;
  ctx.fillRect(Math.max(x, end - 3.5), y - 2, Math.min(width, 3.5), height + 4);
  if (width < 22 || height < 14) return;
  const [left, middle] = [end - 11, y + height / 2];
  ctx.fillStyle = theme.ground;
  ctx.beginPath();
  ctx.arc(left, middle, 6.5, 0, 2 * Math.PI);
  ctx.fill();
  ctx.strokeStyle = theme.bad;
  ctx.lineWidth = 2;
  ctx.beginPath();
  ctx.moveTo(left - 3, middle - 3);
  ctx.lineTo(left + 3, middle + 3);
  ctx.moveTo(left + 3, middle - 3);
  ctx.lineTo(left - 3, middle + 3);
  ctx.stroke();
}

function drawText(
  ctx: Context,
  scene: Scene,
  bars: Bars,
  at: number,
  x: number,
  y: number,
  width: number,
  height: number,
): void {
  const from = Math.max(x, scene.layout.gutter);
  const room = Math.min(x + width, scene.width - 10) - from - 8;
  if (room < 6) return;
  const name = scene.line.jobs[bars.job[at]!]!.name;
  const first = bars.first[at]!;
  const count = bars.count[at]!;
  const images = count > 1 ? `${first}–${first + count - 1}` : `${first}`;
  ctx.font = `600 ${Math.min(scene.layout.font, Math.round(height * 0.62))}px ${scene.fontFamily}`;
  const text = [`${name} · ${images}`, images].find((it) => widthOf(ctx, it) <= room);
  if (!text) return;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.fillStyle = scene.theme.onBar;
  ctx.fillText(text, from + (room + 8) / 2, y + height / 2 + 0.5);
}

export function drawJobRow(ctx: Context, scene: Scene, row: Row): void {
  const { theme } = scene;
  const scale = scaleOf(scene);
  const job = row.lane;
  const inset = row.height > 16 ? 5 : 1;
  const y = row.y + inset;
  const height = row.height - 2 * inset;
  eachBar(scene.chart.waits, job, scene.view, (at, bars) => {
    const x = scale.x(bars.from[at]!);
    const width = scale.x(bars.to[at]!) - x;
    if (width < 1) return;
    const [left, right] = clip(scale, x, x + width);
    hatch(ctx, left, y + height * 0.3, right - left, height * 0.4, theme.wait, 5);
    ctx.fillStyle = theme.wait;
    if (width > 4) ctx.fillRect(Math.max(left, x), y + 3, 2, height - 6);
  });
  ctx.globalAlpha = 0.3;
  ctx.fillStyle = colourOf(theme, job);
  eachBar(scene.chart.holds, job, scene.view, (at, bars) => {
    const [x, width] = span(scale, bars.from[at]!, bars.to[at]!);
    roundRect(ctx, x, y + height * 0.2, width, height * 0.6, 3);
  });
  ctx.globalAlpha = 1;
  eachBar(scene.chart.runs, job, scene.view, (at, bars) => {
    const [x, width] = span(scale, bars.from[at]!, bars.to[at]!);
    roundRect(ctx, x, y + height * 0.1, width, height * 0.8, 3);
  });
  ctx.globalAlpha = 1;
  drawArrival(ctx, scene, scale, row);
}

function clip(scale: Scale, from: number, to: number): [number, number] {
  return [Math.max(scale.left, from), Math.min(scale.left + scale.width, to)];
}

function drawArrival(ctx: Context, scene: Scene, scale: Scale, row: Row): void {
  const { arrive } = scene.line.jobs[row.lane]!;
  if (arrive <= scene.view.from || arrive > scene.view.to || row.height < 12) return;
  const x = scale.x(arrive);
  const y = row.y + row.height / 2;
  ctx.fillStyle = scene.theme.text;
  ctx.beginPath();
  ctx.moveTo(x - 7, y - 4);
  ctx.lineTo(x - 1, y);
  ctx.lineTo(x - 7, y + 4);
  ctx.fill();
}

function eachBar(
  bars: Bars,
  lane: number,
  view: View,
  each: (at: number, bars: Bars) => void,
): void {
  const end = bars.laneStart[lane + 1]!;
  for (let at = firstAfter(bars, lane, view.from); at < end && bars.from[at]! <= view.to; at++) {
    each(at, bars);
  }
}

// What lies left and right of the lanes is cut off; labels go on top.
export function drawBars(ctx: Context, scene: Scene): void {
  const scale = scaleOf(scene);
  ctx.save();
  ctx.beginPath();
  ctx.rect(scale.left - 1, 0, scale.width + 11, scene.layout.height);
  ctx.clip();
  drawOutages(ctx, scene);
  for (const row of scene.layout.rows) {
    if (row.kind === 'unit') drawUnitRow(ctx, scene, row);
    else drawJobRow(ctx, scene, row);
  }
  ctx.restore();
}
