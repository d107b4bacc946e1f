// The line: as a form and as text, two views of the same file.

import { words } from '../lang/lang.ts';
import type { Problem } from '../model.ts';
import { active, activeName, sideB, tab } from '../store.ts';
import { Form } from './form.tsx';
import { IconButton } from './icons.tsx';
import { goTo, Problems, TextView } from './text.tsx';

export function Editor() {
  const w = words.value;
  const side = active.value;
  side.text.value;
  return (
    <section class="card editor" aria-labelledby="editor-title">
      <header class="card-head">
        <h2 id="editor-title">
          {w.line}
          {sideB.value && <span class="side-tag">{activeName.value}</span>}
        </h2>
        <div class="buttons">
          <IconButton
            icon="undo"
            label={w.undo}
            keys="Control+Z"
            disabled={!side.history.canUndo}
            onClick={() => side.undo()}
          />
          <IconButton
            icon="redo"
            label={w.redo}
            keys="Control+Shift+Z"
            disabled={!side.history.canRedo}
            onClick={() => side.redo()}
          />
        </div>
        <div class="tabs" role="tablist" aria-label={w.line}>
          <Tab name="form" label={w.form} />
          <Tab name="text" label={w.text} />
        </div>
      </header>
      <div role="tabpanel" id="editor-panel" aria-labelledby={`tab-${tab.value}`}>
        {tab.value === 'form' ? <Form /> : <TextView />}
      </div>
      <Problems go={go} />
    </section>
  );
}

function go(problem: Problem): void {
  tab.value = 'text';
  // The field is there after the next drawing.
  setTimeout(() => goTo(problem), 30);
}

function Tab({ name, label }: { name: 'form' | 'text'; label: string }) {
  const isShown = tab.value === name;
  const other = name === 'form' ? 'text' : 'form';
  return (
    <button
      type="button"
      role="tab"
      id={`tab-${name}`}
      aria-selected={isShown}
      aria-controls="editor-panel"
      tabIndex={isShown ? 0 : -1}
      onClick={() => {
        tab.value = name;
      }}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
        tab.value = other;
        document.getElementById(`tab-${other}`)?.focus();
        event.preventDefault();
      }}
    >
      {label}
    </button>
  );
}
