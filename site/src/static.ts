// Draws the schedule of the first lesson while the page is built, for readers without scripts.

import { initSync, plan as planText } from '../../wasm/pkg/lineside_wasm.js';
import { makeChart } from './bars.ts';
import { scheduleSvg } from './exports.ts';
import { LESSONS } from './lessons.ts';

export function draw(module: BufferSource): string {
  initSync({ module });
  const planned = planText(LESSONS[0]!.text, 10_000, () => true);
  const { t, ev, who, lease, a, b, held, slot, heldEnd, order, placement } = planned;
  const trace = { t, ev, who, lease, a, b, held, slot, heldEnd, order, placement };
  const line = JSON.parse(planned.line);
  return scheduleSvg(line, makeChart(line, trace));
}
