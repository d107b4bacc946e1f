// Messages of the reader in the reader's language. The English ones are the reader's own, so they
// are those of `lineside check`.

import type { Problem } from '../model.ts';
import { codesZh, sentenceZh } from './problems.zh.ts';

export interface Told {
  message: string;
  help: string;
}

const NAME = /`[^`]*`|"[^"]*"/g;

function namesIn(text: string): string {
  return [...new Set(text.match(NAME) ?? [])].join('、');
}

export function tell(problem: Problem, lang: string): Told {
  const help = problem.help ?? '';
  if (lang !== 'zh-CN') return { message: problem.message, help };
  const meaning = codesZh[problem.code] ?? problem.code;
  const names = namesIn(problem.message);
  const message = sentenceZh(problem.message) ?? (names ? `${meaning}：${names}` : meaning);
  const names2 = namesIn(help);
  return { message, help: sentenceZh(help) ?? (names2 && `请写 ${names2}`) };
}
