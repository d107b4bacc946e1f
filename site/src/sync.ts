// The address bar, the history of the browser, and what is kept between visits.

import { effect } from '@preact/signals';
import { lang, setLang } from './lang/lang.ts';
import { LESSONS, type LessonSlug } from './lessons.ts';
import { decode, encode, type Fault, LinkError, type View } from './link.ts';
import {
  cursor,
  load,
  loadText,
  type Message,
  message,
  selected,
  sideA,
  sideB,
  tab,
  view,
} from './store.ts';

const KEPT = 'lineside.line';
const WRITTEN_AFTER_MS = 350;

const FAULTS: Record<Fault, Message> = {
  unknown: 'linkUnknown',
  corrupt: 'linkCorrupt',
  'too-large': 'linkTooLarge',
};

function viewNow(): View {
  const now: View = { t: Math.round(cursor.value), tab: tab.value, lang: lang.value };
  if (view.value) {
    now.from = Math.round(view.value.from);
    now.to = Math.round(view.value.to);
  }
  const job = sideA.plan.value?.line.jobs[selected.value ?? -1];
  if (job) now.job = job.name;
  return now;
}

export function linkNow(): Promise<string> {
  const versus = sideB.value?.text.value;
  const text = sideA.text.value;
  return encode(
    versus === undefined ? { text, view: viewNow() } : { text, versus, view: viewNow() },
  );
}

function store(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Nothing is kept where nothing may be.
  }
}

export function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

let writing: ReturnType<typeof setTimeout> | undefined;

// Writes what is shown to the address bar, once it has come to rest.
function keepUp(): void {
  effect(() => {
    viewNow();
    const text = sideA.text.value;
    const versus = sideB.value?.text.value;
    clearTimeout(writing);
    writing = setTimeout(async () => {
      history.replaceState(null, '', `#${await linkNow()}`);
      store(KEPT, JSON.stringify([text, versus ?? null]));
    }, WRITTEN_AFTER_MS);
  });
}

// A lesson is a place that Back leaves again.
export async function openLesson(slug: LessonSlug): Promise<void> {
  const found = LESSONS.find((lesson) => lesson.slug === slug);
  if (!found) return;
  clearTimeout(writing);
  history.replaceState(null, '', `#${await linkNow()}`);
  history.pushState(null, '', `#lesson=${slug}`);
  load(found);
}

// Another text, as a place that Back leaves again.
export async function openText(text: string): Promise<void> {
  history.pushState(null, '', `#${await linkNow()}`);
  loadText(text, undefined);
}

async function show(hash: string): Promise<void> {
  const slug = /^#lesson=([\w-]+)/.exec(hash)?.[1];
  const lesson = LESSONS.find((it) => it.slug === slug);
  if (lesson) {
    load(lesson);
    return;
  }
  try {
    const shared = await decode(hash);
    const { t, from, to, job, tab: shown, lang: language } = shared.view;
    if (language) setLang(language);
    loadText(shared.text, shared.versus, t ?? 0, job);
    if (from !== undefined && to !== undefined && to > from) view.value = { from, to };
    if (shown === 'text' || shown === 'form') tab.value = shown;
  } catch (error) {
    load(LESSONS[0]!);
    message.value = error instanceof LinkError ? FAULTS[error.fault] : 'linkCorrupt';
  }
}

function showKept(): void {
  try {
    const [text, versus] = JSON.parse(stored(KEPT) ?? 'null') ?? [];
    if (typeof text === 'string') {
      loadText(text, typeof versus === 'string' ? versus : undefined);
      return;
    }
  } catch {
    // What was kept makes no sense any more.
  }
  load(LESSONS[0]!);
}

// The link comes first, then what was kept, then the first lesson.
export async function begin(): Promise<void> {
  if (location.hash.length > 1) await show(location.hash);
  else showKept();
  keepUp();
  addEventListener('popstate', () => {
    clearTimeout(writing);
    show(location.hash);
  });
}
