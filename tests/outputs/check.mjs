// Charts by Mermaid's own parser: `node check.mjs FOLDER`, every *.mmd in it.

import { JSDOM } from "jsdom";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

// Mermaid cleans labels through a DOM; only its parser is asked for here.
const { window } = new JSDOM("");
globalThis.window = window;
globalThis.document = window.document;
const { default: mermaid } = await import("mermaid");

const folder = process.argv[2];
let charts = 0;
for (const name of readdirSync(folder).filter((name) => name.endsWith(".mmd"))) {
  const { diagramType } = await mermaid.parse(readFileSync(join(folder, name), "utf8"));
  if (diagramType !== "gantt") {
    throw new Error(`${name} is a ${diagramType}`);
  }
  charts += 1;
}
if (charts === 0) {
  throw new Error(`nothing to check in ${folder}`);
}
console.log(`${charts} charts, read by Mermaid`);
// Something in it keeps Node from ending by itself.
process.exit(0);
