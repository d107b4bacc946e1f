// Links and files. Nothing is sent anywhere, and opening this stores nothing.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { perfettoOf, pngOf, svgOf } from '../exports.ts';
import { words } from '../lang/lang.ts';
import { INFLATED_MAX, LINK_LENGTH_MAX } from '../link.ts';
import { active, dialog, message, theEngine } from '../store.ts';
import { linkNow, openText } from '../sync.ts';
import { Dialog } from './dialog.tsx';

export function Share() {
  const w = words.value;
  const link = useSignal('');
  useEffect(() => {
    linkNow().then((hash) => {
      link.value = `${location.href.split('#')[0]}#${hash}`;
    });
  }, []);
  const size = 'width="100%" height="520"';
  const embed = `<iframe src="${link.value}&embed=1" title="Lineside" ${size}></iframe>`;
  return (
    <Dialog title={w.shareTitle}>
      <Copyable label={w.shareLink} text={link.value} />
      {link.value.length > LINK_LENGTH_MAX && <p class="problems-bad">{w.shareLong}</p>}
      <Copyable label={w.shareEmbed} text={embed} />
      <h3>{w.downloads}</h3>
      <div class="downloads">
        {Object.entries(FILES).map(([key, file]) => (
          <button key={key} type="button" class="button" onClick={() => save(file)}>
            {w[file.label]}
          </button>
        ))}
        <label class="button file">
          {w.openFile}
          <input type="file" accept=".toml,text/plain" onChange={openFile} />
        </label>
      </div>
      <p class="dim small-text">{w.privateNote}</p>
    </Dialog>
  );
}

interface File {
  label: 'downloadLine' | 'downloadTrace' | 'downloadPerfetto' | 'downloadSvg' | 'downloadPng';
  name: string;
  make: () => Promise<Blob | string>;
}

const FILES: Record<string, File> = {
  line: {
    label: 'downloadLine',
    name: 'line.toml',
    make: async () => active.peek().text.peek(),
  },
  trace: {
    label: 'downloadTrace',
    name: 'trace.jsonl',
    make: () => theEngine().trace(active.peek().plan.peek()!),
  },
  perfetto: {
    label: 'downloadPerfetto',
    name: 'trace.perfetto.json',
    make: async () => perfettoOf(active.peek().plan.peek()!),
  },
  svg: { label: 'downloadSvg', name: 'schedule.svg', make: async () => svgOf(active.peek()) },
  png: { label: 'downloadPng', name: 'schedule.png', make: () => pngOf(active.peek()) },
};

export function saveLine(): Promise<void> {
  return save(FILES.line!);
}

async function save(file: File): Promise<void> {
  if (!active.peek().plan.peek()) return;
  const made = await file.make();
  const address = URL.createObjectURL(made instanceof Blob ? made : new Blob([made]));
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.download = file.name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

async function openFile(event: Event): Promise<void> {
  const [file] = (event.currentTarget as HTMLInputElement).files ?? [];
  if (!file) return;
  dialog.value = '';
  if (file.size > INFLATED_MAX) message.value = 'fileTooLarge';
  else await openText(await file.text());
}

function Copyable({ label, text }: { label: string; text: string }) {
  const w = words.value;
  const copied = useSignal(false);
  return (
    <label class="copyable">
      <span>{label}</span>
      <span class="copy-row">
        <input type="text" readonly value={text} onFocus={(it) => it.currentTarget.select()} />
        <button
          type="button"
          class="button"
          onClick={async () => {
            await navigator.clipboard.writeText(text);
            copied.value = true;
          }}
        >
          {copied.value ? w.copied : w.copy}
        </button>
      </span>
    </label>
  );
}
