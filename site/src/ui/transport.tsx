// Play, step, scrub.

import { showTime, tickStep } from '../gantt/axis.ts';
import { wholeView, zoom } from '../gantt/view.ts';
import { lang, words } from '../lang/lang.ts';
import { follow, nanosPerSecond, pause, setSpeed, toggle } from '../playback.ts';
import { cursor, end, isPlaying, seek, speed, stepBack, stepForward, view } from '../store.ts';
import { Icon, IconButton } from './icons.tsx';
import { speak } from './speech.ts';

const STEPS = 1000;

export function step(how: () => void): void {
  pause();
  how();
  follow();
  speak();
}

export function zoomBy(factor: number): void {
  view.value = zoom(view.value ?? wholeView(end.value), factor, cursor.value, end.value);
}

function Scrub() {
  const t = showTime(cursor.value, 2, lang.value);
  const whole = showTime(end.value, 2, lang.value);
  return (
    <div class="scrub">
      <input
        type="range"
        min={0}
        max={STEPS}
        step={1}
        value={end.value > 0 ? Math.round((cursor.value / end.value) * STEPS) : 0}
        aria-label={words.value.time}
        aria-valuetext={words.value.timeOf(t, whole)}
        onInput={(event) => {
          pause();
          seek((Number(event.currentTarget.value) / STEPS) * end.value);
          follow();
        }}
      />
      <output class="clock">
        <b>{t}</b>
        <span>{whole}</span>
      </output>
    </div>
  );
}

function Speed() {
  const shown = showTime(nanosPerSecond(), 2, lang.value);
  return (
    <label class="speed">
      <span>{words.value.speed}</span>
      <input
        type="range"
        min={-1}
        max={2}
        step={0.1}
        value={Math.log10(speed.value)}
        aria-label={words.value.speed}
        aria-valuetext={words.value.speedOf(shown)}
        onInput={(event) => setSpeed(10 ** Number(event.currentTarget.value))}
      />
      <span class="speed-shown">{words.value.speedOf(shown)}</span>
    </label>
  );
}

export function Transport() {
  const { value: w } = words;
  const label = isPlaying.value ? w.pause : w.play;
  return (
    <fieldset class="transport" aria-label={w.transport}>
      <div class="buttons">
        <IconButton
          icon="start"
          label={w.toStart}
          keys="Home"
          onClick={() => step(() => seek(0))}
        />
        <IconButton
          icon="back"
          label={w.stepBack}
          keys="ArrowLeft"
          onClick={() => step(stepBack)}
        />
        <button
          type="button"
          class="play"
          aria-label={label}
          title={label}
          aria-keyshortcuts="Space"
          onClick={toggle}
        >
          <Icon name={isPlaying.value ? 'pause' : 'play'} />
        </button>
        <IconButton
          icon="forward"
          label={w.stepForward}
          keys="ArrowRight"
          onClick={() => step(stepForward)}
        />
        <IconButton
          icon="end"
          label={w.toEnd}
          keys="End"
          onClick={() => step(() => seek(end.value))}
        />
      </div>
      <Scrub />
      <Speed />
      <div class="buttons zooms">
        <IconButton icon="minus" label={w.zoomOut} onClick={() => zoomBy(0.5)} />
        <IconButton icon="plus" label={w.zoomIn} onClick={() => zoomBy(2)} />
        <IconButton
          icon="fit"
          label={w.fitAll}
          keys="0"
          onClick={() => {
            view.value = null;
          }}
        />
      </div>
    </fieldset>
  );
}

// A second of the line, or a hundredth of the view if that is less.
export function leap(direction: number): void {
  const shown = view.value ?? wholeView(end.value);
  const by = Math.min(1e9, (shown.to - shown.from) / 100);
  step(() => seek(cursor.value + direction * Math.max(by, tickStep(by, 1) / 10)));
}
