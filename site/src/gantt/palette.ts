// The colours of the chart. Text on a bar, and a bar on its ground, have the contrast that
// test/unit/palette.test.ts asks for; what kind a bar is also shows by its shape and a letter.

export interface Theme {
  ground: string;
  lane: string;
  // The lane of the tool in focus.
  focus: string;
  grid: string;
  text: string;
  dim: string;
  line: string;
  accent: string;
  wait: string;
  bad: string;
  onBar: string;
  bars: readonly string[];
}

export const LIGHT: Theme = {
  ground: '#ffffff',
  lane: '#f5f6f9',
  focus: '#dfeafb',
  grid: '#e3e6ec',
  text: '#1a2233',
  dim: '#5a6478',
  line: '#c9cfda',
  accent: '#0b5bd3',
  wait: '#7a8499',
  bad: '#c81e3a',
  onBar: '#ffffff',
  bars: [
    '#2463cf',
    '#b04a06',
    '#0f7b53',
    '#7a3fd6',
    '#b8215f',
    '#0a7383',
    '#5d6f06',
    '#8a4b2f',
    '#4d55c4',
    '#8f3a9c',
    '#3d6b35',
    '#5b6475',
  ],
};

export const DARK: Theme = {
  ground: '#10151f',
  lane: '#171e2b',
  focus: '#1c3050',
  grid: '#263043',
  text: '#e8ecf4',
  dim: '#9aa6bb',
  line: '#3a4660',
  accent: '#7db4ff',
  wait: '#8390a8',
  bad: '#ff7b8e',
  onBar: '#0b1019',
  bars: [
    '#78aeff',
    '#f2a35e',
    '#5fd0a0',
    '#bd9dff',
    '#f688b4',
    '#59cbd9',
    '#c3d05a',
    '#d7a58c',
    '#a3acff',
    '#de9bea',
    '#93cf86',
    '#aeb8c9',
  ],
};

export function colourOf(theme: Theme, job: number): string {
  return theme.bars[job % theme.bars.length]!;
}

function channels(hex: string): [number, number, number] {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

// As `ImageData` has it in one number, with no alpha.
export function packed(hex: string): number {
  const [red, green, blue] = channels(hex);
  return red | (green << 8) | (blue << 16);
}

function luminance(hex: string): number {
  const linear = channels(hex).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * linear[0]! + 0.7152 * linear[1]! + 0.0722 * linear[2]!;
}

// The contrast of two colours as WCAG counts it: 1 to 21.
export function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}
