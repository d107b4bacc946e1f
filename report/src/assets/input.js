// What the reader does with the chart: pointer, wheel, keys; hover and focus say what and why.

const tip = document.getElementById('tip');
const detail = document.getElementById('detail');

/** Shows a stretch of time, kept inside the record. */
function show(from, to) {
  const all = Math.max(1, data.end);
  const width = Math.min(all, Math.max(to - from, Math.max(1, all * 1e-7)));
  const begin = Math.min(Math.max(0, from), all - width);
  Object.assign(state, { from: begin, to: begin + width });
  draw();
}

/** Zooms by a factor, and keeps what is under a pixel where it is. */
function zoom(factor, px = (size.left + size.right) / 2) {
  const t = timeAt(Math.min(Math.max(px, size.left), size.right));
  show(t - (t - state.from) * factor, t + (state.to - t) * factor);
}

function pan(share) {
  const step = (state.to - state.from) * share;
  show(state.from + step, state.to + step);
}

const fitAll = () => show(0, Math.max(1, data.end));

/** What is under a point of the canvas: a mark, a bar, or the queue. */
function pick(px, py) {
  if (px < size.left || px > size.right) return null;
  if (py >= AXIS && py < AXIS + QUEUE) return { queue: timeAt(px) };
  const y = py - TOP + view.scrollTop;
  const row = py < TOP ? null : rows.find((it) => y >= it.y - 2 && y <= it.y + it.height + 2);
  if (!row || row.caption) return null;
  for (const kind of [...ORDER].reverse()) {
    const near = (mark) => Math.abs(x(mark.t) - (kind === 'failed' ? 7 : 0) - px) < 7;
    const mark = row.marks.find((it) => it.kind === kind && near(it));
    if (mark) return { row, mark };
  }
  const t = timeAt(px);
  const slack = ((state.to - state.from) / (size.right - size.left)) * 2;
  for (const layer of [...row.layers].reverse()) {
    const at = firstAfter(layer, t);
    for (const near of [at, at - 1]) {
      if (near < 0 || near >= layer.n) continue;
      if (layer.from[near] > t + slack || layer.to[near] < t - slack) continue;
      return { row, layer, at: near };
    }
  }
  const outage = row.outages.find((it) => it.from <= t && t <= it.to);
  return outage ? { row, outage } : null;
}

const barAt = ({ layer, at }) => ({ from: layer.from[at], to: layer.to[at], job: layer.job[at],
  kind: layer.kind[at], lease: layer.lease[at] });

/** The facts about what was picked. */
function said(found) {
  if (found.queue !== undefined) return queueFacts(found.queue);
  if (found.mark) return markFacts(found.mark);
  if (found.outage) {
    const { down, from, to } = found.outage;
    return [`${found.row.name} ${down ? 'down' : 'draining'}`, `${moment(from)} – ${moment(to)}`];
  }
  return facts(found.row, barAt(found));
}

function queueFacts(t) {
  let length = 0;
  for (let at = 0; at < data.queue.length && data.queue[at] <= t; at += 2) {
    length = data.queue[at + 1];
  }
  const jobs = length === 1 ? '1 job' : `${length} jobs`;
  return [`${jobs} in the queue`, `at ${moment(Math.round(t))}`];
}

/** Facts as elements; names only ever become text. */
function write(into, lines) {
  into.replaceChildren(...lines.map((text, at) => {
    const line = document.createElement(at === 0 ? 'b' : 'span');
    line.textContent = text;
    return line;
  }));
}

function hover(event) {
  const box = canvas.getBoundingClientRect();
  const found = pick(event.clientX - box.left, event.clientY - box.top);
  state.hover = found;
  canvas.style.cursor = found ? 'pointer' : 'grab';
  tip.hidden = !found;
  if (found) {
    write(tip, said(found));
    const [width, height] = [tip.offsetWidth, tip.offsetHeight];
    const left = Math.min(event.clientX + 14, document.documentElement.clientWidth - width - 8);
    const below = event.clientY + 18 + height < window.innerHeight;
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${Math.max(8, below ? event.clientY + 18 : event.clientY - height - 12)}px`;
  }
  draw();
}

function leave() {
  state.hover = null;
  tip.hidden = true;
  draw();
}

/** Selects, says so, and brings into view. */
function select(found) {
  state.selected = found;
  if (!found) {
    detail.replaceChildren();
    draw();
    return;
  }
  write(detail, said(found));
  if (found.row) reveal(found);
  draw();
}

function reveal({ row, layer, at }) {
  const [top, bottom] = [view.scrollTop, view.scrollTop + size.height - TOP];
  if (row.y < top) view.scrollTop = row.y - 8;
  if (row.y + row.height > bottom) view.scrollTop = row.y + row.height + 8 - (size.height - TOP);
  if (at === undefined) return;
  const [from, to, width] = [layer.from[at], layer.to[at], state.to - state.from];
  if (from < state.from) show(from - width * 0.1, from + width * 0.9);
  else if (to > state.to && to - from < width) show(to - width * 0.9, to + width * 0.1);
  else if (from > state.to) show(from - width * 0.1, from + width * 0.9);
}

/** Bars of a row, of all its layers, in order of time. */
function barsIn(row) {
  const all = [];
  for (const layer of row.layers) {
    for (let at = 0; at < layer.n; at += 1) all.push({ row, layer, at });
  }
  return all.sort((a, b) => a.layer.from[a.at] - b.layer.from[b.at]);
}

function step(by) {
  const now = state.selected?.row ?? rows.find((row) => row.layers.some((layer) => layer.n));
  if (!now) return;
  const all = barsIn(now);
  if (!all.length) return;
  const held = state.selected;
  const here = all.findIndex((it) => it.layer === held?.layer && it.at === held?.at);
  const next = here < 0 ? (by > 0 ? 0 : all.length - 1) : here + by;
  select(all[Math.min(Math.max(0, next), all.length - 1)]);
}

/** To the bar of the next row that has any, at about the same time. */
function otherRow(by) {
  const held = state.selected;
  const t = held?.layer ? held.layer.from[held.at] : state.from;
  let at = held?.row ? rows.indexOf(held.row) : by > 0 ? -1 : rows.length;
  for (at += by; at >= 0 && at < rows.length; at += by) {
    const all = barsIn(rows[at]);
    if (!all.length) continue;
    const gap = (it) => Math.abs(it.layer.from[it.at] - t);
    select(all.reduce((best, it) => (gap(it) < gap(best) ? it : best)));
    return;
  }
}

function ends(first) {
  const row = state.selected?.row;
  const all = row ? barsIn(row) : [];
  if (all.length) select(first ? all[0] : all[all.length - 1]);
}

function toSelected() {
  const held = state.selected;
  if (!held?.layer) return;
  const [from, to] = [held.layer.from[held.at], held.layer.to[held.at]];
  const room = Math.max(to - from, 1);
  show(from - room, to + room);
}

const KEYS = {
  '+': () => zoom(0.6), '=': () => zoom(0.6), w: () => zoom(0.6),
  '-': () => zoom(1 / 0.6), s: () => zoom(1 / 0.6),
  a: () => pan(-0.2), d: () => pan(0.2), 0: fitAll, f: fitAll,
  ArrowLeft: () => step(-1), ArrowRight: () => step(1),
  ArrowUp: () => otherRow(-1), ArrowDown: () => otherRow(1),
  Home: () => ends(true), End: () => ends(false),
  Enter: toSelected, Escape: () => select(null),
};

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const act = event.shiftKey && event.key.startsWith('Arrow')
    ? { ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2) }[event.key] : KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

function wheel(event) {
  const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
  const ours = event.ctrlKey || event.metaKey || document.activeElement === view;
  if (sideways && state.to - state.from < data.end) {
    event.preventDefault();
    pan(event.deltaX / (size.right - size.left));
  } else if (ours && !event.shiftKey) {
    event.preventDefault();
    zoom(Math.exp(Math.max(-80, Math.min(80, event.deltaY)) * 0.004),
      event.clientX - canvas.getBoundingClientRect().left);
  }
}

/** Drag with one pointer, pinch with two. */
const pointers = new Map();
let moved = false;

function press(event) {
  pointers.set(event.pointerId, event.clientX);
  moved = false;
}

function move(event) {
  const before = pointers.get(event.pointerId);
  if (before === undefined) {
    hover(event);
    return;
  }
  const other = [...pointers].find(([id]) => id !== event.pointerId);
  const dx = event.clientX - before;
  if (Math.abs(dx) < 3 && !moved) return;
  if (!moved) canvas.setPointerCapture(event.pointerId);
  moved = true;
  leave();
  pointers.set(event.pointerId, event.clientX);
  if (other) {
    const [was, is] = [Math.abs(before - other[1]), Math.abs(event.clientX - other[1])];
    const middle = (event.clientX + other[1]) / 2 - canvas.getBoundingClientRect().left;
    zoom(Math.max(was, 10) / Math.max(is, 10), middle);
  } else {
    pan(-dx / (size.right - size.left));
  }
}

function lift(event) {
  const pressed = pointers.delete(event.pointerId);
  if (!pressed || moved || event.type !== 'pointerup') return;
  const box = canvas.getBoundingClientRect();
  select(pick(event.clientX - box.left, event.clientY - box.top));
}

function begin() {
  document.documentElement.classList.add('js');
  live.hidden = false;
  document.querySelector('.tools').hidden = false;
  document.getElementById('keys').textContent = 'Drag to pan. Click, then use the wheel or '
    + '+ and − to zoom; 0 shows all. Arrow keys go from bar to bar, Enter zooms in on one.';
  readColours();
  resize();
  new ResizeObserver(resize).observe(view);
  view.addEventListener('scroll', draw, { passive: true });
  view.addEventListener('keydown', key);
  view.addEventListener('wheel', wheel, { passive: false });
  canvas.addEventListener('pointerdown', press);
  canvas.addEventListener('pointermove', move);
  canvas.addEventListener('pointerup', lift);
  canvas.addEventListener('pointercancel', lift);
  canvas.addEventListener('pointerleave', leave);
  canvas.addEventListener('dblclick', (event) => {
    zoom(0.4, event.clientX - canvas.getBoundingClientRect().left);
  });
  document.querySelector('.tools').addEventListener('click', (event) => {
    const act = event.target.dataset.act;
    if (act) ({ in: () => zoom(0.6), out: () => zoom(1 / 0.6), fit: fitAll })[act]();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    readColours();
    draw();
  });
}

begin();
