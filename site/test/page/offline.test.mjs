// Without a network: a second visit, the single file, any path.

import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { dist, drawn, figure, launch, lesson, listen, open, settled } from './harness.mjs';

let browser;

before(async () => {
  browser = await launch();
});

after(async () => {
  await browser.close();
});

test('P2: the second visit works with the server gone', async () => {
  const served = await listen();
  const { page, close } = await open(browser, served.address, { serviceWorkers: 'allow' });
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  await served.close();
  await page.goto('about:blank');
  await page.goto(served.address);
  await drawn(page);
  await lesson(page, 'mig');
  figure('P2', 'the page and its engine come up with the server stopped');
  await close();
});

test('P3: the single file works from file://, and can send nothing', async () => {
  const file = join(dist, 'playground-offline.html');
  const kb = statSync(file).size / 1000;
  const address = pathToFileURL(file).href;
  const { page, faults, requests, close } = await open(browser, address);
  await lesson(page, 'prefetch');
  await page.getByRole('tab', { name: 'Text' }).click();
  await page.locator('#line-text').fill('[[device]]\nname = "g"\n[[job]]\nname = "a"\n');
  await settled(page);
  const policy = await page.locator('meta[http-equiv]').getAttribute('content');
  assert.match(policy, /connect-src 'none'/);
  const sent = await page.evaluate(() =>
    fetch('http://127.0.0.1:9/').then(
      () => 'sent',
      () => 'no',
    ),
  );
  assert.equal(sent, 'no');
  assert.deepEqual(
    requests.filter((it) => !it.startsWith('file:') && !it.includes(':9/')),
    [],
  );
  assert.deepEqual(
    faults.filter((it) => !it.includes('127.0.0.1:9')),
    [],
  );
  figure('P3', `${kb.toFixed(0)} kB (600), works from file:// with connect-src 'none'`);
  assert.ok(kb <= 600);
  await close();
});

test('P4: it works below any path', async () => {
  const served = await listen('/any/path/');
  const { page, faults, close } = await open(browser, served.address);
  await lesson(page, 'balance');
  assert.deepEqual(faults, []);
  await close();
  await served.close();
  figure('P4', 'the same files at / and at /any/path/');
});
