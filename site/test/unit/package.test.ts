// The npm package: what is in it, that it works in Node, and that its types are those of the page.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { path } from './support.ts';

test('the package has these files and no others', () => {
  const options = { cwd: path('wasm/pkg'), encoding: 'utf8' } as const;
  const packed = spawnSync('npm', ['pack', '--dry-run', '--json'], options);
  const [{ files }] = JSON.parse(packed.stdout);
  assert.deepEqual(files.map((it: { path: string }) => it.path).sort(), [
    'README.md',
    'README.zh-CN.md',
    'index.d.ts',
    'index.js',
    'lineside_wasm.d.ts',
    'lineside_wasm.js',
    'lineside_wasm_bg.wasm',
    'package.json',
  ]);
});

test('the version is that of the workspace', () => {
  const { version } = JSON.parse(readFileSync(path('wasm/npm/package.json'), 'utf8'));
  const cargo = readFileSync(path('Cargo.toml'), 'utf8');
  assert.ok(cargo.includes(`version = "${version}"\nedition`));
});

test('the example of the README runs in Node', () => {
  const readme = readFileSync(path('wasm/npm/README.md'), 'utf8');
  const [, example = ''] = /```js\n(.*?)```/s.exec(readme) ?? [];
  const here = example
    .replace("'lineside-wasm'", "'./index.js'")
    .replace(
      /new URL\(import.meta.resolve\(.*?\)\)/,
      "new URL('lineside_wasm_bg.wasm', import.meta.url)",
    );
  const file = path('wasm/pkg/example.mjs');
  writeFileSync(file, here);
  const ran = spawnSync(process.execPath, [file], { encoding: 'utf8' });
  assert.match(ran.stdout, /^detect 30000000 [0-9a-f]{64}\n$/, ran.stderr);
});

test('the types of the package are those of the page', () => {
  const types = readFileSync(path('wasm/npm/index.d.ts'), 'utf8');
  const model = readFileSync(path('site/src/model.ts'), 'utf8');
  const names = [...types.matchAll(/^export (?:interface|type) (\w+)/gm)].map((it) => it[1]!);
  const block = (text: string, name: string) => {
    const from = text.search(new RegExp(`^export (?:interface|type) ${name}\\b`, 'm'));
    return text.slice(from, text.indexOf('\n\n', from));
  };
  const own = ['Budget', 'PlannedLine'];
  assert.ok(names.length > 10);
  for (const name of names.filter((it) => !own.includes(it))) {
    assert.equal(block(types, name), block(model, name), name);
  }
});
