// Serves dist/ on this machine alone: `node serve.mjs [PORT]`.

import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
};

export function serve(folder, prefix = '/') {
  return createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    const inside = path.startsWith(prefix) ? path.slice(prefix.length) : '';
    let file = join(folder, normalize(`/${inside}`));
    if (existsSync(file) && statSync(file).isDirectory()) file = join(file, 'index.html');
    if (!path.startsWith(prefix) || !existsSync(file)) {
      response.writeHead(404).end('not found');
      return;
    }
    response.writeHead(200, {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      'cache-control': 'no-cache',
    });
    createReadStream(file).pipe(response);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const port = Number(process.argv[2] ?? 8017);
  serve(join(dirname(fileURLToPath(import.meta.url)), 'dist')).listen(port, '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${port}/`);
  });
}
