// The keys of a line file that the form has fields for. What is wrong with a value the reader says,
// not the form.

export type FieldKind = 'text' | 'number' | 'choice' | 'list' | 'raw' | 'name';

export interface Field {
  key: string;
  kind: FieldKind;
  choices?: readonly string[];
  // Names of the tables of this kind are the choices.
  of?: string;
  default: string;
  // Shown without being asked for.
  first?: boolean;
}

const choice = (key: string, choices: readonly string[], first = false): Field => {
  return { key, kind: 'choice', choices, default: choices[0]!, first };
};

export const JOB: Field[] = [
  { key: 'name', kind: 'name', default: '', first: true },
  choice('kind', ['standard', 'legacy'], true),
  { key: 'images', kind: 'number', default: '1', first: true },
  { key: 'time', kind: 'list', default: '0s', first: true },
  { key: 'priority', kind: 'number', default: '0', first: true },
  { key: 'memory', kind: 'text', default: '0' },
  { key: 'after', kind: 'raw', default: '[]' },
  choice('phase', ['process', 'train']),
  choice('needs', ['gpu', 'cuda', 'vulkan', 'cpu', 'any']),
  { key: 'gpus', kind: 'number', default: '1' },
  { key: 'batch', kind: 'number', default: '1' },
  { key: 'inflight', kind: 'number', default: '1' },
  { key: 'threads', kind: 'number', default: '1' },
  { key: 'model', kind: 'choice', of: 'model', default: '' },
  { key: 'stream', kind: 'choice', of: 'stream', default: '' },
  { key: 'profile', kind: 'text', default: '' },
  { key: 'arrive', kind: 'text', default: '0s' },
  { key: 'every', kind: 'text', default: '' },
  { key: 'startup', kind: 'text', default: '0s' },
  { key: 'timeout', kind: 'text', default: '' },
  { key: 'retries', kind: 'number', default: '0' },
  choice('fallback', ['', 'forbid', 'allow']),
];

export const DEVICE: Field[] = [
  { key: 'name', kind: 'name', default: '', first: true },
  { key: 'memory', kind: 'text', default: '0', first: true },
  { key: 'slots', kind: 'number', default: '1', first: true },
  choice('place', ['cuda', 'vulkan', 'cpu']),
  { key: 'gpu', kind: 'text', default: '' },
  { key: 'mig', kind: 'raw', default: '' },
];

export const MODEL: Field[] = [
  { key: 'name', kind: 'name', default: '', first: true },
  { key: 'weights', kind: 'text', default: '0', first: true },
  { key: 'cold', kind: 'text', default: '0s', first: true },
];

export const STREAM: Field[] = [
  { key: 'name', kind: 'name', default: '', first: true },
  { key: 'limit', kind: 'number', default: '', first: true },
];

export const FAULT: Field[] = [
  { key: 'at', kind: 'text', default: '', first: true },
  { key: 'unit', kind: 'text', default: '', first: true },
  { key: 'job', kind: 'choice', of: 'job', default: '', first: true },
  choice('event', ['', 'down', 'up', 'drain', 'cancel'], true),
];

export const POLICY: Field[] = [
  choice('order', ['standard-first', 'fifo', 'oldest-image', 'critical-path'], true),
  choice('placement', ['fit', 'balance', 'rotate', 'pack'], true),
  { key: 'overtake', kind: 'number', default: '16', first: true },
  { key: 'patience', kind: 'text', default: '', first: true },
  choice('pool', ['keep', 'free'], true),
  { key: 'headroom', kind: 'number', default: '10', first: true },
  choice('fallback', ['forbid', 'allow'], true),
];

export interface Kind {
  table: 'job' | 'device' | 'model' | 'stream' | 'fault';
  fields: Field[];
  // Entries of a new table, but for its name.
  entries: [string, string | number][];
}

export const KINDS: Kind[] = [
  { table: 'device', fields: DEVICE, entries: [['memory', '8GiB']] },
  {
    table: 'job',
    fields: JOB,
    entries: [
      ['images', 4],
      ['time', '10ms'],
    ],
  },
  {
    table: 'model',
    fields: MODEL,
    entries: [
      ['weights', '1GiB'],
      ['cold', '20ms'],
    ],
  },
  { table: 'stream', fields: STREAM, entries: [['limit', 1]] },
  { table: 'fault', fields: FAULT, entries: [] },
];
