// Runs the tests: `node test/run.mjs [unit|page] [part of a name]`. Tests in TypeScript are bundled
// first; Node of this version reads no types.

import { spawnSync } from 'node:child_process';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const made = join(here, '../../target/site-test');
const [kind = '', part = ''] = process.argv.slice(2);

async function filesOf(folder, ending) {
  const names = await readdir(join(here, folder));
  const wanted = names.filter((name) => name.endsWith(ending) && name.includes(part));
  return wanted.sort().map((name) => join(here, folder, name));
}

function run(files, name) {
  if (files.length === 0) return true;
  console.error(`\n== ${name}`);
  const flags = ['--test', '--test-concurrency=1', '--test-reporter=spec'];
  const { status } = spawnSync(process.execPath, [...flags, ...files], { stdio: 'inherit' });
  return status === 0;
}

async function unit() {
  await rm(made, { recursive: true, force: true });
  await mkdir(made, { recursive: true });
  const entryPoints = await filesOf('unit', '.test.ts');
  await esbuild.build({
    entryPoints,
    outdir: made,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.toml': 'text', '.csv': 'text' },
    logLevel: 'warning',
  });
  const names = (await readdir(made)).filter((name) => name.endsWith('.mjs'));
  return run(
    names.map((name) => join(made, name)),
    'units',
  );
}

let good = true;
if (kind !== 'page') good = (await unit()) && good;
if (kind !== 'unit') good = run(await filesOf('page', '.test.mjs'), 'page') && good;
process.exitCode = good ? 0 : 1;
