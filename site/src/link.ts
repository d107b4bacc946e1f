// Links carry the whole line file and what is looked at: `#l1.<deflated text>&<view>`, or
// `#c1.<deflated JSON of two texts>&<view>` for a comparison. `l1` and `c1` name the codec; every
// codec that was ever used keeps its decoder here.

export interface Shared {
  text: string;
  // The other side of a comparison.
  versus?: string;
  view: View;
}

// What is looked at. A view that makes no sense is dropped, and the line is shown all the same.
export interface View {
  // Nanoseconds.
  t?: number;
  from?: number;
  to?: number;
  job?: string;
  tab?: string;
  lang?: string;
}

export type Fault = 'unknown' | 'corrupt' | 'too-large';

export class LinkError extends Error {
  constructor(readonly fault: Fault) {
    super(fault);
  }
}

// What a link may unpack to: a mebibyte of line file is more than anybody writes.
export const INFLATED_MAX = 1 << 20;
// Longer links are cut by mail programs and chats: a file is better then.
export const LINK_LENGTH_MAX = 8_000;

export async function encode(shared: Shared): Promise<string> {
  const { text, versus, view } = shared;
  const codec = versus === undefined ? 'l1' : 'c1';
  const packed = await deflate(versus === undefined ? text : JSON.stringify([text, versus]));
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(view)) {
    if (value !== undefined && value !== '') parameters.set(key, String(value));
  }
  const rest = parameters.toString();
  return `${codec}.${toBase64(packed)}${rest ? `&${rest}` : ''}`;
}

export async function decode(hash: string): Promise<Shared> {
  const body = hash.replace(/^#/, '');
  const [head = '', ...rest] = body.split('&');
  const view = readView(new URLSearchParams(rest.join('&')));
  if (head.startsWith('toml=')) {
    // For links that people and programs write by hand.
    try {
      return { text: decodeURIComponent(head.slice(5)), view };
    } catch {
      throw new LinkError('corrupt');
    }
  }
  const [codec, packed = ''] = head.split('.', 2);
  if (codec === 'l1') return { text: await inflate(fromBase64(packed)), view };
  if (codec === 'c1') return { ...pair(await inflate(fromBase64(packed))), view };
  throw new LinkError('unknown');
}

function pair(json: string): { text: string; versus: string } {
  try {
    const [text, versus] = JSON.parse(json);
    if (typeof text === 'string' && typeof versus === 'string') return { text, versus };
  } catch {
    // Told below.
  }
  throw new LinkError('corrupt');
}

function readView(parameters: URLSearchParams): View {
  const view: View = {};
  for (const key of ['t', 'from', 'to'] as const) {
    const number = Number(parameters.get(key) ?? Number.NaN);
    if (Number.isFinite(number) && number >= 0) view[key] = number;
  }
  for (const key of ['job', 'tab', 'lang'] as const) {
    const text = parameters.get(key);
    if (text) view[key] = text;
  }
  return view;
}

async function deflate(text: string): Promise<Uint8Array> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function inflate(bytes: Uint8Array): Promise<string> {
  const source = new Blob([bytes as BlobPart]).stream();
  const reader = source.pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > INFLATED_MAX) {
        await reader.cancel();
        throw new LinkError('too-large');
      }
      parts.push(value);
    }
    const whole = await new Blob(parts as BlobPart[]).arrayBuffer();
    return new TextDecoder('utf-8', { fatal: true }).decode(whole);
  } catch (error) {
    throw error instanceof LinkError ? error : new LinkError('corrupt');
  }
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 4096) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 4096));
  }
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64(text: string): Uint8Array {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    throw new LinkError('corrupt');
  }
}
