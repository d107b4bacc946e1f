// Keeps the files of one build. A build has a cache of its own, so that versions never mix.

declare const LINESIDE_BUILD: string;
declare const LINESIDE_FILES: string[];

interface OfflineScope extends EventTarget {
  clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  registration: { scope: string };
}

interface WaitingEvent extends Event {
  waitUntil(promise: Promise<unknown>): void;
}

interface Fetching extends WaitingEvent {
  request: Request;
  respondWith(response: Promise<Response>): void;
}

const scope = self as unknown as OfflineScope;
const CACHE = `lineside-${LINESIDE_BUILD}`;

scope.addEventListener('install', (event) => {
  const kept = caches.open(CACHE).then((cache) => cache.addAll(LINESIDE_FILES));
  (event as WaitingEvent).waitUntil(kept.then(() => scope.skipWaiting()));
});

scope.addEventListener('activate', (event) => {
  const swept = caches.keys().then((names) => {
    const old = names.filter((name) => name.startsWith('lineside-') && name !== CACHE);
    return Promise.all(old.map((name) => caches.delete(name)));
  });
  (event as WaitingEvent).waitUntil(swept.then(() => scope.clients.claim()));
});

// What is kept comes from here, the page itself included; the rest is none of ours.
scope.addEventListener('fetch', (event) => {
  const { request } = event as Fetching;
  if (request.method !== 'GET' || !request.url.startsWith(scope.registration.scope)) return;
  const found = caches.open(CACHE).then(async (cache) => {
    const kept = await cache.match(request, { ignoreSearch: true });
    return kept ?? fetch(request);
  });
  (event as Fetching).respondWith(found);
});
