// For everybody: axe, the keyboard alone, phones, two languages, less motion, larger text.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { axe, figure, launch, lesson, listen, open, settled } from './harness.mjs';

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

const BROKEN = '[[device]]\nname = "g"\nmemry = 1\n[[job]]\nname = "a"\nkind = "standrad"\n';

// Each brings the page from the state before into one that is looked at.
const STATES = {
  start: async () => {},
  why: async (page) => {
    await page.locator('.whatif .button').click();
    await page.locator('.fixes').waitFor();
    await page.locator('.narration summary').click();
  },
  dialog: async (page) => {
    await page.locator('.top .button.primary').click();
    await page.getByRole('dialog').waitFor();
  },
  playing: async (page) => {
    await page.keyboard.press('Escape');
    await page.locator('.play').click();
  },
  text: async (page) => {
    await page.locator('.play').click();
    await page.locator('#tab-text').click();
  },
  error: async (page) => {
    await page.evaluate((text) => globalThis.lineside.store.sideA.set(text, 'changed'), BROKEN);
    await settled(page);
  },
  compare: async (page) => {
    await lesson(page, 'prefetch');
    await page.locator('.metrics').waitFor();
  },
};

test('X1: axe finds nothing, in all languages, themes, widths and states', async () => {
  let looked = 0;
  const incomplete = new Set();
  for (const locale of ['en-US', 'zh-CN']) {
    for (const colorScheme of ['light', 'dark']) {
      for (const width of [1280, 360]) {
        const context = { locale, colorScheme, viewport: { width, height: 760 } };
        const { page, close } = await open(browser, served.address, context);
        for (const [name, enter] of Object.entries(STATES)) {
          await enter(page);
          const found = await axe(page);
          assert.deepEqual(found.violations, [], `${locale} ${colorScheme} ${width} ${name}`);
          for (const it of found.incomplete) incomplete.add(it);
          looked += 1;
        }
        await close();
      }
    }
  }
  // What axe can't decide by itself; each was looked at.
  const known = ['color-contrast', 'aria-valid-attr-value'];
  assert.deepEqual(
    [...incomplete].filter((it) => !known.includes(it)),
    [],
  );
  figure('X1', `axe: 0 violations in ${looked} states; undecided: ${[...incomplete].join(', ')}`);
});

const focused = (page) =>
  page.evaluate(() => {
    const it = document.activeElement;
    return it === document.body ? '' : it.id || it.getAttribute('aria-label') || it.innerText;
  });

// Presses Tab until something is in focus; the focus may never be lost on the way.
async function tabTo(page, name, key = 'Tab') {
  for (let presses = 0; presses < 140; presses++) {
    await page.keyboard.press(key);
    const now = await focused(page);
    assert.notEqual(now, '', `the focus is lost on the way to ${name}`);
    if (typeof name === 'string' ? now === name : name.test(now)) return;
  }
  assert.fail(`${name} can't be reached`);
}

test('X2: everything can be done by keyboard alone', async () => {
  const { page, faults, close } = await open(browser, served.address);
  const store = (pick) => page.evaluate(`(${pick})(globalThis.lineside.store)`);
  await tabTo(page, 'lesson');
  await page.keyboard.press('ArrowDown');
  await page.waitForFunction(
    () => globalThis.lineside.store.lesson.value?.slug === 'legacy-rotates',
  );
  await settled(page);
  await tabTo(page, 'Schedule');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  assert.equal(await store((it) => it.cursor.value), 15e6);
  await page.keyboard.press('ArrowLeft');
  assert.equal(await store((it) => it.cursor.value), 10e6);
  await page.keyboard.press('Space');
  assert.equal(await store((it) => it.isPlaying.value), true);
  await page.keyboard.press('k');
  assert.equal(await store((it) => it.isPlaying.value), false);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Period');
  await page.keyboard.press('w');
  assert.ok(await store((it) => it.view.value !== null));
  await page.keyboard.press('0');
  await page.keyboard.press('y');
  assert.equal(await focused(page), 'why');
  await tabTo(page, 'Schedule', 'Shift+Tab');
  await page.keyboard.press('b');
  await page.waitForFunction(() => globalThis.lineside.store.sideB.value?.plan.value);
  await tabTo(page, /Add a tool/);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => {
    return globalThis.lineside.store.active.value.plan.value.line.jobs.length === 3;
  });
  await tabTo(page, 'Priority: B', 'Shift+Tab');
  await page.keyboard.type('5');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => {
    const { jobs } = globalThis.lineside.store.active.value.plan.value.line;
    return jobs.find((job) => job.name === 'B').priority === 5;
  });
  await tabTo(page, 'Close the comparison', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await tabTo(page, 'tab-form');
  await page.keyboard.press('ArrowRight');
  await tabTo(page, 'line-text');
  await page.keyboard.press('Tab');
  assert.notEqual(await focused(page), 'line-text', 'Tab leaves the text');
  await tabTo(page, /Share/, 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  assert.match(await focused(page), /Share/, 'the focus comes back');
  await tabTo(page, 'language');
  await page.keyboard.press('ArrowDown');
  await page.waitForFunction(() => document.documentElement.lang === 'zh-CN');
  assert.deepEqual(faults, []);
  figure(
    'X2',
    'lesson, play, step, why, fork, add a tool, priority, text, share, language by keys',
  );
  await close();
});

test('X3: the chart has a name and points to its text; steps are spoken', async () => {
  const { page, close } = await open(browser, served.address);
  const chart = page.getByRole('application', { name: 'Schedule' });
  assert.match(await chart.getAttribute('aria-describedby'), /chart-help/);
  await chart.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  const spoken = await page.locator('[aria-live=polite]').innerText();
  assert.match(spoken, /15.ms: B joins the queue/);
  const heard = await page.getByRole('group', { name: 'Playback' }).ariaSnapshot();
  for (const part of [
    'button "Play"',
    'slider "Time"',
    'slider "Speed"',
    'button "Next decision"',
  ]) {
    assert.ok(heard.includes(part), heard);
  }
  await close();
});

test('X4: with less motion, play jumps from decision to decision', async () => {
  const { page, close } = await open(browser, served.address, { reducedMotion: 'reduce' });
  await page.getByRole('button', { name: 'To the start' }).click();
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.waitForFunction(() => globalThis.lineside.store.cursor.value > 0);
  const t = await page.evaluate(() => globalThis.lineside.store.cursor.value);
  assert.equal(t % 5e6, 0, `${t} is an instant of the plan`);
  await close();
});

test('X5: nothing is lost at 320 pixels, nor with text twice as large', async () => {
  for (const [width, size] of [
    [320, 100],
    [640, 200],
  ]) {
    for (const locale of ['en-US', 'zh-CN']) {
      const context = { locale, viewport: { width, height: 640 } };
      const { page, close } = await open(browser, served.address, context);
      await page.evaluate((it) => {
        document.documentElement.style.fontSize = `${it}%`;
      }, size);
      await page.waitForTimeout(200);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${locale} ${width}: ${wide} pixels too wide`);
      await close();
    }
  }
  const { page, close } = await open(browser, served.address, {
    viewport: { width: 360, height: 640 },
    hasTouch: true,
  });
  const small = await page.evaluate(() => {
    const parts = document.querySelectorAll('button, select, input:not([type=file]), summary, a');
    const shown = [...parts].filter((it) => it.offsetParent && !it.closest('.hidden, .skip, p'));
    const box = (it) => it.getBoundingClientRect();
    const name = (it) => `${it.tagName} ${it.className} ${it.innerText}`;
    const less = (it, least) => box(it).width < least || box(it).height < least;
    const transport = shown.filter((it) => it.closest('.transport'));
    return {
      any: shown.filter((it) => less(it, 24) && !it.matches('[type=radio]')).map(name),
      transport: transport.filter((it) => less(it, 44)).map(name),
    };
  });
  assert.deepEqual(small, { any: [], transport: [] });
  figure('X5', 'no sideways scrolling at 320 px and at 200 %; targets 24 px, playback 44 px');
  await close();
});

test('X6: on a phone a tap selects, a drag pans, two fingers zoom', async () => {
  const { page, close } = await open(browser, served.address, {
    viewport: { width: 360, height: 640 },
    hasTouch: true,
    isMobile: true,
  });
  const chart = page.locator('.chart');
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.boundingBox();
  await page.touchscreen.tap(box.x + 40, box.y + box.height - 50);
  const job = await page.evaluate(() => globalThis.lineside.store.selected.value);
  assert.equal(job, 0);
  const client = await page.context().newCDPSession(page);
  const touch = (type, points) =>
    client.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: points.map(([x, y], id) => ({ x: box.x + x, y: box.y + y, id })),
    });
  await touch('touchStart', [[200, 90]]);
  await touch('touchStart', [
    [200, 90],
    [240, 90],
  ]);
  for (let step = 1; step <= 6; step++)
    await touch('touchMove', [
      [200 - 8 * step, 90],
      [240 + 8 * step, 90],
    ]);
  await touch('touchEnd', []);
  const zoomed = await page.evaluate(() => globalThis.lineside.store.view.value);
  assert.ok(zoomed && zoomed.to - zoomed.from < 100e6, JSON.stringify(zoomed));
  await touch('touchStart', [[250, 90]]);
  for (let step = 1; step <= 6; step++) await touch('touchMove', [[250 - 12 * step, 90]]);
  await touch('touchEnd', []);
  const panned = await page.evaluate(() => globalThis.lineside.store.view.value);
  assert.ok(panned.from > zoomed.from, `${panned.from} behind ${zoomed.from}`);
  figure('X6', 'tap, pinch and drag work at 360 × 640');
  await close();
});

test('I1: in Chinese there is no English word but names and keys', async () => {
  const { page, close } = await open(browser, served.address, { locale: 'zh-CN' });
  const allowed = new Set(
    `lineside webassembly english cpu gpu gpus mig gib mib kib ms ns s toml json lines svg png
    perfetto chrome sha headroom threads yolo space ctrl shift home end esc enter n px
    gpu0 gpu1 cpu0 a b standard-first fifo oldest-image critical-path fit balance rotate pack keep
    free forbid allow process train cuda vulkan any down up drain cancel plan hash sha-256`.split(
      /\s+/,
    ),
  );
  const strange = new Set();
  const look = async () => {
    const text = await page.evaluate(() => {
      const names = new Set();
      for (const side of [globalThis.lineside.store.sideA]) {
        const { line } = side.plan.value;
        for (const it of [...line.jobs, ...line.units, ...line.models, ...line.streams]) {
          names.add(it.name);
        }
      }
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      let shown = '';
      while (walker.nextNode()) {
        const host = walker.currentNode.parentElement;
        if (!host.closest('code, kbd, textarea, script, .hash')) {
          shown += ` ${walker.currentNode.data}`;
        }
      }
      const bySize = [...names]
        .filter((it) => it.length > 1)
        .sort((one, other) => other.length - one.length);
      for (const name of bySize) shown = shown.replaceAll(name, ' ');
      const labels = [...document.querySelectorAll('[aria-label], [title]')];
      const named = labels.map((it) => `${it.getAttribute('aria-label')} ${it.title}`).join(' ');
      return `${shown} ${bySize.reduce((text, name) => text.replaceAll(name, ' '), named)}`;
    });
    for (const word of text.match(/[A-Za-z][A-Za-z-]{2,}\d*/g) ?? []) {
      if (!allowed.has(word.toLowerCase()) && word !== 'null') strange.add(word);
    }
  };
  const slugs = await page
    .locator('#lesson option')
    .evaluateAll((all) => all.map((it) => it.value));
  await page.locator('.narration summary').click();
  for (const slug of slugs) {
    await lesson(page, slug);
    await look();
  }
  await page.locator('.top .button.primary').click();
  await look();
  // Names of things in the lessons' sentences stand for themselves.
  const names =
    /^(nightly|routine|urgent|classify|detect|barcode|inspect|pair|report|camera|read|measure)$/;
  assert.deepEqual(
    [...strange].filter((word) => !names.test(word)),
    [],
  );
  figure('I1', `no English words in ${slugs.length} lessons in Chinese`);
  await close();
});

test('I2, I3: the language changes without a reload, and keeps everything', async () => {
  const { page, close } = await open(browser, served.address);
  await lesson(page, 'overtake-bound');
  const before = await page.evaluate(() => {
    const { store } = globalThis.lineside;
    globalThis.same = true;
    return [store.cursor.value, store.selected.value, store.sideA.text.value];
  });
  await page.selectOption('#language', 'zh-CN');
  await page.waitForFunction(() => document.querySelector('.why')?.innerText.includes('在等待'));
  const after = await page.evaluate(() => {
    const { store } = globalThis.lineside;
    return [store.cursor.value, store.selected.value, store.sideA.text.value];
  });
  assert.deepEqual(after, before);
  assert.equal(await page.evaluate(() => globalThis.same), true);
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'zh-CN');
  assert.match(await page.title(), /演练场/);
  await page.waitForTimeout(500);
  const link = page.url().replace(/&lang=[\w-]+/, '');
  await close();
  const reader = await open(browser, served.address, { hash: new URL(link).hash });
  assert.match(await reader.page.locator('.why').innerText(), /pair waits/);
  await reader.close();
  figure('I2-I3', 'the state is kept; one link, each reader in their language');
});

test('I4: composing in a field neither plans nor triggers keys', async () => {
  const { page, close } = await open(browser, served.address);
  await page.getByRole('tab', { name: 'Text' }).click();
  const field = page.locator('#line-text');
  await field.focus();
  const plan = () => page.evaluate(() => globalThis.lineside.store.sideA.latest.value.id);
  const before = await plan();
  await field.evaluate((it) => {
    it.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }));
    it.value += '# jiance';
    it.dispatchEvent(new InputEvent('input', { bubbles: true, isComposing: true }));
    const options = { bubbles: true, isComposing: true, code: 'Space', key: ' ' };
    it.dispatchEvent(new KeyboardEvent('keydown', options));
  });
  await page.waitForTimeout(250);
  assert.equal(await plan(), before);
  await field.evaluate((it) => {
    it.value = it.value.replace('jiance', '检测');
    it.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true }));
  });
  await page.waitForFunction(() => globalThis.lineside.store.sideA.text.value.includes('检测'));
  await close();
});
