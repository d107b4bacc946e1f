// Builds the page into dist/: the files, the one-file page for machines without a network, and the
// picture of the first lesson for readers without scripts.

import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import * as esbuild from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, 'dist');
const pkg = join(here, '../wasm/pkg');
const cargo = await readFile(join(here, '../Cargo.toml'), 'utf8');
const version = /^version = "(.*)"$/m.exec(cargo)[1];

const common = {
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  loader: { '.toml': 'text', '.csv': 'text' },
  absWorkingDir: here,
  logLevel: 'warning',
  legalComments: 'none',
};

function hash(bytes) {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 10);
}

async function bundle(entry, options = {}) {
  const result = await esbuild.build({
    ...common,
    ...options,
    entryPoints: [entry],
    write: false,
  });
  return Buffer.from(result.outputFiles[0].contents);
}

const written = [];

async function write(name, bytes) {
  await mkdir(dirname(join(dist, name)), { recursive: true });
  await writeFile(join(dist, name), bytes);
  written.push(name);
}

// A name that changes with what is in the file.
async function writeHashed(stem, extension, bytes) {
  const name = `${stem}-${hash(bytes)}.${extension}`;
  await write(name, bytes);
  return name;
}

// The schedule of the first lesson, drawn here by the engine itself.
async function firstSchedule() {
  const entry = join(dist, '.static.mjs');
  const code = await bundle('src/static.ts', { platform: 'node', define: {} });
  await mkdir(dist, { recursive: true });
  await writeFile(entry, code);
  const made = await import(pathToFileURL(entry));
  const svg = made.draw(await readFile(join(pkg, 'lineside_wasm_bg.wasm')));
  await rm(entry);
  return svg;
}

function fill(template, parts) {
  return template.replace(/%(\w+)%/g, (_, name) => parts[name]);
}

const CSP = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "worker-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

async function files(module, css, svg, template) {
  const worker = await bundle('src/worker.ts');
  const workerName = await writeHashed('assets/worker', 'js', worker);
  const moduleName = await writeHashed('assets/engine', 'wasm', module);
  const cssName = await writeHashed('assets/style', 'css', css);
  const define = {
    LINESIDE_VERSION: JSON.stringify(version),
    LINESIDE_WORKER: JSON.stringify(workerName),
    LINESIDE_MODULE: JSON.stringify(moduleName),
  };
  const main = await bundle('src/main.tsx', { define });
  const mainName = await writeHashed('assets/main', 'js', main);
  // Not part of the page: for the pages of others. It has a name that stays.
  await write('embed.js', await bundle('src/embed.ts', { define }));
  const preload = [
    `<link rel="modulepreload" href="${mainName}">`,
    `<link rel="preload" href="${moduleName}" as="fetch" crossorigin>`,
  ].join('\n');
  const head = `<link rel="stylesheet" href="${cssName}">\n${preload}`;
  const scripts = `<script type="module" src="${mainName}"></script>`;
  const html = fill(template, { csp: CSP, head, svg, scripts, icon });
  await write('index.html', html);
  await write('404.html', html);
  await write('.nojekyll', '');
  await write('icon.svg', await readFile(join(here, 'src/icon.svg')));
  await write('manifest.webmanifest', await readFile(join(here, 'src/manifest.webmanifest')));
  const kept = written.filter(
    (name) => !name.startsWith('.') && !['404.html', 'embed.js'].includes(name),
  );
  const offline = {
    LINESIDE_FILES: JSON.stringify(['./', ...kept]),
    LINESIDE_BUILD: JSON.stringify(hash(html)),
  };
  await write('sw.js', await bundle('src/sw.ts', { define: offline, format: 'iife' }));
}

// Everything in one file, for `file://`. It can't send anything: its policy has no connection.
async function single(module, css, svg, template) {
  const platform = {
    name: 'platform',
    setup(build) {
      build.onResolve({ filter: /\/platform\.ts$/ }, () => {
        return { path: join(here, 'src/platform.single.ts') };
      });
    },
  };
  const define = { LINESIDE_VERSION: JSON.stringify(version) };
  const main = await bundle('src/single.ts', { define, plugins: [platform] });
  // A worker of modules may not come from a blob of a file.
  const silent = { 'empty-import-meta': 'silent' };
  const worker = await bundle('src/worker.ts', { format: 'iife', logOverride: silent });
  const script = main.toString().replaceAll('</script', '<\\/script');
  const digest = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const csp = [
    "default-src 'none'",
    `script-src ${digest(script)} 'wasm-unsafe-eval' blob:`,
    `style-src ${digest(css)}`,
    'img-src data: blob:',
    'worker-src blob:',
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const carried = (id, bytes) => {
    const packed = deflateRawSync(bytes, { level: 9 }).toString('base64');
    return `<script type="application/octet-stream" id="${id}">${packed}</script>`;
  };
  const scripts = [
    carried('lineside-worker', worker),
    carried('lineside-module', module),
    `<script type="module">${script}</script>`,
  ].join('\n');
  const head = `<style>${css}</style>`;
  const local = template.replace(/^.*rel="manifest".*\n/gm, '');
  await write('playground-offline.html', fill(local, { csp, head, svg, scripts, icon }));
}

await rm(dist, { recursive: true, force: true });
const module = await readFile(join(pkg, 'lineside_wasm_bg.wasm'));
const css = (await bundle('src/style/main.css')).toString().trim();
const template = await readFile(join(here, 'src/index.html'), 'utf8');
const svg = await firstSchedule();
// In the page itself: a browser asks for an icon file again at each change of the address.
const icon = encodeURIComponent(await readFile(join(here, 'src/icon.svg'), 'utf8'));
await files(module, css, svg, template);
await single(module, css, svg, template);
console.error(`site/dist: ${written.length} files`);
