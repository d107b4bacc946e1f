// More bars than pixels: one row of pixels a lane, each as opaque as it is busy. What it costs is
// bounded by pixels, whatever the number of bars.

import { type Bars, FAILED, REVOKED } from '../bars.ts';
import type { Scale } from './view.ts';

// What a raster needs beside the bars; made once for each set of them.
export interface Index {
  // Time that the bars up to each one cover, over all lanes.
  covered: Float64Array;
  // Bars that must not vanish however short they are, in order.
  important: Uint32Array;
}

export function makeIndex(bars: Bars): Index {
  const size = bars.from.length;
  const covered = new Float64Array(size + 1);
  const important: number[] = [];
  for (let at = 0; at < size; at++) {
    covered[at + 1] = covered[at]! + (bars.to[at]! - bars.from[at]!);
    if (bars.flags[at]! & (FAILED | REVOKED)) important.push(at);
  }
  return { covered, important: Uint32Array.from(important) };
}

// The first bar from `low` on, and before `high`, that ends after a time: steps that double, then
// bisection, for what is looked for is near.
function gallop(to: Float64Array, low: number, high: number, t: number): number {
  let step = 1;
  let from = low;
  while (from + step < high && to[from + step]! <= t) {
    from += step;
    step *= 2;
  }
  let end = Math.min(high, from + step + 1);
  while (from < end) {
    const middle = (from + end) >> 1;
    if (to[middle]! <= t) from = middle + 1;
    else end = middle;
  }
  return from;
}

export interface Paint {
  // Red, green, blue of each job's colour, one after the other.
  colours: Uint8Array;
  bad: [number, number, number];
}

// Writes one lane into a row of pixels (red, green, blue, alpha).
export function rasterLane(
  row: Uint8ClampedArray,
  bars: Bars,
  index: Index,
  lane: number,
  scale: Scale,
  paint: Paint,
): void {
  const end = bars.laneStart[lane + 1]!;
  const pixels = row.length / 4;
  const { covered } = index;
  let at = bars.laneStart[lane]!;
  let right = scale.t(scale.left);
  const step = scale.t(scale.left + 1) - right;
  for (let x = 0; x < pixels && at < end; x++) {
    const left = right;
    right = left + step;
    at = gallop(bars.to, at, end, left);
    if (at >= end || bars.from[at]! >= right) continue;
    const last = Math.min(end - 1, gallop(bars.to, at, end, right));
    const upTo = bars.from[last]! < right ? last : last - 1;
    let busy = covered[upTo + 1]! - covered[at]!;
    busy -= Math.max(0, left - bars.from[at]!);
    busy -= Math.max(0, bars.to[upTo]! - right);
    put(row, x, bars.job[(at + upTo) >> 1]!, Math.min(1, busy / step), paint);
  }
  rasterImportant(row, bars, index, lane, scale, paint);
}

function put(row: Uint8ClampedArray, x: number, job: number, share: number, paint: Paint): void {
  const colour = (job * 3) % paint.colours.length;
  row[4 * x] = paint.colours[colour]!;
  row[4 * x + 1] = paint.colours[colour + 1]!;
  row[4 * x + 2] = paint.colours[colour + 2]!;
  // Even the shortest bar is to be seen.
  row[4 * x + 3] = 64 + 191 * share;
}

function rasterImportant(
  row: Uint8ClampedArray,
  bars: Bars,
  index: Index,
  lane: number,
  scale: Scale,
  paint: Paint,
): void {
  const { important } = index;
  const pixels = row.length / 4;
  for (let at = lowerBound(important, bars.laneStart[lane]!); at < important.length; at++) {
    const bar = important[at]!;
    if (bar >= bars.laneStart[lane + 1]!) break;
    const x = Math.floor(scale.x(bars.to[bar]!) - scale.left);
    if (x < 0 || x >= pixels) continue;
    row.set([...paint.bad, 255], 4 * x);
  }
}

function lowerBound(sorted: Uint32Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
