// Starts the page.

import { effect } from '@preact/signals';
import { render } from 'preact';
import { Engine } from './engine.ts';
import { onKey } from './keys.ts';
import { beginLang } from './lang/lang.ts';
import { engineModule, makeWorker, registerOffline } from './platform.ts';
import * as store from './store.ts';
import { begin } from './sync.ts';
import { beginTheme } from './theme.ts';
import { App } from './ui/app.tsx';
import { charts } from './ui/chart.tsx';

declare const LINESIDE_VERSION: string;

// However long the engine takes.
const SHOWN_AFTER_MS = 1_500;

beginLang();
beginTheme();
store.setEngine(new Engine(makeWorker, engineModule));
// For whoever automates the page: its state, and its charts.
Object.assign(globalThis, { lineside: { store, charts } });
// The page is laid out unseen, and takes the place of the plain one when its chart is there, so
// that nothing moves under the eyes of the reader.
const plain = document.getElementById('plain');
const root = document.getElementById('app')!;
render(<App version={LINESIDE_VERSION} />, root);
const show = () => {
  plain?.remove();
  root.classList.remove('unseen');
};
const stop = effect(() => {
  if (store.why.value || store.message.value !== '' || store.sideA.latest.value?.refused) {
    requestAnimationFrame(show);
  }
});
setTimeout(() => {
  stop();
  show();
}, SHOWN_AFTER_MS);
document.addEventListener('keydown', onKey);
document.documentElement.classList.toggle('embed', location.hash.includes('embed=1'));
begin().catch(() => {
  store.message.value = 'engineFailed';
});
addEventListener('unhandledrejection', () => {
  store.message.value = 'engineFailed';
});
registerOffline();
