// Starts the page.

import { render } from 'preact';
import { Engine } from './engine.ts';
import { onKey } from './keys.ts';
import { beginLang } from './lang/lang.ts';
import { engineModule, makeWorker, registerOffline } from './platform.ts';
import { message, setEngine } from './store.ts';
import { begin } from './sync.ts';
import { beginTheme } from './theme.ts';
import { App } from './ui/app.tsx';

declare const LINESIDE_VERSION: string;

beginLang();
beginTheme();
setEngine(new Engine(makeWorker, engineModule));
const root = document.getElementById('app')!;
root.replaceChildren();
render(<App version={LINESIDE_VERSION} />, root);
document.addEventListener('keydown', onKey);
document.documentElement.classList.toggle('embed', location.hash.includes('embed=1'));
begin().catch(() => {
  message.value = 'engineFailed';
});
addEventListener('unhandledrejection', () => {
  message.value = 'engineFailed';
});
registerOffline();
