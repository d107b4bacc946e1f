// The plan as text: what the chart shows, for who can't see it, or rather reads.

import { useSignal } from '@preact/signals';
import { showTime } from '../gantt/axis.ts';
import { lang, words } from '../lang/lang.ts';
import { ORDER_RULES, PLACEMENT_RULES, type Plan } from '../model.ts';
import { eventText } from '../sentences.ts';
import { active, cursor, eventsNow, seek } from '../store.ts';

const EVENTS_MAX = 200;

export function Narration() {
  const w = words.value;
  const open = useSignal(false);
  const plan = active.value.plan.value;
  return (
    <details
      class="card narration"
      id="narration"
      onToggle={(event) => {
        open.value = event.currentTarget.open;
      }}
    >
      <summary>{w.narration}</summary>
      {open.value && plan && <Events plan={plan} />}
      {open.value && plan && <Rules plan={plan} />}
    </details>
  );
}

function Events({ plan }: { plan: Plan }) {
  const w = words.value;
  const { trace } = plan;
  const from = Math.max(0, Math.min(eventsNow.value - 40, trace.t.length - EVENTS_MAX));
  const to = Math.min(trace.t.length, from + EVENTS_MAX);
  const rows = Array.from({ length: to - from }, (_, at) => from + at);
  const left = trace.t.length - rows.length;
  return (
    <>
      <p class="dim">{w.narrationHelp}</p>
      <ol class="events" start={from + 1}>
        {rows.map((at) => (
          <li key={at} aria-current={trace.t[at] === cursor.value ? 'step' : undefined}>
            <button type="button" class="link" onClick={() => seek(trace.t[at]!)}>
              {showTime(trace.t[at]!, 3, lang.value)}
            </button>{' '}
            {eventText(plan.line, trace, at, w)}
          </li>
        ))}
      </ol>
      {left > 0 && (
        <p class="dim">{w.narrationMore(new Intl.NumberFormat(lang.value).format(left))}</p>
      )}
    </>
  );
}

// How often each rule decided.
function Rules({ plan }: { plan: Plan }) {
  const w = words.value;
  const count = (column: Uint8Array, rule: number) =>
    column.reduce((n, it) => n + +(it === rule), 0);
  const rows = [
    ...ORDER_RULES.map((rule, at) => ({
      key: `order-${rule}`,
      name: w.orderRule[rule],
      count: count(plan.trace.order, at),
    })),
    ...PLACEMENT_RULES.map((rule, at) => ({
      key: `placement-${rule}`,
      name: w.placementRule[rule],
      count: count(plan.trace.placement, at),
    })),
  ];
  return (
    <>
      <h3>{w.rules}</h3>
      <p class="dim">{w.rulesHelp}</p>
      <ul class="rules">
        {rows
          .filter((row) => row.count > 0)
          .map((row) => (
            <li key={row.key}>
              {row.name} <b>{row.count}</b>
            </li>
          ))}
      </ul>
    </>
  );
}
