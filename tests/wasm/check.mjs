// node check.mjs CORE.wasm CASES.wasm LINES.bin CASES: the core imports nothing, and the lines of
// the pack have the traces and the exit codes that stand in the folder of the cases.
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [corePath, casesPath, packPath, folder] = process.argv.slice(2);

async function load(path) {
  const module = await WebAssembly.compile(readFileSync(path));
  const imports = WebAssembly.Module.imports(module);
  if (imports.length > 0) {
    throw new Error(`${path} imports ${imports.map((it) => `${it.module}.${it.name}`).join(", ")}`);
  }
  return (await WebAssembly.instantiate(module)).exports;
}

/** The lines of a pack: for each, length and name, length and line. */
function* unpack(pack) {
  let at = 0;
  const part = () => {
    const from = at + 4;
    at = from + pack.readUInt32LE(at);
    return pack.subarray(from, at);
  };
  while (at < pack.length) {
    yield { file: part().toString(), line: part() };
  }
}

function plan(cases, line) {
  const room = cases.alloc(line.length);
  new Uint8Array(cases.memory.buffer).set(line, room);
  const planned = cases.plan(room, line.length);
  const [at, length, code] = new Uint32Array(cases.memory.buffer, planned, 3);
  const trace = Buffer.from(cases.memory.buffer, at, length).toString();
  cases.free(planned);
  return { trace, code };
}

/// Says what was run, also in the file that `cargo xtask test` reads.
function tally(what) {
  console.log(what);
  if (process.env.LINESIDE_TALLY) {
    appendFileSync(process.env.LINESIDE_TALLY, `${what}\n`);
  }
}

function difference(file, found, expected) {
  const [have, want] = [found.split("\n"), expected.split("\n")];
  const at = want.findIndex((line, at) => line !== have[at]);
  return `${file}:${at + 1}\n  want ${want[at]}\n  have ${have[at]}`;
}

const core = await load(corePath);
const events = core.decide(1);
if (events === 0) {
  throw new Error("the core alone does not come to an end");
}
const cases = await load(casesPath);
const rows = readFileSync(join(folder, "EXITS.tsv"), "utf8").trimEnd().split("\n");
const exits = new Map(rows.map((row) => row.split("\t")));
const wrong = [];
let count = 0;
for (const { file, line } of unpack(readFileSync(packPath))) {
  const { trace, code } = plan(cases, line);
  const expected = readFileSync(join(folder, file.replace(/\.toml$/, ".jsonl")), "utf8");
  count += 1;
  if (trace !== expected) {
    wrong.push(difference(file, trace, expected));
  } else if (String(code) !== exits.get(file)) {
    wrong.push(`${file}: exit code ${code}, not ${exits.get(file)}`);
  }
}
if (count === 0 || wrong.length > 0) {
  throw new Error(`${wrong.length} of ${count} differ:\n${wrong.join("\n")}`);
}
tally(`core alone as wasm32: ${readFileSync(corePath).length} bytes, no imports`);
tally(`wasm32: ${count} traces, the same bytes`);
