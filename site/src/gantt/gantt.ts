// The chart: two canvases, one for the bars and one for what moves above them. It knows nothing of
// the page around it but what it is told, and tells what was done to it.

import { type Bars, barAt, type Chart } from '../bars.ts';
import type { Line } from '../model.ts';
import {
  BARS_MAX,
  type Context,
  countVisible,
  drawBars,
  drawGround,
  drawLabels,
  drawOutages,
  type Outage,
  type Scene,
  scaleOf,
} from './draw.ts';
import { type Layout, type LayoutWords, makeLayout, type Row, rowAt } from './layout.ts';
import { drawOverlay, type Overlay } from './overlay.ts';
import { packed, type Theme } from './palette.ts';
import { type Index, makeIndex, type Paint, rasterLane } from './raster.ts';
import { type View, wholeView } from './view.ts';

export interface Hit {
  row: Row;
  t: number;
  // Index of the bar in the lane's bars, or -1.
  bar: number;
}

export class Gantt {
  view: View = { from: 0, to: 1 };
  layout: Layout | null = null;
  // Milliseconds that the last drawing took: for those who measure.
  drawn = 0;
  overlaid = 0;
  private scene: Scene | null = null;
  private indexes = new Map<Bars, Index>();
  private image: HTMLCanvasElement | OffscreenCanvas | null = null;
  private readonly bars: Context;
  private readonly above: Context;

  constructor(
    private readonly base: HTMLCanvasElement,
    private readonly over: HTMLCanvasElement,
    private readonly fontFamily: string,
  ) {
    this.bars = base.getContext('2d', { alpha: false })!;
    this.above = over.getContext('2d')!;
  }

  // Shows another chart, and all of it unless a view is given.
  show(line: Line, chart: Chart, outages: Outage[], theme: Theme, view?: View): void {
    this.view = view ?? wholeView(chart.end);
    if (this.scene?.chart !== chart) this.indexes.clear();
    const { fontFamily } = this;
    const layout = this.layout!;
    const width = this.base.clientWidth;
    const selected = this.scene?.selected ?? null;
    const scene = { line, chart, outages, theme, layout, view: this.view, width };
    this.scene = { ...scene, selected, fontFamily };
  }

  // Measures the place and lays the lanes out; answers the height that it takes.
  lay(line: Line, chart: Chart, scale: number, words: LayoutWords): number {
    this.layout = makeLayout(line, chart, this.base.clientWidth, scale, words);
    if (this.scene) {
      this.scene.layout = this.layout;
      this.scene.width = this.base.clientWidth;
    }
    return this.layout.height;
  }

  select(job: number | null): void {
    if (this.scene) this.scene.selected = job;
  }

  setView(view: View): void {
    if (!this.scene) return;
    this.view = view;
    this.scene.view = this.view;
  }

  draw(): void {
    const { scene } = this;
    if (!scene) return;
    const began = performance.now();
    this.fit(this.base, this.bars, scene);
    drawGround(this.bars, scene);
    const { starts, runs, waits } = scene.chart;
    const visible = [starts, runs, waits].map((bars) => countVisible(bars, scene.view));
    if (visible[0]! + visible[1]! + visible[2]! > BARS_MAX) this.drawRaster(scene);
    else drawBars(this.bars, scene);
    drawLabels(this.bars, scene);
    this.drawn = performance.now() - began;
  }

  drawOver(overlay: Overlay): void {
    const { scene } = this;
    if (!scene) return;
    const began = performance.now();
    this.fit(this.over, this.above, scene);
    drawOverlay(this.above, scene, overlay);
    this.overlaid = performance.now() - began;
  }

  hit(x: number, y: number): Hit | null {
    const { scene, layout } = this;
    if (!scene || !layout) return null;
    const row = rowAt(layout, y);
    if (!row) return null;
    const t = scaleOf(scene).t(x);
    const bars = row.kind === 'unit' ? scene.chart.leases : scene.chart.holds;
    return { row, t, bar: barAt(bars, row.lane, t) };
  }

  timeAt(x: number): number {
    return this.scene ? scaleOf(this.scene).t(x) : 0;
  }

  xOf(t: number): number {
    return this.scene ? scaleOf(this.scene).x(t) : 0;
  }

  get plotWidth(): number {
    return this.scene ? scaleOf(this.scene).width : 1;
  }

  // Canvases count device pixels.
  private fit(canvas: HTMLCanvasElement, ctx: Context, scene: Scene): void {
    const ratio = Math.min(3, globalThis.devicePixelRatio || 1);
    const width = Math.round(scene.width * ratio);
    const height = Math.round(scene.layout.height * ratio);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  private drawRaster(scene: Scene): void {
    const scale = scaleOf(scene);
    const width = Math.max(1, Math.floor(scale.width));
    const rows = scene.layout.rows;
    const image = this.imageOf(width, rows.length * 2);
    const ctx = image.getContext('2d') as CanvasRenderingContext2D;
    const data = ctx.createImageData(width, rows.length * 2);
    const paint = paintOf(scene.theme);
    rows.forEach((row, at) => {
      const line = (n: number) => {
        return data.data.subarray(4 * width * (2 * at + n), 4 * width * (2 * at + n + 1));
      };
      const { chart } = scene;
      const raster = (pixels: Uint8ClampedArray, bars: Bars, how: Paint) => {
        rasterLane(pixels, bars, this.indexOf(bars), row.lane, scale, how);
      };
      if (row.kind === 'unit') raster(line(0), chart.starts, paint);
      else {
        raster(line(0), chart.runs, paint);
        raster(line(1), chart.waits, waitPaint(scene.theme));
      }
    });
    ctx.putImageData(data, 0, 0);
    this.bars.imageSmoothingEnabled = false;
    rows.forEach((row, at) => {
      const [inset, share] = [Math.max(1, row.height * 0.14), row.kind === 'unit' ? 1 : 0.62];
      const height = (row.height - 2 * inset) * share;
      const { left } = scale;
      this.bars.drawImage(image, 0, 2 * at, width, 1, left, row.y + inset, width, height);
      if (row.kind === 'job') {
        const [y, rest] = [row.y + inset + height, row.height - 2 * inset - height];
        this.bars.drawImage(image, 0, 2 * at + 1, width, 1, left, y, width, rest);
      }
    });
    drawOutages(this.bars, scene);
  }

  private imageOf(width: number, height: number): HTMLCanvasElement | OffscreenCanvas {
    if (!this.image || this.image.width !== width || this.image.height !== height) {
      this.image = document.createElement('canvas');
      this.image.width = width;
      this.image.height = height;
    }
    return this.image;
  }

  private indexOf(bars: Bars): Index {
    let index = this.indexes.get(bars);
    if (!index) {
      index = makeIndex(bars);
      this.indexes.set(bars, index);
    }
    return index;
  }
}

function paintOf(theme: Theme): Paint {
  return { colours: Uint8Array.from(theme.bars.flatMap(packed)), bad: packed(theme.bad) };
}

function waitPaint(theme: Theme): Paint {
  return { colours: Uint8Array.from(packed(theme.wait)), bad: packed(theme.wait) };
}
