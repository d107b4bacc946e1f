// More bars than pixels: one line of pixels a lane, each as opaque as it is busy. What it costs is
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

// Colours as `ImageData` has them in one number, alpha left out.
export interface Paint {
  // Of each job, over and over.
  colours: Uint32Array;
  bad: number;
}

// Even the shortest bar is to be seen.
const ALPHA_MIN = 64;

// Writes one lane into a line of pixels. Whoever calls has filled it with zeros.
export function rasterLane(
  row: Uint32Array,
  bars: Bars,
  index: Index,
  lane: number,
  scale: Scale,
  paint: Paint,
): void {
  const { from, to, job } = bars;
  const { covered } = index;
  const { colours } = paint;
  const end = bars.laneStart[lane + 1]!;
  const start = scale.t(scale.left);
  const step = scale.t(scale.left + 1) - start;
  let at = bars.laneStart[lane]!;
  let x = 0;
  while (x < row.length && at < end) {
    const left = start + x * step;
    const right = left + step;
    if (to[at]! <= left) at = gallop(to, at, end, left);
    if (at >= end) break;
    if (from[at]! >= right) {
      // On to the pixel where the next one begins.
      x = Math.max(x + 1, Math.floor((from[at]! - start) / step));
      continue;
    }
    const colour = colours[job[at]! % colours.length]!;
    if (from[at]! <= left && to[at]! >= right) {
      // All the pixels that this one covers whole.
      const until = Math.min(row.length, Math.floor((to[at]! - start) / step));
      row.fill(colour | (255 << 24), x, Math.max(x + 1, until));
      x = Math.max(x + 1, until);
      continue;
    }
    const last = to[at]! > right ? at : Math.min(end - 1, gallop(to, at, end, right));
    const upTo = from[last]! < right ? last : last - 1;
    let busy = covered[upTo + 1]! - covered[at]!;
    if (from[at]! < left) busy -= left - from[at]!;
    if (to[upTo]! > right) busy -= to[upTo]! - right;
    const share = busy < step ? busy / step : 1;
    const shown = colours[job[(at + upTo) >> 1]! % colours.length]!;
    row[x] = shown | ((ALPHA_MIN + (255 - ALPHA_MIN) * share) << 24);
    x += 1;
  }
  rasterImportant(row, bars, index, lane, scale, paint);
}

function rasterImportant(
  row: Uint32Array,
  bars: Bars,
  index: Index,
  lane: number,
  scale: Scale,
  paint: Paint,
): void {
  const { important } = index;
  for (let at = lowerBound(important, bars.laneStart[lane]!); at < important.length; at++) {
    const bar = important[at]!;
    if (bar >= bars.laneStart[lane + 1]!) break;
    const x = Math.floor(scale.x(bars.to[bar]!) - scale.left);
    if (x >= 0 && x < row.length) row[x] = paint.bad | (255 << 24);
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
