// The queue and the units at the cursor, read off the same trace as the chart.

import { showTime } from '../gantt/axis.ts';
import { lang, words } from '../lang/lang.ts';
import { type Plan, UNIT_STATES } from '../model.ts';
import { showMemory } from '../quantity.ts';
import { imagesText } from '../sentences.ts';
import { leasesAt, memoryTaken, type State, walkOrder } from '../state.ts';
import { active, cursor, selected, state } from '../store.ts';
import { Slices } from './slices.tsx';
import { Dot } from './why.tsx';

const ROWS_MAX = 40;

export function Now() {
  const w = words.value;
  const plan = active.value.plan.value;
  if (!plan || !state.value) return null;
  return (
    <section class="now" aria-label={w.now}>
      <Queue plan={plan} now={state.value} />
      <Units plan={plan} now={state.value} />
    </section>
  );
}

function Queue({ plan, now }: { plan: Plan; now: State }) {
  const w = words.value;
  const order = walkOrder(plan.line, plan.trace, now, cursor.value);
  return (
    <div class="card">
      <h2>{w.queue}</h2>
      {order.length === 0 && <p class="dim">{w.queueEmpty}</p>}
      {order.length > 0 && (
        <table data-table="queue">
          <thead>
            <tr>
              <th scope="col">{w.position}</th>
              <th scope="col">{w.tool}</th>
              <th scope="col">{w.ticket}</th>
              <th scope="col">{w.since}</th>
            </tr>
          </thead>
          <tbody>
            {order.slice(0, ROWS_MAX).map((job, at) => (
              <tr key={job} class={selected.value === job ? 'row-selected' : ''}>
                <td>{at + 1}</td>
                <td>
                  <Pick plan={plan} job={job} />
                </td>
                <td class="number">{now.ticket[job]}</td>
                <td class="number">{showTime(cursor.value - now.since[job]!, 2, lang.value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {order.length > ROWS_MAX && <p class="dim">{w.queueMore(order.length - ROWS_MAX)}</p>}
    </div>
  );
}

function Pick({ plan, job }: { plan: Plan; job: number }) {
  return (
    <button
      type="button"
      class="pick"
      aria-pressed={selected.value === job}
      onClick={() => {
        selected.value = job;
      }}
    >
      <Dot job={job} line={plan.line} />
      {plan.line.jobs[job]!.name}
    </button>
  );
}

function Units({ plan, now }: { plan: Plan; now: State }) {
  const w = words.value;
  return (
    <div class="card">
      <h2>{w.units}</h2>
      <table data-table="units">
        <thead>
          <tr>
            <th scope="col">{w.unit}</th>
            <th scope="col">{w.leases}</th>
            <th scope="col">{w.memory}</th>
          </tr>
        </thead>
        <tbody>
          {plan.line.units.slice(0, ROWS_MAX).map((unit, at) => (
            <UnitRow key={unit.name} plan={plan} now={now} unit={at} />
          ))}
        </tbody>
      </table>
      <Slices plan={plan} now={now} />
    </div>
  );
}

function UnitRow({ plan, now, unit }: { plan: Plan; now: State; unit: number }) {
  const w = words.value;
  const spec = plan.line.units[unit]!;
  const leases = leasesAt(plan.trace, now, unit);
  const stateName = w.unitState[UNIT_STATES[now.unit[unit]!]!];
  const resident = [...now.resident[unit]!].map((model) => plan.line.models[model]!.name);
  return (
    <tr>
      <td>
        {spec.name} {stateName && <span class="bad-tag">{stateName}</span>}
      </td>
      <td>
        {leases.length === 0 && <span class="dim">{w.free}</span>}
        {leases.map((lease) => (
          <span key={lease.lease} class="lease">
            <Pick plan={plan} job={lease.job} />
            {lease.count > 0 && <span class="dim">{imagesText(lease.first, lease.count)}</span>}
          </span>
        ))}
        {resident.length > 0 && <div class="dim small-text">{w.loaded(resident.join(', '))}</div>}
      </td>
      <td>
        <Memory taken={memoryTaken(plan.line, plan.trace, now, unit)} budget={spec.budget} />
      </td>
    </tr>
  );
}

function Memory({ taken, budget }: { taken: number; budget: number }) {
  if (budget === 0) return <span class="dim">–</span>;
  const w = words.value;
  const shown = (bytes: number) => (bytes === 0 ? '0' : showMemory(bytes, lang.value));
  return (
    <div class="memory">
      <div class="meter" aria-hidden="true">
        <div style={{ width: `${Math.min(100, (100 * taken) / budget)}%` }} />
      </div>
      <span class="small-text">{w.memoryOf(shown(taken), shown(budget))}</span>
    </div>
  );
}
