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
  private labels: {
    layout: Layout;
    theme: Theme;
    selected: number | null;
    ratio: number;
    canvas: HTMLCanvasElement;
  } | null = null;
  private image: ImageData | null = null;
  private canvas: HTMLCanvasElement | null = null;
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
    this.drawLabels(scene);
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

  // One picture, a line of pixels for each unit lane and three for each tool (two run, one waits),
  // stretched over the lanes; then the gaps between them.
  private drawRaster(scene: Scene): void {
    const scale = scaleOf(scene);
    const width = Math.max(1, Math.floor(scale.width));
    const units = scene.chart.unitLanes.length;
    const { rows } = scene.layout;
    const jobs = rows.length - units;
    const image = this.imageOf(width, units + 3 * jobs);
    const words = new Uint32Array(image.data.buffer);
    words.fill(0);
    const [paint, waiting] = [paintOf(scene.theme), waitPaint(scene.theme)];
    const raster = (bars: Bars, lane: number, how: Paint, y: number) => {
      rasterLane(
        words.subarray(width * y, width * (y + 1)),
        bars,
        this.indexOf(bars),
        lane,
        scale,
        how,
      );
    };
    const { starts, runs, waits } = scene.chart;
    for (let lane = 0; lane < units; lane++) raster(starts, lane, paint, lane);
    for (let job = 0; job < jobs; job++) {
      const y = units + 3 * job;
      raster(runs, job, paint, y);
      words.copyWithin(width * (y + 1), width * y, width * (y + 1));
      raster(waits, job, waiting, y + 2);
    }
    const canvas = this.canvasOf(width, units + 3 * jobs);
    canvas.getContext('2d')!.putImageData(image, 0, 0);
    this.bars.imageSmoothingEnabled = false;
    this.stretch(scene, canvas, 0, units, rows.slice(0, units));
    this.stretch(scene, canvas, units, 3 * jobs, rows.slice(units));
    drawOutages(this.bars, scene);
  }

  private stretch(scene: Scene, from: CanvasImageSource, y: number, lines: number, rows: Row[]) {
    const [first] = rows;
    if (!first) return;
    const { left, width } = scaleOf(scene);
    const whole = Math.floor(width);
    const height = first.height * rows.length;
    this.bars.drawImage(from, 0, y, whole, lines, left, first.y, whole, height);
    const gap = first.height > 16 ? 3 : 1;
    this.bars.fillStyle = scene.theme.ground;
    for (const row of rows) this.bars.fillRect(left, row.y - gap / 2, whole, gap);
  }

  // Labels change with the layout only, and text is what costs most.
  private drawLabels(scene: Scene): void {
    const { layout, theme, selected } = scene;
    const ratio = Math.min(3, globalThis.devicePixelRatio || 1);
    const before = this.labels;
    const isOld =
      before?.layout !== layout || before.theme !== theme || before.selected !== selected;
    if (isOld || before?.ratio !== ratio) {
      const canvas = document.createElement('canvas');
      canvas.width = Math.round(layout.gutter * ratio);
      canvas.height = Math.round(layout.height * ratio);
      const ctx = canvas.getContext('2d')!;
      ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
      drawLabels(ctx, scene);
      this.labels = { layout, theme, selected, ratio, canvas };
    }
    const { canvas } = this.labels!;
    this.bars.drawImage(canvas, 0, 0, layout.gutter, layout.height);
  }

  private imageOf(width: number, height: number): ImageData {
    if (this.image?.width !== width || this.image.height !== height) {
      this.image = new ImageData(width, height);
    }
    return this.image;
  }

  private canvasOf(width: number, height: number): HTMLCanvasElement {
    this.canvas ??= document.createElement('canvas');
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    return this.canvas;
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
  return { colours: Uint32Array.from(theme.bars, packed), bad: packed(theme.bad) };
}

function waitPaint(theme: Theme): Paint {
  return { colours: Uint32Array.of(packed(theme.wait)), bad: packed(theme.wait) };
}
