// The line as a form. It reads the places of the values from the engine and changes only them, so
// comments and order of the text stay.

import { useSignal } from '@preact/signals';
import type { Value } from '../edit.ts';
import { type Field, KINDS, type Kind, POLICY } from '../fields.ts';
import { words } from '../lang/lang.ts';
import type { OutlineTable, Plan } from '../model.ts';
import { active } from '../store.ts';
import { Icon, IconButton } from './icons.tsx';

const TABLES_MAX = 60;

export function Form() {
  const w = words.value;
  const plan = active.value.latest.value;
  if (!plan) return <p class="dim">{w.loading}</p>;
  return (
    <div class="form">
      {KINDS.map((kind) => (
        <Group key={kind.table} kind={kind} plan={plan} />
      ))}
      <Policy plan={plan} />
    </div>
  );
}

function titles() {
  const w = words.value;
  return {
    job: [w.tools, w.addTool],
    device: [w.devices, w.addDevice],
    model: [w.models, w.addModel],
    stream: [w.streams, w.addStream],
    fault: [w.faults, w.addFault],
  } as const;
}

function Group({ kind, plan }: { kind: Kind; plan: Plan }) {
  const tables = plan.outline.filter((table) => table.name === kind.table);
  const [title, add] = titles()[kind.table];
  return (
    <section class="form-group" aria-label={title}>
      <h3>{title}</h3>
      {tables.slice(0, TABLES_MAX).map((table) => (
        <Table key={table.index} kind={kind} table={table} plan={plan} />
      ))}
      {tables.length > TABLES_MAX && <p class="dim">{words.value.queueMore(tables.length - 60)}</p>}
      <button type="button" class="button small" onClick={() => addTable(kind, plan)}>
        <Icon name="plus" /> {add}
      </button>
    </section>
  );
}

const NAMES = { job: 'tool', device: 'gpu', model: 'model', stream: 'stream', fault: '' };

function addTable(kind: Kind, plan: Plan): void {
  const taken = new Set(plan.outline.map((table) => given(table, 'name')));
  let number = plan.outline.filter((table) => table.name === kind.table).length;
  const name = () => `${NAMES[kind.table]}${number}`;
  while (taken.has(name())) number += 1;
  let entries: [string, Value][] = [['name', name()], ...kind.entries];
  if (kind.table === 'fault') {
    const unit = plan.line.units[0]?.name ?? 'gpu0';
    entries = [
      ['at', '10ms'],
      ['unit', unit],
      ['event', 'down'],
    ];
  }
  active.peek().change({ kind: 'add', table: kind.table, entries });
}

function given(table: OutlineTable, key: string): unknown {
  return table.entries.find((entry) => entry.key === key)?.value;
}

function Table({ kind, table, plan }: { kind: Kind; table: OutlineTable; plan: Plan }) {
  const w = words.value;
  const [title] = titles()[kind.table];
  const name = String(given(table, 'name') ?? `${title} ${table.index + 1}`);
  const first = kind.fields.filter((field) => field.first);
  const rest = kind.fields.filter((field) => !field.first);
  const set = rest.filter((field) => given(table, field.key) !== undefined);
  const open = useSignal(false);
  const shown = open.value ? rest : set;
  const own = { index: table.index, tableName: kind.table, table, plan };
  return (
    <fieldset class={`form-table form-${kind.table}`}>
      <legend class="hidden">{name}</legend>
      <div class="fields">
        {first.map((field) => (
          <FieldView key={field.key} field={field} of={name} {...own} />
        ))}
        {shown.map((field) => (
          <FieldView key={field.key} field={field} of={name} {...own} />
        ))}
      </div>
      <div class="form-actions">
        {rest.length > 0 && (
          <button
            type="button"
            class="link"
            aria-expanded={open.value}
            aria-label={w.moreOf(name)}
            onClick={() => {
              open.value = !open.value;
            }}
          >
            <span aria-hidden="true">{open.value ? '−' : '+'}</span> {w.more}
          </button>
        )}
        <IconButton
          icon="bin"
          label={w.remove(name)}
          onClick={() => {
            active.peek().change({ kind: 'remove', table: kind.table, index: table.index });
          }}
        />
      </div>
    </fieldset>
  );
}

interface FieldProps {
  field: Field;
  of: string;
  tableName: string;
  index: number;
  table: OutlineTable | undefined;
  plan: Plan;
}

function FieldView(props: FieldProps) {
  const { field, of, table, plan } = props;
  const w = words.value;
  const label = w.fields[field.key] ?? field.key;
  const entry = table?.entries.find((it) => it.key === field.key);
  const written = entry ? plan.text.slice(entry.at[0], entry.at[1]) : '';
  const isText = typeof entry?.value === 'string';
  const shown = isText ? String(entry?.value) : written;
  const problems = plan.problems.filter((it) => {
    return entry && it.from < entry.at[1] && it.to > entry.key_at[0] && it.severity === 'error';
  });
  const common = {
    'aria-label': `${label}: ${of}`,
    'aria-invalid': problems.length > 0 ? true : undefined,
    'data-key': field.key,
  };
  const choices = choicesOf(field, plan);
  return (
    <label class={`field field-${field.key} field-${field.kind}`}>
      <span>{label}</span>
      {choices ? (
        <select {...common} value={shown || field.default} onChange={(event) => put(props, event)}>
          {!choices.includes(shown || field.default) && <option>{shown || field.default}</option>}
          {choices.map((it) => (
            <option key={it} value={it}>
              {choiceName(it)}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...common}
          type="text"
          inputMode={field.kind === 'number' ? 'numeric' : 'text'}
          value={shown}
          placeholder={field.default || '–'}
          spellcheck={false}
          autocomplete="off"
          onChange={(event) => put(props, event)}
        />
      )}
    </label>
  );
}

function choicesOf(field: Field, plan: Plan): readonly string[] | null {
  if (field.of) {
    const tables = plan.outline.filter((table) => table.name === field.of);
    return ['', ...tables.map((table) => String(given(table, 'name') ?? ''))];
  }
  return field.choices ?? null;
}

function choiceName(choice: string): string {
  const w = words.value;
  if (choice === 'standard') return w.standard;
  if (choice === 'legacy') return w.legacy;
  return choice || '–';
}

// Writes what was entered: as a number where it is one, as it is where it is a list or a table.
function put(props: FieldProps, event: Event): void {
  const { field, tableName, index, table } = props;
  const text = (event.currentTarget as HTMLInputElement).value.trim();
  const isThere = table?.entries.some((entry) => entry.key === field.key) ?? false;
  const at = { table: tableName, index, key: field.key };
  const side = active.peek();
  if (text === '' && field.kind !== 'name') {
    if (isThere) side.change({ kind: 'unset', ...at });
    return;
  }
  if (!isThere && text === field.default) return;
  side.change({ kind: 'set', ...at, value: valueFrom(field, text) });
}

function valueFrom(field: Field, text: string): Value {
  const isRaw = field.kind === 'raw' || text.startsWith('[') || text.startsWith('{');
  if (isRaw && field.kind !== 'name') return { toml: text };
  if (field.kind === 'number' && /^[+-]?\d+$/.test(text)) return Number(text);
  return text;
}

function Policy({ plan }: { plan: Plan }) {
  const w = words.value;
  const table = plan.outline.find((it) => it.name === 'policy');
  return (
    <section class="form-group" aria-label={w.policy}>
      <h3>{w.policy}</h3>
      <div class="form-table fields">
        {POLICY.map((field) => (
          <FieldView
            key={field.key}
            field={field}
            of={w.policy}
            tableName="policy"
            index={0}
            table={table}
            plan={plan}
          />
        ))}
      </div>
    </section>
  );
}
