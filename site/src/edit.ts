// Changes to the text of a line file that leave the rest of it as it was: comments, order, spaces.

import type { OutlineTable } from './model.ts';

// A value as it is written in TOML.
export type Value = string | number | boolean | { toml: string };

export type Change =
  | { kind: 'set'; table: string; index: number; key: string; value: Value }
  | { kind: 'unset'; table: string; index: number; key: string }
  | { kind: 'add'; table: string; entries: [string, Value][] }
  | { kind: 'remove'; table: string; index: number };

export function toml(value: Value): string {
  if (typeof value === 'object') return value.toml;
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
}

// The text with one change made.
export function addChange(text: string, outline: OutlineTable[], change: Change): string {
  switch (change.kind) {
    case 'set':
      return set(text, outline, change);
    case 'unset':
      return unset(text, outline, change);
    case 'add':
      return add(text, change);
    case 'remove':
      return remove(text, outline, change);
  }
}

function find(outline: OutlineTable[], name: string, index: number): OutlineTable | undefined {
  return outline.find((table) => table.name === name && table.index === index);
}

function set(
  text: string,
  outline: OutlineTable[],
  change: Extract<Change, { kind: 'set' }>,
): string {
  const table = find(outline, change.table, change.index);
  const written = toml(change.value);
  if (!table) {
    // Only `[line]` and `[policy]` may be missing; they come first, below what the file says.
    const block = `[${change.table}]\n${change.key} = ${written}\n`;
    const at = firstHeader(text, outline);
    return text.slice(0, at) + block + text.slice(at);
  }
  const entry = table.entries.find((it) => it.key === change.key);
  if (entry) return text.slice(0, entry.at[0]) + written + text.slice(entry.at[1]);
  if (text[table.at[0]] === '{') {
    const at = table.at[1] - 1;
    const comma = table.entries.length > 0 ? ', ' : ' ';
    return `${text.slice(0, at).trimEnd()}${comma}${change.key} = ${written} ${text.slice(at)}`;
  }
  // Behind the last of its own plain keys, so that the keys of its subtables are not joined.
  const plain = table.entries.filter((it) => it.at[0] > it.key_at[0]);
  const last = Math.max(table.at[1], ...plain.map((it) => it.at[1]));
  const at = endOfLine(text, last);
  const newline = at > 0 && text[at - 1] !== '\n' ? '\n' : '';
  return `${text.slice(0, at)}${newline}${change.key} = ${written}\n${text.slice(at)}`;
}

function unset(
  text: string,
  outline: OutlineTable[],
  change: Extract<Change, { kind: 'unset' }>,
): string {
  const table = find(outline, change.table, change.index);
  const entry = table?.entries.find((it) => it.key === change.key);
  if (!table || !entry) return text;
  if (text[table.at[0]] === '{') {
    const before = text.slice(0, entry.key_at[0]).replace(/,\s*$/, ' ');
    return before + text.slice(entry.at[1]).replace(/^\s*,\s*/, ', ');
  }
  return (
    text.slice(0, startOfLine(text, entry.key_at[0])) + text.slice(endOfLine(text, entry.at[1]))
  );
}

function add(text: string, change: Extract<Change, { kind: 'add' }>): string {
  const lines = change.entries.map(([key, value]) => `${key} = ${toml(value)}\n`);
  const newline = text === '' || text.endsWith('\n') ? '' : '\n';
  return `${text}${newline}[[${change.table}]]\n${lines.join('')}`;
}

function remove(
  text: string,
  outline: OutlineTable[],
  change: Extract<Change, { kind: 'remove' }>,
): string {
  const table = find(outline, change.table, change.index);
  if (!table || text[table.at[0]] === '{') return text;
  const from = startOfLine(text, table.at[0]);
  const headers = outline.map((it) => it.at[0]).filter((at) => at > table.at[0]);
  const to = headers.length > 0 ? startOfLine(text, Math.min(...headers)) : text.length;
  return text.slice(0, from) + text.slice(to);
}

function firstHeader(text: string, outline: OutlineTable[]): number {
  const headers = outline.map((table) => table.at[0]);
  return headers.length > 0 ? startOfLine(text, Math.min(...headers)) : text.length;
}

function startOfLine(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}
