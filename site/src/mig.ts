// The MIG table of the product, as far as a picture of slices needs it: the build takes it in.

import csv from '../../line/src/mig-profiles.csv';

export interface Gpu {
  // Memory slices of the card.
  slices: number;
  profiles: Record<string, { size: number; starts: number[] }>;
}

export const GPUS: Record<string, Gpu> = read(csv);

function read(text: string): Record<string, Gpu> {
  const [header = '', ...rows] = text.split('\n').filter((row) => row && !row.startsWith('#'));
  const columns = header.split(',');
  const gpus: Record<string, Gpu> = {};
  for (const row of rows) {
    const cells = row.split(',');
    const cell = (name: string) => cells[columns.indexOf(name)] ?? '';
    const gpu = cell('gpu');
    gpus[gpu] ??= { slices: Number(cell('memory_slices')), profiles: {} };
    const starts = cell('starts').split('|').map(Number);
    gpus[gpu].profiles[cell('profile')] = { size: Number(cell('size')), starts };
  }
  return gpus;
}
