// `<lineside-plan>`: a schedule within somebody's own page.
//
//   <script type="module" src="embed.js"></script>
//   <lineside-plan at="50" lang="en">[[device]] ... </lineside-plan>
//
// The line file is its text, or its attribute `line`. `at` is the moment in milliseconds.

import { type Chart, makeChart } from './bars.ts';
import { Engine } from './engine.ts';
import { Gantt } from './gantt/gantt.ts';
import { DARK, LIGHT } from './gantt/palette.ts';
import { wholeView } from './gantt/view.ts';
import { en } from './lang/en.ts';
import { zh } from './lang/zh.ts';
import { eventsUntil, type Plan } from './model.ts';
import { answer } from './sentences.ts';
import { States, walkOrder } from './state.ts';

declare const LINESIDE_WORKER: string;
declare const LINESIDE_MODULE: string;

const STYLE = `
:host { display: block; font: 1rem/1.5 system-ui, sans-serif; }
.chart { position: relative; }
canvas { position: absolute; inset: 0; width: 100%; height: 100%; }
input { width: 100%; }
p { margin: 0.3rem 0; }
`;

// One engine for all schedules of a page.
let engine: Engine | undefined;

function theEngine(): Engine {
  const near = (name: string) => new URL(name, import.meta.url);
  engine ??= new Engine(
    // A worker has to come from where the page does: one line that imports the real one.
    () => {
      const code = `import ${JSON.stringify(near(LINESIDE_WORKER).href)};`;
      const address = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
      return new Worker(address, { type: 'module' });
    },
    () => near(LINESIDE_MODULE).href,
  );
  return engine;
}

class LinesidePlan extends HTMLElement {
  static readonly observedAttributes = ['line', 'at', 'lang'];
  private gantt: Gantt | null = null;
  private plan: Plan | null = null;
  private chart: Chart | null = null;
  private cursor = 0;
  private readonly box = document.createElement('div');
  private readonly scrub = document.createElement('input');
  private readonly says = document.createElement('p');

  connectedCallback(): void {
    if (!this.gantt) this.build();
    this.load();
  }

  attributeChangedCallback(): void {
    if (this.gantt) this.load();
  }

  private build(): void {
    const shadow = this.attachShadow({ mode: 'open' });
    const style = document.createElement('style');
    style.textContent = STYLE;
    this.box.className = 'chart';
    const [base, over] = [document.createElement('canvas'), document.createElement('canvas')];
    this.box.append(base, over);
    this.box.setAttribute('role', 'img');
    this.scrub.type = 'range';
    this.scrub.max = '1000';
    this.says.setAttribute('role', 'status');
    shadow.append(style, this.box, this.scrub, this.says);
    this.gantt = new Gantt(base, over, 'system-ui, sans-serif');
    const seek = (t: number) => {
      this.cursor = Math.min(Math.max(0, t), this.chart?.end ?? 0);
      this.tell();
    };
    this.scrub.addEventListener('input', () => {
      seek((Number(this.scrub.value) / 1000) * (this.chart?.end ?? 0));
    });
    this.box.addEventListener('pointermove', (event) => {
      const left = this.box.getBoundingClientRect().left;
      if (event.buttons > 0) seek(this.gantt!.timeAt(event.clientX - left));
    });
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  private get words() {
    return this.lang.startsWith('zh') ? zh : en;
  }

  private async load(): Promise<void> {
    const text = this.getAttribute('line') ?? this.textContent ?? '';
    const plan = await theEngine().plan(text);
    if (plan.refused) {
      this.says.textContent = plan.problems.map((it) => `${it.line}: ${it.message}`).join('\n');
      return;
    }
    this.plan = plan;
    this.chart = makeChart(plan.line, plan.trace);
    this.cursor = Number(this.getAttribute('at') ?? 0) * 1e6;
    this.draw();
    this.tell();
  }

  private draw(): void {
    const { gantt, plan, chart } = this;
    if (!gantt || !plan || !chart) return;
    const { units, jobs, letters } = this.words;
    const height = gantt.lay(plan.line, chart, 1, { units, jobs, letters });
    this.box.style.height = `${height}px`;
    const isDark = getComputedStyle(this).colorScheme.includes('dark');
    gantt.show(plan.line, chart, [], isDark ? DARK : LIGHT, wholeView(chart.end));
    gantt.draw();
    this.over();
  }

  private over(): void {
    const { lang } = this;
    this.gantt?.drawOver({ cursor: this.cursor, hover: null, focus: null, waits: null, lang });
  }

  // Whoever waits first at the cursor, and why.
  private async tell(): Promise<void> {
    this.over();
    const { plan, cursor } = this;
    if (!plan || !this.chart) return;
    this.scrub.value = String((cursor / Math.max(1, this.chart.end)) * 1000);
    const state = new States(plan.line, plan.trace).at(cursor);
    const [job] = walkOrder(plan.line, plan.trace, state, cursor);
    if (job === undefined) {
      this.says.textContent = this.words.queueEmpty;
      return;
    }
    const why = await theEngine().why(plan, eventsUntil(plan.trace.t, cursor), cursor, job);
    const found = answer(plan, why, state, job, cursor, this.words);
    this.says.textContent = [found?.headline, ...(found?.reasons ?? [])].join(' ');
  }
}

customElements.define('lineside-plan', LinesidePlan);
