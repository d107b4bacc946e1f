// Where the single-file build finds its parts: in the page itself.

function bytesOf(id: string): Uint8Array {
  const text = document.getElementById(id)?.textContent ?? '';
  return Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0));
}

let worker: string | undefined;
let module: ArrayBuffer | undefined;

async function inflated(id: string): Promise<ArrayBuffer> {
  const stream = new Blob([bytesOf(id) as BlobPart]).stream();
  return new Response(stream.pipeThrough(new DecompressionStream('deflate-raw'))).arrayBuffer();
}

// Opens what the page carries, before anything else runs.
export async function unpack(): Promise<void> {
  const code = await inflated('lineside-worker');
  worker = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  module = await inflated('lineside-module');
}

export function makeWorker(): Worker {
  return new Worker(worker!);
}

export function engineModule(): ArrayBuffer {
  return module!;
}

export function registerOffline(): void {
  // It is here already.
}
