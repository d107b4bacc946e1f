// Where the lanes stand.

import type { Chart } from '../bars.ts';
import type { Line } from '../model.ts';

export interface Row {
  kind: 'unit' | 'job';
  // The lane of its bars: of a unit lane its index, of a job its index.
  lane: number;
  // Index of the unit or the job.
  who: number;
  label: string;
  note: string;
  y: number;
  height: number;
}

export interface Caption {
  text: string;
  y: number;
}

export interface Layout {
  rows: Row[];
  captions: Caption[];
  gutter: number;
  axis: number;
  height: number;
  // Font sizes of the labels, and of the times.
  font: number;
  axisFont: number;
}

export interface LayoutWords {
  units: string;
  jobs: string;
  letters: Record<'standard' | 'legacy' | 'train', string>;
}

// Heights of the lanes of units and of jobs, where there is room.
const UNIT = 48;
const JOB = 36;
const CAPTION = 24;
const AXIS = 30;
// Above this the lanes get thinner.
const COMFORTABLE = 460;

export function makeLayout(
  line: Line,
  chart: Chart,
  width: number,
  scale: number,
  words: LayoutWords,
): Layout {
  const isNarrow = width < 620;
  const units = chart.unitLanes.length;
  const jobs = line.jobs.length;
  const wanted = units * UNIT + jobs * JOB;
  const squeeze = Math.max(0.24, Math.min(1, COMFORTABLE / Math.max(1, wanted)));
  const unitHeight = Math.round(UNIT * squeeze * scale);
  const jobHeight = Math.round(JOB * squeeze * scale);
  const layout: Layout = {
    rows: [],
    captions: [],
    gutter: Math.round((isNarrow ? 92 : 148) * Math.min(scale, 1.3)),
    axis: Math.round(AXIS * scale),
    height: 0,
    axisFont: Math.round(12.5 * Math.min(scale, 1.4)),
    font: Math.round(Math.max(9, Math.min(14, jobHeight * 0.6)) * Math.min(scale, 1.6)),
  };
  let y = layout.axis;
  const caption = (text: string) => {
    layout.captions.push({ text, y });
    y += CAPTION * scale;
  };
  caption(words.units);
  chart.unitLanes.forEach(({ unit, slot }, lane) => {
    const spec = line.units[unit]!;
    const label = slot === 0 ? spec.name : '';
    const note = slot === 0 ? (spec.profile ?? '') : '';
    layout.rows.push({ kind: 'unit', lane, who: unit, label, note, y, height: unitHeight });
    y += unitHeight;
  });
  y += 6;
  caption(words.jobs);
  line.jobs.forEach((job, lane) => {
    const note = words.letters[job.phase === 'train' ? 'train' : job.kind];
    layout.rows.push({ kind: 'job', lane, who: lane, label: job.name, note, y, height: jobHeight });
    y += jobHeight;
  });
  layout.height = Math.round(y + 8);
  return layout;
}

export function rowAt(layout: Layout, y: number): Row | undefined {
  return layout.rows.find((row) => y >= row.y && y < row.y + row.height);
}
