// The chart: what it draws, in which colours, and how the raster keeps what is important.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { FAILED, firstAfter, makeChart, makeRows, toLanes } from '../../src/bars.ts';
import { perfettoOf, scheduleSvg } from '../../src/exports.ts';
import { showTime, ticks } from '../../src/gantt/axis.ts';
import { drawBars, drawGround, drawLabels, type Scene } from '../../src/gantt/draw.ts';
import { makeLayout } from '../../src/gantt/layout.ts';
import { contrast, DARK, LIGHT } from '../../src/gantt/palette.ts';
import { makeIndex, rasterLane } from '../../src/gantt/raster.ts';
import { clampView, isWhole, pan, Scale, wholeView, zoom } from '../../src/gantt/view.ts';
import { LESSONS } from '../../src/lessons.ts';
import { figure, path, plan } from './support.ts';

// A context that writes down what is asked of it.
function recorder(): { log: string[]; ctx: CanvasRenderingContext2D } {
  const log: string[] = [];
  const show = (value: unknown) =>
    typeof value === 'number' ? Math.round(value * 10) / 10 : value;
  const known: Record<string, unknown> = {};
  const ctx = new Proxy(known, {
    get: (_, key: string) => {
      if (key in known) return known[key];
      if (key === 'measureText') return (text: string) => ({ width: 7 * text.length });
      return (...values: unknown[]) => log.push(`${key}(${values.map(show).join(', ')})`);
    },
    set: (_, key: string, value) => {
      known[key] = value;
      log.push(`${key} = ${show(value)}`);
      return true;
    },
  });
  return { log, ctx: ctx as unknown as CanvasRenderingContext2D };
}

function sceneOf(text: string): Scene {
  const { line, trace } = plan(text);
  const chart = makeChart(line, trace);
  const letters = { standard: 'S', legacy: 'L', train: 'T' };
  const layout = makeLayout(line, chart, 900, 1, { units: 'GPUS', jobs: 'TOOLS', letters });
  const view = wholeView(chart.end);
  const rest = { selected: null, outages: [], fontFamily: 'sans-serif' };
  return { line, chart, layout, view, theme: LIGHT, width: 900, ...rest };
}

test('V1: the calls that draw three lessons are those that were looked at', () => {
  for (const slug of ['standard-holds', 'failure-skips', 'warm-models']) {
    const scene = sceneOf(LESSONS.find((it) => it.slug === slug)!.text);
    const { log, ctx } = recorder();
    drawGround(ctx, scene);
    drawBars(ctx, scene);
    drawLabels(ctx, scene);
    const file = path('site/test/golden', `${slug}.txt`);
    const text = `${log.join('\n')}\n`;
    if (process.env.BLESS || !existsSync(file)) writeFileSync(file, text);
    assert.equal(text, readFileSync(file, 'utf8'), `${slug}: BLESS=1 writes it anew`);
  }
  figure('V1', '3 drawings equal to their logs');
});

test('V3: the picture as SVG has a bar for each start', () => {
  for (const { text } of LESSONS) {
    const { line, trace } = plan(text);
    const chart = makeChart(line, trace);
    const svg = scheduleSvg(line, chart);
    const bars = svg.match(/<rect class="start"/g)?.length;
    assert.equal(bars, chart.starts.from.length);
  }
});

test('names are text in every export', () => {
  const name = '<script>alert(1)</script>&"';
  const quoted = JSON.stringify(name);
  const text = `[[device]]\nname = ${quoted}\n[[job]]\nname = ${quoted}\n`;
  const planned = plan(text);
  const svg = scheduleSvg(planned.line, makeChart(planned.line, planned.trace));
  assert.ok(!svg.includes('<script'));
  const perfetto = JSON.parse(perfettoOf(planned));
  assert.equal(perfetto.traceEvents[0].args.name, name);
});

test('the Perfetto trace has a slice for each lease and each start', () => {
  const planned = plan(LESSONS[1]!.text);
  const slices = JSON.parse(perfettoOf(planned)).traceEvents.filter(
    (it: { ph: string }) => it.ph === 'X',
  );
  assert.equal(slices.length, 2 * planned.trace.heldEnd.length);
});

test('X1: the palette has the contrast that text and shapes need', () => {
  let least = 21;
  for (const theme of [LIGHT, DARK]) {
    for (const bar of theme.bars) {
      for (const ground of [theme.ground, theme.lane, theme.focus]) {
        assert.ok(contrast(bar, ground) >= 3, `${bar} on ${ground}`);
      }
      assert.ok(contrast(theme.onBar, bar) >= 4.5, `${theme.onBar} on ${bar}`);
      least = Math.min(least, contrast(bar, theme.ground));
    }
    for (const text of [theme.text, theme.dim]) {
      assert.ok(contrast(text, theme.ground) >= 4.5);
      assert.ok(contrast(text, theme.focus) >= 4.5);
    }
    assert.ok(contrast(theme.wait, theme.lane) >= 3);
    assert.ok(contrast(theme.bad, theme.ground) >= 3);
  }
  figure('X1', `palette: bars at least ${least.toFixed(1)}:1 against the ground, text 4.5:1`);
});

const oneLane = (_row: number, into: number[]) => {
  into[0] = 0;
  return 1;
};

test('a short failure among many bars is still seen in the raster', () => {
  const count = 200_000;
  const rows = makeRows(count);
  rows.length = count;
  for (let at = 0; at < count; at++) {
    rows.from[at] = at * 10;
    rows.to[at] = at * 10 + 9;
    rows.job[at] = at % 7;
  }
  rows.flags[123_456] = FAILED;
  const bars = toLanes(rows, 1, oneLane);
  const scale = new Scale({ from: 0, to: count * 10 }, 0, 800);
  const row = new Uint32Array(800);
  const paint = { colours: Uint32Array.of(0x030201), bad: 250 };
  rasterLane(row, bars, makeIndex(bars), 0, scale, paint);
  const x = Math.floor(scale.x(1_234_569));
  assert.equal(row[x], ((255 << 24) >>> 0) + 250);
  const alphas = Array.from(row, (pixel) => pixel >>> 24);
  assert.ok(
    alphas.every((alpha) => alpha > 200),
    'each pixel is nine tenths busy',
  );
});

test('the raster is as opaque as the lane is busy, and empty where nothing is', () => {
  const rows = makeRows(2);
  rows.length = 2;
  rows.from.set([0, 500]);
  rows.to.set([100, 501]);
  const bars = toLanes(rows, 1, oneLane);
  const row = new Uint32Array(10);
  const paint = { colours: Uint32Array.of(9), bad: 0 };
  rasterLane(row, bars, makeIndex(bars), 0, new Scale({ from: 0, to: 1000 }, 0, 10), paint);
  const alphas = Array.from(row, (pixel) => pixel >>> 24);
  assert.equal(alphas[0], 255);
  assert.ok(alphas[5]! >= 64 && alphas[5]! < 80, 'one hundredth busy, and still seen');
  assert.deepEqual(
    alphas.filter((_, at) => at !== 0 && at !== 5),
    new Array(8).fill(0),
  );
});

test('what is visible is found by bisection', () => {
  const { chart } = sceneOf(LESSONS[1]!.text);
  const { leases } = chart;
  for (let t = -5e6; t < 130e6; t += 1e6) {
    const found = firstAfter(leases, 0, t);
    const expected = Array.from(leases.to).findIndex((to) => to > t);
    assert.equal(found, expected < 0 ? leases.to.length : expected);
  }
});

test('views stay within the line, and zooming leaves its centre where it is', () => {
  const end = 1000;
  const whole = wholeView(end);
  assert.ok(isWhole(clampView({ from: -50, to: 5000 }, end), end));
  const near = zoom(whole, 4, 500, end);
  const share = (500 - near.from) / (near.to - near.from);
  assert.ok(Math.abs(share - 500 / whole.to) < 1e-9);
  assert.deepEqual(pan(near, -1e9, end).from, 0);
});

test('ticks are round, in one unit, and never too many', () => {
  for (const [to, most] of [
    [110e6, 8],
    [3.2e9, 5],
    [4000, 6],
    [7.2e12, 10],
  ] as const) {
    const all = ticks(0, to, most);
    assert.ok(all.length >= 2 && all.length <= most + 2, `${all.length} of ${most}`);
    assert.equal(new Set(all.map((tick) => tick.label.split(' ')[1])).size, 1);
  }
  assert.equal(showTime(12_500_000), '12.5\u00a0ms');
  assert.equal(showTime(1_234_567_890, 2, 'zh-CN'), '1.23\u00a0s');
});
