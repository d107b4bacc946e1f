// A browser on the built page: Debian's Chromium, without a GPU, as the criteria say.

import { appendFileSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serve } from '../../serve.mjs';

export const site = join(dirname(fileURLToPath(import.meta.url)), '../..');
export const repository = join(site, '..');
export const dist = join(site, 'dist');

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function launch(flags = []) {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  return chromium.launch({ executablePath, args: [...FLAGS, ...flags] });
}

export async function listen(prefix = '/') {
  const server = serve(dist, prefix);
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const address = `http://127.0.0.1:${server.address().port}${prefix}`;
  return { server, address, close: () => new Promise((done) => server.close(done)) };
}

// A page of its own, with what went wrong on it and what it asked the network for.
export async function open(browser, address, options = {}) {
  const { hash = '', ...context } = options;
  const made = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    serviceWorkers: 'block',
    ...context,
  });
  const page = await made.newPage();
  const faults = [];
  const requests = [];
  page.on('console', (it) => {
    const text = it.text();
    if (text.includes('Service Worker registration blocked')) return;
    if (['error', 'warning'].includes(it.type())) faults.push(text);
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith('blob:')) requests.push(request.url());
  });
  await page.addInitScript(() => {
    globalThis.violations = [];
    addEventListener('securitypolicyviolation', (it) => {
      globalThis.violations.push(it.violatedDirective);
    });
  });
  await page.goto(address + hash);
  await drawn(page);
  return { page, faults, requests, close: () => made.close() };
}

// Waits until the chart is there, and the answer to why.
export async function drawn(page) {
  await page.waitForFunction(() => performance.getEntriesByName('chart').length > 0, null, {
    timeout: 20_000,
  });
  await settled(page);
}

// Waits until what was asked has been planned and answered.
export function settled(page) {
  return page.waitForFunction(
    () => {
      const { store } = globalThis.lineside;
      const side = store.active.value;
      const planned = side.latest.value?.text === side.text.value && !side.isPlanning.value;
      const of = store.whyOf.value;
      const refused = side.latest.value?.refused;
      return planned && (refused || (of && of.plan === side.plan.value));
    },
    null,
    { timeout: 20_000 },
  );
}

// Opens a lesson from the list, as a user does.
export async function lesson(page, slug) {
  await page.selectOption('#lesson', slug);
  await page.waitForFunction((it) => globalThis.lineside.store.lesson.value?.slug === it, slug);
  await settled(page);
}

export async function axe(page) {
  const source = readFileSync(join(site, 'node_modules/axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
  return page.evaluate(async () => {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const found = await globalThis.axe.run(document, { runOnly: { type: 'tag', values: tags } });
    const show = (it) => `${it.id}: ${it.nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`;
    return {
      violations: found.violations.map(show),
      incomplete: found.incomplete.map((it) => it.id),
    };
  });
}

export function figure(criterion, text) {
  const line = `${criterion}: ${text}`;
  console.log(`FIGURE ${line}`);
  // Where the chores of the repository collect what was run.
  const tally = process.env.LINESIDE_TALLY;
  if (tally) appendFileSync(tally, `site ${line}\n`);
}

export function median(values) {
  return [...values].sort((one, other) => one - other)[values.length >> 1];
}

export function percentile(values, percent) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)] ?? 0;
}

// A line of legacy tools that each have many images: as many leases as are asked for.
export function manyLeases(leases, units, tools = units) {
  let text = '[policy]\nplacement = "balance"\n';
  for (let at = 0; at < units; at++) text += `[[device]]\nname = "gpu${at}"\nmemory = "8GiB"\n`;
  const images = Math.round(leases / tools);
  for (let at = 0; at < tools; at++) {
    text += `[[job]]\nname = "tool${at}"\nkind = "legacy"\nimages = ${images}\n`;
    text += `time = "${5 + (at % 7)}ms"\nevery = "${9 + (at % 5)}ms"\n`;
  }
  return text;
}
