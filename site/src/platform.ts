// Where the page finds its parts when it is served as files. The single-file build has another
// module in its place: platform.single.ts.

declare const LINESIDE_WORKER: string;
declare const LINESIDE_MODULE: string;

export function makeWorker(): Worker {
  return new Worker(new URL(LINESIDE_WORKER, document.baseURI), { type: 'module' });
}

export function engineModule(): string {
  return new URL(LINESIDE_MODULE, document.baseURI).href;
}

// Keeps the page for visits without a network. Of a new version whoever is reading is told.
export function registerOffline(): void {
  if (!('serviceWorker' in navigator) || location.protocol === 'file:') return;
  addEventListener('load', () => {
    navigator.serviceWorker.register('sw.js').catch(() => {
      // It works with a network then.
    });
  });
}
