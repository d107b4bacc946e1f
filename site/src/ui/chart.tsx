// The chart of one side on the page: it follows the signals, and turns what is done to it into
// signals again.

import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { lane, lanesOf, waitsNow } from '../focus.ts';
import { showTime } from '../gantt/axis.ts';
import { Gantt } from '../gantt/gantt.ts';
import type { Row } from '../gantt/layout.ts';
import { wholeView } from '../gantt/view.ts';
import { lang, words } from '../lang/lang.ts';
import { active, activeName, cursor, end, gutter, type Side, selected, view } from '../store.ts';
import { theme } from '../theme.ts';
import { listen } from './pointer.ts';

export interface Drawn {
  gantt: Gantt;
  side: Side;
}

// The charts on the page, for the keys, the exports and the tests.
export const charts = new Map<string, Drawn>();

const FONT = 'system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif';

// Draws what has changed in the next frame, however often it changes before.
class Painter {
  hover: number | null = null;
  private frame = 0;
  private barsToo = true;

  constructor(
    private readonly gantt: Gantt,
    private readonly side: Side,
  ) {}

  ask(barsToo: boolean): void {
    this.barsToo ||= barsToo;
    if (this.frame !== 0) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      if (this.barsToo) this.gantt.draw();
      this.barsToo = false;
      this.over();
      performance.mark('chart');
    });
  }

  private over(): void {
    const isActive = active.peek() === this.side;
    this.gantt.drawOver({
      cursor: cursor.peek(),
      hover: this.hover,
      focus: isActive ? this.focus() : null,
      waits: isActive ? waitsNow.peek() : null,
      lang: lang.peek(),
    });
  }

  private focus(): { row: Row; from: number; to: number } | null {
    const at = lane.peek();
    const row = this.gantt.layout?.rows[at ?? -1];
    const chart = this.side.chart.peek();
    if (!row || !chart) return null;
    return { row, ...lanesOf(chart, row, cursor.peek()) };
  }
}

function follow(host: HTMLElement, gantt: Gantt, side: Side, painter: Painter): () => void {
  const scale = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  const lay = () => {
    const plan = side.plan.peek();
    const chart = side.chart.peek();
    if (!plan || !chart) return;
    const { units, jobs, letters } = words.peek();
    const height = gantt.lay(plan.line, chart, scale(), { units, jobs, letters });
    host.style.height = `${height}px`;
    gutter.value = gantt.layout?.gutter ?? 0;
  };
  const stops = [
    effect(() => {
      const plan = side.plan.value;
      const chart = side.chart.value;
      words.value;
      if (!plan || !chart) return;
      lay();
      const shown = view.peek() ?? wholeView(end.peek());
      gantt.show(plan.line, chart, side.outages.value, theme.value, shown);
      gantt.setView(shown);
      painter.ask(true);
    }),
    effect(() => {
      gantt.setView(view.value ?? wholeView(end.value));
      gantt.select(activeName.value === side.name ? selected.value : null);
      painter.ask(true);
    }),
    effect(() => {
      cursor.value;
      waitsNow.value;
      lane.value;
      painter.ask(false);
    }),
  ];
  const observer = new ResizeObserver(() => {
    lay();
    painter.ask(true);
  });
  observer.observe(host);
  return () => {
    for (const stop of stops) stop();
    observer.disconnect();
  };
}

export function Chart({ side }: { side: Side }) {
  const host = useRef<HTMLDivElement>(null);
  const base = useRef<HTMLCanvasElement>(null);
  const over = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const gantt = new Gantt(base.current!, over.current!, FONT);
    const painter = new Painter(gantt, side);
    charts.set(side.name, { gantt, side });
    const stop = follow(host.current!, gantt, side, painter);
    const deaf = listen(host.current!, gantt, side, (hover) => {
      painter.hover = hover;
      painter.ask(false);
    });
    return () => {
      stop();
      deaf();
      charts.delete(side.name);
    };
  }, [side]);
  const plan = side.plan.value;
  const isOld = side.latest.value !== plan;
  const label = side.name === 'A' && activeName.value === 'A' ? words.value.chart : '';
  return (
    <div
      ref={host}
      class={`chart ${isOld ? 'chart-old' : ''}`}
      role="application"
      tabIndex={0}
      aria-label={label || words.value.chartOf(side.name)}
      aria-describedby="chart-help narration"
      data-side={side.name}
      onFocus={() => {
        activeName.value = side.name;
      }}
    >
      <canvas ref={base} />
      <canvas ref={over} class="chart-over" />
      <Tip side={side} />
    </div>
  );
}

// What is in focus, beside the cursor: also for who has no pointer.
function Tip({ side }: { side: Side }) {
  const at = lane.value;
  const drawn = charts.get(side.name);
  const row = drawn?.gantt.layout?.rows[at ?? -1];
  const chart = side.chart.value;
  const plan = side.plan.value;
  if (!row || !chart || !plan || active.value !== side || !drawn) return null;
  const { from, to, job } = lanesOf(chart, row, cursor.value);
  if (to <= from) return null;
  const left = Math.max(0, Math.min(drawn.gantt.xOf(from), drawn.gantt.xOf(0) + 4000));
  const name = plan.line.jobs[job]?.name ?? '';
  const time = (t: number) => showTime(t, 2, lang.value);
  return (
    <div class="tip" style={{ left: `${left}px`, top: `${row.y + row.height}px` }}>
      <b>{name}</b> {time(from)} – {time(to)}
    </div>
  );
}
