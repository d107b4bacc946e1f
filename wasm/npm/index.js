// The package: the module with its JSON read, and nothing else.

import init, { check, initSync, outline, plan, version } from './lineside_wasm.js';

export { init, initSync, version };

// More than this fills the memory of a browser.
const EVENTS = 2_000_000;
const MILLISECONDS = 3_000;

// The faults and warnings of a line file.
export function checkLine(text) {
  return JSON.parse(check(text));
}

// The tables of a line file, with the places of their keys and values.
export function outlineLine(text) {
  return JSON.parse(outline(text));
}

// A line file, planned within a budget. Call `free` when it is done with.
export function planLine(text, { events = EVENTS, milliseconds = MILLISECONDS } = {}) {
  const end = performance.now() + milliseconds;
  const planned = plan(text, events, () => performance.now() < end);
  const { t, ev, who, lease, a, b, held, slot, heldEnd, order, placement } = planned;
  return {
    refused: planned.refused,
    stopped: planned.stopped,
    exitCode: planned.exitCode,
    stuck: planned.stuck,
    problems: JSON.parse(planned.problems),
    line: JSON.parse(planned.line),
    trace: { t, ev, who, lease, a, b, held, slot, heldEnd, order, placement },
    text: () => planned.trace(),
    hash: () => planned.hash(),
    why: (eventsSoFar, time, job) => JSON.parse(planned.why(eventsSoFar, time, job)),
    free: () => planned.free(),
  };
}
