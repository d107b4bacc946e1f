// A guess before each grant: who gets it? The engine has the answer, and why.

import { computed, signal } from '@preact/signals';
import { showTime } from '../gantt/axis.ts';
import { lang, words } from '../lang/lang.ts';
import { GRANT } from '../model.ts';
import { walkOrder } from '../state.ts';
import { active, isPlaying, seek, selected } from '../store.ts';
import { Dot } from './why.tsx';

export const isPredicting = signal(false);
const score = signal({ right: 0, of: 0 });
// The row of the trace to look on from.
const from = signal(0);
// The grant that was asked about last, and what was guessed.
const guessed = signal<{ at: number; job: number } | null>(null);

// More than this nobody chooses from.
const CHOICES_MAX = 8;

// The next grant at which more than one is in the queue: row of the trace, and who is there.
const question = computed(() => {
  const plan = active.value.plan.value;
  const states = active.value.states.value;
  if (!isPredicting.value || !plan || !states) return null;
  const { trace, line } = plan;
  for (let at = from.value; at < trace.t.length; at++) {
    if (trace.ev[at] !== GRANT) continue;
    const queue = walkOrder(line, trace, states.after(at), trace.t[at]!);
    if (queue.length < 2) continue;
    // In the order of the file, so that the order says nothing.
    const choices = queue.slice(0, CHOICES_MAX).sort((one, other) => one - other);
    return { at, t: trace.t[at]!, job: trace.who[at]!, choices };
  }
  return null;
});

function guess(job: number): void {
  const asked = question.value;
  if (!asked) return;
  guessed.value = { at: asked.at, job };
  const { right, of } = score.value;
  score.value = { right: right + (job === asked.job ? 1 : 0), of: of + 1 };
  selected.value = asked.job;
  from.value = asked.at + 1;
  seek(asked.t);
}

export function PredictButton() {
  const w = words.value;
  return (
    <button
      type="button"
      class="button small"
      aria-pressed={isPredicting.value}
      title={w.predictHelp}
      onClick={() => {
        isPredicting.value = !isPredicting.value;
        isPlaying.value = false;
        guessed.value = null;
        score.value = { right: 0, of: 0 };
        from.value = 0;
        if (isPredicting.value) seek(0);
      }}
    >
      {w.predict}
    </button>
  );
}

export function Predict() {
  const w = words.value;
  const plan = active.value.plan.value;
  if (!isPredicting.value || !plan) return null;
  const name = (job: number) => plan.line.jobs[job]!.name;
  const last = guessed.value;
  const granted = last && plan.trace.who[last.at]!;
  const asked = question.value;
  const verdict = last?.job === granted ? w.predictRight : w.predictWrong;
  return (
    <section class="predict" aria-label={w.predict}>
      {last && granted !== null && (
        <p role="status">
          {verdict(name(granted))}{' '}
          <span class="dim">{w.predictScore(score.value.right, score.value.of)}</span>
        </p>
      )}
      {asked && <p class="predict-ask">{w.predictAsk(showTime(asked.t, 2, lang.value))}</p>}
      {asked && (
        <div class="buttons predict-choices">
          {asked.choices.map((job) => (
            <button key={job} type="button" class="button small" onClick={() => guess(job)}>
              <Dot job={job} line={plan.line} /> {name(job)}
            </button>
          ))}
        </div>
      )}
    </section>
  );
}
