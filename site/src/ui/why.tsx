// The answer to "why": in sentences, unit by unit, and what would change it.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { answered, subject } from '../focus.ts';
import { showTime } from '../gantt/axis.ts';
import { lang, words } from '../lang/lang.ts';
import type { GrantReason, Line, Plan, Why as WhyData } from '../model.ts';
import { grantText, listText, unitsOf, verdictText, waitText } from '../sentences.ts';
import {
  active,
  compare,
  cursor,
  ignore,
  seek,
  selected,
  sideA,
  state,
  theEngine,
  why,
  whyOf,
} from '../store.ts';
import { type Fix, findFixes } from '../whatif.ts';

export function Dot({ job, line }: { job: number; line: Line }) {
  const kind = line.jobs[job]?.kind ?? 'standard';
  return <i class={`dot dot-${kind} bar-${job % 12}`} aria-hidden="true" />;
}

export function Why() {
  const w = words.value;
  const plan = active.value.plan.value;
  const job = subject.value;
  return (
    <section class="card why" aria-labelledby="why-title" id="why" tabIndex={-1}>
      <header class="card-head">
        <h2 id="why-title">{w.why}</h2>
        {plan && <Picker plan={plan} />}
      </header>
      {plan && job !== null && answered.value ? (
        <Answered plan={plan} job={job} found={why.value!} />
      ) : (
        <p class="dim">{w.whyPick}</p>
      )}
    </section>
  );
}

function Picker({ plan }: { plan: Plan }) {
  const w = words.value;
  return (
    <label class="picker">
      <span class="hidden">{w.whyTool}</span>
      <select
        value={selected.value ?? ''}
        onChange={(event) => {
          const { value } = event.currentTarget;
          selected.value = value === '' ? null : Number(value);
        }}
      >
        <option value="">{w.anyTool}</option>
        {plan.line.jobs.map((job, at) => (
          <option key={job.name} value={at}>
            {job.name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Answered({ plan, job, found }: { plan: Plan; job: number; found: WhyData }) {
  const w = words.value;
  const it = answered.value!;
  return (
    <>
      <p class={`headline tone-${it.tone}`}>
        <Dot job={job} line={plan.line} /> {it.headline}
      </p>
      {it.reasons.map((reason) => (
        <p class="reason" key={reason}>
          {reason}
        </p>
      ))}
      {it.nextGrant !== undefined && <Next t={it.nextGrant} />}
      {it.tone === 'run' && <WhyGranted plan={plan} job={job} />}
      {it.units.length > 0 && found.units.length > 1 && (
        <Units plan={plan} found={found} job={job} />
      )}
      {it.tone === 'wait' && <WhatIf plan={plan} job={job} found={found} />}
      {found.grants.length > 0 && (
        <details class="instant">
          <summary>
            {w.now}: {showTime(cursor.value, 2, lang.value)}
          </summary>
          {found.grants.map((grant) => (
            <Grant key={grant.lease} plan={plan} grant={grant} />
          ))}
        </details>
      )}
    </>
  );
}

function Next({ t }: { t: number | null }) {
  const w = words.value;
  if (t === null) return <p class="reason dim">{w.neverGranted}</p>;
  const time = (ns: number) => showTime(ns, 2, lang.value);
  return (
    <p class="reason">
      {w.willBeGranted(time(t), time(t - cursor.value))}{' '}
      <button type="button" class="link" onClick={() => seek(t)}>
        {w.goThere}
      </button>
    </p>
  );
}

// Why the lease that a tool has now was given: asked of the engine for the moment of the grant.
function WhyGranted({ plan, job }: { plan: Plan; job: number }) {
  const grant = useSignal<GrantReason | null>(null);
  const leases = [...(state.value?.leases.values() ?? [])].filter((lease) => lease.job === job);
  const lease = leases.at(-1);
  const number = lease?.lease ?? -1;
  useEffect(() => {
    grant.value = null;
    if (!lease) return;
    let at = state.peek()!.events - 1;
    const { trace } = plan;
    while (at > 0 && !(trace.ev[at] === 2 && trace.lease[at] === number)) at -= 1;
    const { t } = trace;
    while (at + 1 < t.length && t[at + 1] === lease.since) at += 1;
    theEngine()
      .why(plan, at + 1, lease.since, null)
      .then((found) => {
        grant.value = found.grants.find((it) => it.lease === number) ?? null;
      }, ignore);
  }, [plan, number]);
  return grant.value ? <Grant plan={plan} grant={grant.value} /> : null;
}

function Grant({ plan, grant }: { plan: Plan; grant: GrantReason }) {
  const w = words.value;
  const { line, trace } = plan;
  const units = listText(unitsOf(line, trace, grant.lease), w);
  const at = trace.ev.findIndex((ev, row) => ev === 2 && trace.lease[row] === grant.lease);
  const time = showTime(trace.t[at] ?? 0, 2, lang.value);
  return (
    <div class="grant">
      <p class="grant-head">
        <Dot job={grant.job} line={line} /> {w.granted(line.jobs[grant.job]!.name, units, time)}:
      </p>
      <ul>
        {grantText(line, grant, w).map((text) => (
          <li key={text}>{text}</li>
        ))}
        {grant.passed.length > 0 && (
          <li>
            {w.passedOver}
            <ul>
              {grant.passed.map((wait) => (
                <li key={wait.job}>
                  <b>{line.jobs[wait.job]!.name}</b>: {waitText(line, wait, w)}
                </li>
              ))}
              {grant.passed_more > 0 && <li>{w.passedMore(grant.passed_more)}</li>}
            </ul>
          </li>
        )}
      </ul>
    </div>
  );
}

const ROWS_MAX = 24;

function Units({ plan, found, job }: { plan: Plan; found: WhyData; job: number }) {
  const w = words.value;
  const wait = found.waits.find((it) => it.job === job);
  if (!wait) return null;
  return (
    <details class="verdicts" open>
      <summary>{w.unitsSay}</summary>
      <ul>
        {found.units.slice(0, ROWS_MAX).map((verdict) => (
          <li key={verdict.unit} class={verdict.rule === 'ok' ? 'verdict-ok' : 'verdict-no'}>
            <b>{plan.line.units[verdict.unit]!.name}</b> {verdictText(plan.line, verdict, wait, w)}
          </li>
        ))}
      </ul>
    </details>
  );
}

// Changes with which it would have been granted by now, each proved on the engine.
function WhatIf({ plan, job, found }: { plan: Plan; job: number; found: WhyData }) {
  const w = words.value;
  const fixes = useSignal<Fix[] | null>(null);
  const busy = useSignal(false);
  const key = `${plan.id}/${job}/${whyOf.value?.events}/${w.code}`;
  useEffect(() => {
    fixes.value = null;
    busy.value = false;
  }, [key]);
  const find = async () => {
    busy.value = true;
    const question = { plan, why: found, state: state.peek()!, job, t: cursor.peek() };
    try {
      fixes.value = await findFixes(theEngine(), question, w);
    } catch {
      fixes.value = null;
    }
    busy.value = false;
  };
  return (
    <div class="whatif">
      <h3>{w.whatIf}</h3>
      {fixes.value === null && (
        <button type="button" class="button" disabled={busy.value} onClick={find}>
          {busy.value ? w.whatIfBusy : w.whatIfFind}
        </button>
      )}
      {fixes.value?.length === 0 && <p class="dim">{w.whatIfNone}</p>}
      {fixes.value && fixes.value.length > 0 && (
        <>
          <ul class="fixes">
            {fixes.value.map((fix) => (
              <li key={fix.label}>
                <span>{fix.label}</span>
                <button type="button" class="button small" onClick={() => tryBeside(fix)}>
                  {w.apply}
                </button>
              </li>
            ))}
          </ul>
          <p class="dim small-text">{w.whatIfProved}</p>
        </>
      )}
    </div>
  );
}

function tryBeside(fix: Fix): void {
  const text = active.peek().text.peek();
  if (active.peek() !== sideA) sideA.set(text, 'changed');
  compare(text);
  active.peek().change(...fix.changes);
}
