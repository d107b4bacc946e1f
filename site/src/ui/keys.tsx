// The list of keys.

import { letters } from '../keys.ts';
import { words } from '../lang/lang.ts';
import { Dialog } from './dialog.tsx';

export function Keys() {
  const w = words.value;
  return (
    <Dialog title={w.keysTitle}>
      <dl class="keys">
        {w.keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label class="switch">
        <input
          type="checkbox"
          checked={letters.value}
          onChange={(event) => {
            letters.value = event.currentTarget.checked;
          }}
        />
        <span>{w.keysOff}</span>
      </label>
      <p class="dim small-text">{w.keysNote}</p>
    </Dialog>
  );
}
