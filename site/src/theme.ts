// Light or dark: as the system says, or as was chosen.

import { computed, signal } from '@preact/signals';
import { DARK, LIGHT, type Theme } from './gantt/palette.ts';

export type Choice = 'auto' | 'light' | 'dark';

const KEPT = 'lineside.theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(system.matches);
export const choice = signal<Choice>('auto');

system.addEventListener('change', () => {
  systemIsDark.value = system.matches;
});

export const isDark = computed(() => {
  return choice.value === 'auto' ? systemIsDark.value : choice.value === 'dark';
});

export const theme = computed<Theme>(() => (isDark.value ? DARK : LIGHT));

export function choose(to: Choice): void {
  choice.value = to;
  document.documentElement.dataset.theme = to;
  try {
    localStorage.setItem(KEPT, to);
  } catch {
    // It holds for this visit.
  }
}

export function beginTheme(): void {
  let kept: string | null = null;
  try {
    kept = localStorage.getItem(KEPT);
  } catch {
    // Nothing is kept here.
  }
  choice.value = kept === 'light' || kept === 'dark' ? kept : 'auto';
  document.documentElement.dataset.theme = choice.value;
}
