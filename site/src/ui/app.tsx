// The page.

import { lang, words } from '../lang/lang.ts';
import { dialog, message, type Side, sideA, sideB, spoken, theEngine } from '../store.ts';
import { Chart } from './chart.tsx';
import { CompareBar, CompareTable } from './compare.tsx';
import { Editor } from './editor.tsx';
import { Header, LessonBar, LessonList } from './header.tsx';
import { Keys } from './keys.tsx';
import { Narration } from './narration.tsx';
import { Now } from './now.tsx';
import { Overview } from './overview.tsx';
import { Predict, PredictButton } from './predict.tsx';
import { Share } from './share.tsx';
import { Transport } from './transport.tsx';
import { Why } from './why.tsx';

export function App({ version }: { version: string }) {
  const w = words.value;
  return (
    <>
      <Header />
      <Banner />
      <div class="page">
        <LessonList />
        <main>
          <LessonBar />
          <ChartCard />
          <CompareTable />
          <Now />
          <Narration />
        </main>
        <div class="aside">
          <Why />
          <Editor />
        </div>
      </div>
      <footer class="bottom dim">
        <span>{w.footer}</span>
        <span>{w.engineVersion(version)}</span>
        <a href="https://github.com/lineside/lineside">{w.source}</a>
      </footer>
      <div class="hidden" role="status" aria-live="polite">
        {spoken.value}
      </div>
      {dialog.value === 'share' && <Share />}
      {dialog.value === 'keys' && <Keys />}
    </>
  );
}

function Banner() {
  const w = words.value;
  if (message.value === '') return null;
  return (
    <div class="banner" role="alert">
      <span>{w[message.value]}</span>
      <button
        type="button"
        class="button small"
        onClick={() => {
          message.value = '';
        }}
      >
        {w.dismiss}
      </button>
    </div>
  );
}

function ChartCard() {
  const w = words.value;
  return (
    <section class="card chart-card" id="chart-card" aria-label={w.chart}>
      <CompareBar />
      <ChartOf side={sideA} />
      {sideB.value && <ChartOf side={sideB.value} />}
      <Overview />
      <Transport />
      <Predict />
      <Legend />
      <p class="hidden" id="chart-help">
        {w.chartHelp}
      </p>
    </section>
  );
}

function ChartOf({ side }: { side: Side }) {
  const w = words.value;
  return (
    <div class={`chart-side chart-side-${side.name}`}>
      {sideB.value && <span class="side-name">{side.name}</span>}
      <Notice side={side} />
      <Chart side={side} />
      <p class="hash small-text dim" title={w.hashHelp}>
        {w.hashLabel} <code>{side.hash.value ? side.hash.value.slice(0, 16) : '…'}</code>
        <span class="hidden"> {side.hash.value}</span>
      </p>
    </div>
  );
}

function Notice({ side }: { side: Side }) {
  const w = words.value;
  const { latest, plan, isPlanning } = side;
  if (isPlanning.value && latest.value?.text !== side.text.value) {
    return (
      <p class="notice notice-late" role="status">
        {w.planning}{' '}
        <button type="button" class="button small" onClick={() => theEngine().cancel()}>
          {w.cancel}
        </button>
      </p>
    );
  }
  if (latest.value?.refused) return <p class="notice notice-bad">{w.refusedChart}</p>;
  if (plan.value?.stopped === 'events') {
    const events = new Intl.NumberFormat(lang.value).format(plan.value.trace.t.length);
    return <p class="notice">{w.stoppedEvents(events)}</p>;
  }
  if (plan.value?.stopped === 'time') return <p class="notice">{w.stoppedTime}</p>;
  if (plan.value && plan.value.trace.t.length === 0) return <p class="notice">{w.empty}</p>;
  return null;
}

function Legend() {
  const w = words.value;
  return (
    <ul class="legend">
      <li>{w.legendStandard}</li>
      <li>{w.legendLegacy}</li>
      <li>{w.legendTrain}</li>
      <li>
        <i class="key key-wait" /> {w.legendWait}
      </li>
      <li>
        <i class="key key-held" /> {w.legendStarved}
      </li>
      <li>
        <i class="key key-cold" /> {w.legendCold}
      </li>
      <li class="legend-end">
        <PredictButton />
      </li>
    </ul>
  );
}
