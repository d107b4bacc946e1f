// The address bar carries the line; links of others can't break the page.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { drawn, figure, launch, lesson, listen, open, settled } from './harness.mjs';

let browser;
let served;

before(async () => {
  browser = await launch();
  served = await listen();
});

after(async () => {
  await browser.close();
  await served.close();
});

const textNow = (page) => page.evaluate(() => globalThis.lineside.store.sideA.text.value);
const rest = (page) => page.waitForTimeout(600);

test('L3: a reload keeps line, moment, zoom, tool, tab, side and language', async () => {
  const { page, close } = await open(browser, served.address);
  await lesson(page, 'legacy-rotates');
  await page.getByRole('tab', { name: 'Text' }).click();
  await page.locator('#line-text').fill(`${await textNow(page)}# 我的线\n`);
  await settled(page);
  await page.selectOption('.why select', { label: 'A' });
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await page.getByRole('button', { name: 'Next decision' }).click();
  await page.getByRole('button', { name: 'Fork' }).click();
  await settled(page);
  await page.selectOption('#language', 'zh-CN');
  await rest(page);
  const look = () =>
    page.evaluate(() => {
      const { store } = globalThis.lineside;
      const { cursor, view, selected, tab, sideA, sideB } = store;
      return {
        t: cursor.value,
        from: Math.round(view.value.from),
        job: selected.value,
        tab: tab.value,
        texts: [sideA.text.value, sideB.value?.text.value],
        lang: document.documentElement.lang,
      };
    });
  const before = await look();
  await page.reload();
  await drawn(page);
  await page.waitForFunction(() => globalThis.lineside.store.sideB.value?.plan.value);
  await settled(page);
  assert.deepEqual(await look(), before);
  await close();
});

test('L3: Back undoes the load of a lesson, not a keystroke', async () => {
  const { page, close } = await open(browser, served.address);
  await page.getByRole('tab', { name: 'Text' }).click();
  await page.locator('#line-text').press('Control+End');
  await page.locator('#line-text').pressSequentially('# one two three\n', { delay: 15 });
  await settled(page);
  await rest(page);
  const typed = await textNow(page);
  assert.ok(typed.endsWith('# one two three\n'));
  await lesson(page, 'patience');
  await rest(page);
  await page.goBack();
  await settled(page);
  assert.equal(await textNow(page), typed);
  await page.goForward();
  await page.waitForFunction(() => globalThis.lineside.store.lesson.value?.slug === 'patience');
  await close();
});

test('what was written is there again on the next visit, and a link comes before it', async () => {
  const { page, close } = await open(browser, served.address);
  await page.getByRole('tab', { name: 'Text' }).click();
  await page.locator('#line-text').fill('[[device]]\nname = "mine"\n');
  await settled(page);
  await rest(page);
  await page.goto('about:blank');
  await page.goto(served.address);
  await drawn(page);
  assert.equal(await textNow(page), '[[device]]\nname = "mine"\n');
  await page.goto('about:blank');
  await page.goto(`${served.address}#lesson=mig`);
  await drawn(page);
  assert.notEqual(await textNow(page), '[[device]]\nname = "mine"\n');
  await close();
});

test('L4: broken links are told, in both languages, and the page is usable', async () => {
  const bad = ['#l1.broken!', '#l9.x', '#l1.AAAA', '#c1.AAAA', '#%E0%A4%A'];
  for (const [at, hash] of bad.entries()) {
    const locale = at % 2 === 0 ? 'en-US' : 'zh-CN';
    const { page, faults, close } = await open(browser, served.address, { hash, locale });
    const told = await page.getByRole('alert').innerText();
    assert.match(told, locale === 'en-US' ? /The first lesson is shown/ : /显示第一课/);
    assert.match(await textNow(page), /name = "A"/);
    assert.deepEqual(faults, []);
    await close();
  }
});

test('L4: names are text wherever they go', async () => {
  const evil = [
    '<img src=x onerror=alert(1)>',
    '"><script>globalThis.hurt = 1</script>',
    "'; globalThis.hurt = 1; '",
    '{{constructor.constructor("globalThis.hurt = 1")()}}',
    '\u202ereversed',
  ];
  let line = '';
  for (const name of evil) {
    const quoted = JSON.stringify(name);
    line += `[[device]]\nname = ${quoted}\n[[job]]\nname = ${quoted}\ntime = "1ms"\n`;
  }
  const hash = `#toml=${encodeURIComponent(line)}&job=${encodeURIComponent(evil[0])}`;
  const { page, faults, close } = await open(browser, served.address, { hash });
  await page.locator('.narration summary').click();
  await page.getByRole('button', { name: 'Share' }).click();
  assert.equal(await page.evaluate(() => globalThis.hurt), undefined);
  assert.equal(await page.locator('img').count(), 0);
  assert.deepEqual(faults, []);
  await close();
});

test('L5: opening Share asks for nothing and stores nothing', async () => {
  const { page, requests, close } = await open(browser, served.address, {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await rest(page);
  const kept = () => page.evaluate(() => JSON.stringify([{ ...localStorage }, document.cookie]));
  const [before, loaded, address] = [await kept(), requests.length, page.url()];
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('dialog').waitFor();
  await page.getByRole('button', { name: 'Copy' }).first().click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(copied.startsWith(`${served.address}#l1.`), copied);
  assert.deepEqual([await kept(), requests.length, page.url()], [before, loaded, address]);
  await page.keyboard.press('Escape');
  await page.goto('about:blank');
  await page.goto(copied);
  await drawn(page);
  assert.match(await textNow(page), /name = "A"/);
  figure('L3-L5', 'reload, Back, kept text, broken links, names as text and Share hold');
  await close();
});

test('files: the line goes out and comes in', async () => {
  const { page, close } = await open(browser, served.address, { acceptDownloads: true });
  await page.getByRole('button', { name: 'Share' }).click();
  for (const label of [
    'Line file (TOML)',
    'Trace (JSON Lines)',
    'Chrome trace (Perfetto)',
    'Picture (SVG)',
    'Picture (PNG)',
  ]) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: label, exact: true }).click(),
    ]);
    const stream = await download.createReadStream();
    let size = 0;
    for await (const part of stream) size += part.length;
    assert.ok(size > 100, `${label}: ${size} bytes`);
  }
  const buffer = Buffer.from('[[device]]\nname = "from-a-file"\n');
  await page.locator('input[type=file]').setInputFiles({ name: 'x.toml', mimeType: '', buffer });
  await page.waitForFunction(() => globalThis.lineside.store.sideA.text.value.includes('from-a'));
  await close();
});
