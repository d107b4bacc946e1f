// The text of the line file: a plain field with line numbers. Tab leaves it, as it leaves any other
// field.

import { useRef } from 'preact/hooks';
import { lang, words } from '../lang/lang.ts';
import { tell } from '../lang/problems.ts';
import type { Problem } from '../model.ts';
import { active } from '../store.ts';

export const TEXT_ID = 'line-text';

export function TextView() {
  const w = words.value;
  const side = active.value;
  const numbers = useRef<HTMLPreElement>(null);
  const text = side.text.value;
  const count = text.split('\n').length;
  const problems = side.latest.value?.problems ?? [];
  const bad = new Map(problems.map((it) => [it.line, it.severity]));
  return (
    <div class="text-view">
      <div class="text-frame">
        <pre class="numbers" ref={numbers} aria-hidden="true">
          {Array.from({ length: Math.min(count, 5000) }, (_, at) => (
            <span key={at} class={`number-${bad.get(at + 1) ?? 'good'}`}>
              {at + 1}
              {'\n'}
            </span>
          ))}
        </pre>
        <textarea
          id={TEXT_ID}
          aria-label={w.text}
          aria-describedby="text-help problems"
          aria-invalid={problems.some((it) => it.severity === 'error')}
          spellcheck={false}
          autocapitalize="off"
          autocomplete="off"
          wrap="off"
          value={text}
          onInput={(event) => {
            const field = event.currentTarget;
            // While an input method composes, the text is not yet what is meant.
            if (!event.isComposing) side.set(field.value, 'typed');
          }}
          onCompositionEnd={(event) => side.set(event.currentTarget.value, 'typed')}
          onScroll={(event) => {
            if (numbers.current) numbers.current.scrollTop = event.currentTarget.scrollTop;
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && event.ctrlKey) {
              document.querySelector<HTMLElement>(`[data-side="${side.name}"]`)?.focus();
              event.preventDefault();
            }
          }}
        />
      </div>
      <p class="dim small-text" id="text-help">
        {w.textHelp}
      </p>
    </div>
  );
}

export function goTo(problem: Problem): void {
  const field = document.getElementById(TEXT_ID) as HTMLTextAreaElement | null;
  if (!field) return;
  field.focus();
  field.setSelectionRange(problem.from, Math.max(problem.to, problem.from));
  const height = Number.parseFloat(getComputedStyle(field).lineHeight);
  field.scrollTop = Math.max(0, (problem.line - 4) * height);
}

const SHOWN_MAX = 50;

export function Problems({ go }: { go: (problem: Problem) => void }) {
  const w = words.value;
  const problems = active.value.latest.value?.problems ?? [];
  const errors = problems.filter((it) => it.severity === 'error').length;
  const summary =
    problems.length === 0 ? w.problemsNone : w.problemsCount(errors, problems.length - errors);
  return (
    <div class="problems" id="problems">
      <p class={errors > 0 ? 'problems-bad' : 'problems-good'} role="status">
        {summary}
      </p>
      <ul>
        {problems.slice(0, SHOWN_MAX).map((problem) => {
          const told = tell(problem, lang.value);
          return (
            <li key={`${problem.from}/${problem.code}`} class={`problem-${problem.severity}`}>
              <button type="button" class="link" onClick={() => go(problem)}>
                {w.lineColumn(problem.line, problem.column)}
              </button>{' '}
              <code>{problem.code}</code>
              <div>{told.message}</div>
              {told.help && <div class="dim">{told.help}</div>}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
