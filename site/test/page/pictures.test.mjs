// The pictures of the README, made here; and no picture changes unseen.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { figure, launch, listen, open, repository } from './harness.mjs';

const folder = join(repository, 'docs/images');
// Pixels that may differ: fonts are drawn a little differently on each machine.
const SHARE_MAX = 0.03;

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

// The share of pixels that differ by more than a little, found by the browser itself.
async function difference(page, one, other) {
  return page.evaluate(
    async ([first, second]) => {
      const pixels = async (data) => {
        const image = new Image();
        image.src = `data:image/png;base64,${data}`;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        const ctx = canvas.getContext('2d');
        ctx.drawImage(image, 0, 0);
        return ctx.getImageData(0, 0, image.width, image.height);
      };
      const [a, b] = [await pixels(first), await pixels(second)];
      if (a.width !== b.width || a.height !== b.height) return 1;
      let count = 0;
      for (let at = 0; at < a.data.length; at += 4) {
        const by = Math.max(
          ...[0, 1, 2].map((channel) => Math.abs(a.data[at + channel] - b.data[at + channel])),
        );
        if (by > 90) count += 1;
      }
      return count / (a.data.length / 4);
    },
    [one.toString('base64'), other.toString('base64')],
  );
}

for (const [lang, locale] of [
  ['en', 'en-US'],
  ['zh', 'zh-CN'],
]) {
  for (const colorScheme of ['light', 'dark']) {
    test(`V2: the page as it opens, ${lang}, ${colorScheme}`, async () => {
      const viewport = { width: 1360, height: 800 };
      const { page, close } = await open(browser, served.address, {
        locale,
        colorScheme,
        viewport,
      });
      await page.waitForFunction(() => globalThis.lineside.store.sideA.hash.value !== '');
      await page.evaluate(() => document.activeElement?.blur());
      await page.waitForTimeout(400);
      const picture = await page.screenshot();
      const file = join(folder, `playground-${lang}-${colorScheme}.png`);
      mkdirSync(folder, { recursive: true });
      if (process.env.BLESS || !existsSync(file)) writeFileSync(file, picture);
      const share = await difference(page, picture, readFileSync(file));
      figure('V2', `${lang} ${colorScheme}: ${(100 * share).toFixed(2)} % of the pixels differ`);
      assert.ok(share <= SHARE_MAX, `${file}: BLESS=1 makes it anew`);
      await close();
    });
  }
}

test('X7: with forced colours the page keeps its shapes', async () => {
  const { page, close } = await open(browser, served.address, { forcedColors: 'active' });
  const shown = await page
    .locator('.dot')
    .first()
    .evaluate((it) => getComputedStyle(it).backgroundColor);
  assert.notEqual(shown, 'rgba(0, 0, 0, 0)');
  figure('X7', 'dots, meters and slices keep their colours under forced colours');
  await close();
});
