// The reader's language: that of the link, else the one chosen here before, else the browser's.

import { computed, signal } from '@preact/signals';
import { en, type Words } from './en.ts';
import { lessonsEn } from './lessons.en.ts';
import { lessonsZh } from './lessons.zh.ts';
import { zh } from './zh.ts';

export type Lang = 'en' | 'zh-CN';

const KEPT = 'lineside.lang';

export const lang = signal<Lang>('en');

export const words = computed<Words>(() => (lang.value === 'zh-CN' ? zh : en));
export const lessonWords = computed(() => (lang.value === 'zh-CN' ? lessonsZh : lessonsEn));

function known(name: string): Lang | undefined {
  if (/^zh\b/i.test(name)) return 'zh-CN';
  if (/^en\b/i.test(name)) return 'en';
  return undefined;
}

export function setLang(name: string): void {
  const found = known(name);
  if (!found) return;
  lang.value = found;
  document.documentElement.lang = found;
  document.title = words.value.title;
}

// As somebody chooses it: that is kept.
export function chooseLang(name: Lang): void {
  setLang(name);
  try {
    localStorage.setItem(KEPT, name);
  } catch {
    // It holds for this visit.
  }
}

export function beginLang(): void {
  let kept: string | null = null;
  try {
    kept = localStorage.getItem(KEPT);
  } catch {
    // Nothing is kept here.
  }
  const wishes = [kept ?? '', ...navigator.languages];
  setLang(wishes.map(known).find((it) => it !== undefined) ?? 'en');
}
