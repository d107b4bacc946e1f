// The schedule as files: a picture as SVG or PNG, and a trace for chrome://tracing and Perfetto.

import { type Chart, LEGACY, makeChart } from './bars.ts';
import { ticks } from './gantt/axis.ts';
import { colourOf, LIGHT } from './gantt/palette.ts';
import { wholeView } from './gantt/view.ts';
import type { Line, Plan } from './model.ts';
import type { Side } from './store.ts';

function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (it) => `&#${it.charCodeAt(0)};`);
}

const LEFT = 130;
const WIDTH = 960;
const LANE = 34;
const TOP = 30;

// A picture of the unit lanes and the waiting tools, without a canvas.
export function scheduleSvg(line: Line, chart: Chart): string {
  const view = wholeView(chart.end);
  const scale = (WIDTH - LEFT - 12) / (view.to - view.from);
  const x = (t: number) => (LEFT + t * scale).toFixed(2);
  const width = (from: number, to: number) => Math.max(1.5, (to - from) * scale - 1).toFixed(2);
  const lanes = chart.unitLanes.length + line.jobs.length;
  const height = TOP + lanes * LANE + 8;
  const parts: string[] = [];
  for (const tick of ticks(view.from, view.to, 8)) {
    const at = x(tick.t);
    parts.push(`<path d="M${at} ${TOP}V${height}" stroke="${LIGHT.grid}"/>`);
    parts.push(
      `<text x="${at}" y="18" text-anchor="middle" fill="${LIGHT.dim}">${tick.label}</text>`,
    );
  }
  const label = (text: string, lane: number) => {
    const y = TOP + lane * LANE + LANE / 2 + 4;
    parts.push(`<text x="8" y="${y}" fill="${LIGHT.text}">${escapeXml(text)}</text>`);
  };
  chart.unitLanes.forEach(({ unit, slot }, lane) => {
    if (slot === 0) label(line.units[unit]!.name, lane);
    const { starts } = chart;
    for (let at = starts.laneStart[lane]!; at < starts.laneStart[lane + 1]!; at++) {
      const job = starts.job[at]!;
      const [from, to] = [starts.from[at]!, starts.to[at]!];
      const round = starts.flags[at]! & LEGACY ? 9 : 2;
      const y = TOP + lane * LANE + 6;
      const title = `${line.jobs[job]!.name} ${starts.first[at]}`;
      parts.push(
        `<rect class="start" x="${x(from)}" y="${y}" width="${width(from, to)}" height="22" ` +
          `rx="${round}" fill="${colourOf(LIGHT, job)}"><title>${escapeXml(title)}</title></rect>`,
      );
    }
  });
  line.jobs.forEach((job, at) => {
    const lane = chart.unitLanes.length + at;
    label(job.name, lane);
    jobParts(chart, at, TOP + lane * LANE, x, width, parts);
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" ` +
    `width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="13">` +
    `<rect width="100%" height="100%" fill="${LIGHT.ground}"/>${parts.join('')}</svg>`
  );
}

function jobParts(
  chart: Chart,
  job: number,
  y: number,
  x: (t: number) => string,
  width: (from: number, to: number) => string,
  parts: string[],
): void {
  const { waits, runs } = chart;
  for (let bar = waits.laneStart[job]!; bar < waits.laneStart[job + 1]!; bar++) {
    const [from, to] = [waits.from[bar]!, waits.to[bar]!];
    if (to <= from) continue;
    parts.push(
      `<rect class="wait" x="${x(from)}" y="${y + 14}" width="${width(from, to)}" height="6" ` +
        `fill="${LIGHT.wait}" fill-opacity="0.5"/>`,
    );
  }
  for (let bar = runs.laneStart[job]!; bar < runs.laneStart[job + 1]!; bar++) {
    const [from, to] = [runs.from[bar]!, runs.to[bar]!];
    parts.push(
      `<rect class="run" x="${x(from)}" y="${y + 9}" width="${width(from, to)}" height="16" ` +
        `rx="3" fill="${colourOf(LIGHT, job)}"/>`,
    );
  }
}

export function svgOf(side: Side): string {
  return scheduleSvg(side.plan.peek()!.line, side.chart.peek()!);
}

export async function pngOf(side: Side): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([svgOf(side)], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = 2 * image.width;
    canvas.height = 2 * image.height;
    canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'));
    if (!blob) throw new Error('the picture is too large');
    return blob;
  } finally {
    URL.revokeObjectURL(address);
  }
}

// One process a unit, one thread a slot: leases with their starts inside. Microseconds.
export function perfettoOf(plan: Plan): string {
  const { line } = plan;
  const events: object[] = [];
  const chart = makeChart(line, plan.trace);
  line.units.forEach((unit, pid) => {
    events.push({ ph: 'M', pid, name: 'process_name', args: { name: unit.name } });
  });
  const { starts, leases, unitLanes } = chart;
  unitLanes.forEach(({ unit: pid, slot: tid }, lane) => {
    for (const bars of [leases, starts]) {
      for (let at = bars.laneStart[lane]!; at < bars.laneStart[lane + 1]!; at++) {
        const name = line.jobs[bars.job[at]!]!.name;
        const args = { lease: bars.lease[at], first: bars.first[at], count: bars.count[at] };
        const [ts, dur] = [bars.from[at]! / 1e3, (bars.to[at]! - bars.from[at]!) / 1e3];
        events.push({
          ph: 'X',
          pid,
          tid,
          name,
          cat: bars === leases ? 'lease' : 'start',
          ts,
          dur,
          args,
        });
      }
    }
  });
  return JSON.stringify({ traceEvents: events, displayTimeUnit: 'ms' });
}
