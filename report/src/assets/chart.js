// The chart: what is in view, drawn on a canvas whose cost is bounded by its pixels.

const live = document.getElementById('live');
const view = document.getElementById('view');
const canvas = view.querySelector('canvas');
const context = canvas.getContext('2d');

const AXIS = 30, QUEUE = data.queue.length ? 44 : 0, TOP = AXIS + QUEUE + 6;

/** What is in view, what is pointed at and what is selected. */
const state = { from: 0, to: Math.max(1, data.end), hover: null, selected: null };
const size = { width: 0, height: 0, left: 0, right: 0 };
const colours = {};
const patterns = new Map();

const FONT = '12px system-ui,-apple-system,"Segoe UI",Roboto,"PingFang SC","Microsoft YaHei",'
  + '"Noto Sans SC","Noto Sans CJK SC",sans-serif';

/** The colours of the page, which follow the reader's light or dark. */
function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ['ground', 'ink', 'soft', 'line', 'track', 'wait', 'bad', 'warn', 'evict',
    'down', 'drain']) {
    colours[name] = style.getPropertyValue(`--${name}`).trim();
  }
  patterns.clear();
}

/** The hatch of a starved lease. */
function hatch(colour) {
  if (!patterns.has(colour)) {
    const tile = new OffscreenCanvas(6, 6);
    const on = tile.getContext('2d');
    on.fillStyle = colour;
    on.globalAlpha = 0.16;
    on.fillRect(0, 0, 6, 6);
    on.globalAlpha = 0.8;
    on.strokeStyle = colour;
    on.lineWidth = 1.6;
    on.beginPath();
    for (const d of [-6, 0, 6]) {
      on.moveTo(d, 6);
      on.lineTo(d + 6, 0);
    }
    on.stroke();
    patterns.set(colour, context.createPattern(tile, 'repeat'));
  }
  return patterns.get(colour);
}

const x = (t) => size.left
  + ((t - state.from) / (state.to - state.from)) * (size.right - size.left);
const timeAt = (px) => state.from
  + ((px - size.left) / (size.right - size.left)) * (state.to - state.from);

/** Fits the canvas to its place on the page. */
function resize() {
  const width = view.clientWidth;
  // On paper, or in a folded part of a page, it has no place.
  if (width < 160) return;
  const full = rows.total + TOP;
  const height = Math.min(full, Math.max(240, Math.min(window.innerHeight * 0.72, 760)));
  const scale = window.devicePixelRatio || 1;
  Object.assign(size, { width, height, left: width < 600 ? 92 : 150, right: width - 16 });
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.height = `${height}px`;
  view.style.height = `${height}px`;
  document.getElementById('tall').style.height = `${Math.max(0, full - height)}px`;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  draw();
}

let asked = false;

/** Draws with the next frame. */
function draw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    paint();
  });
}

function paint() {
  const scroll = view.scrollTop;
  context.font = FONT;
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, size.width, size.height);
  paintGrid();
  context.save();
  context.beginPath();
  context.rect(0, TOP, size.width, size.height - TOP);
  context.clip();
  for (const row of rows) {
    const y = TOP + row.y - scroll;
    if (y + row.height < TOP || y > size.height) continue;
    paintRow(row, y);
  }
  paintSelection(scroll);
  context.restore();
  paintAxis();
  paintQueue();
}

function ticks() {
  const step = tickStep((state.to - state.from) / Math.max(2, (size.right - size.left) / 110));
  const out = [];
  for (let t = Math.ceil(state.from / step) * step; t <= state.to; t += step) out.push(t);
  return { step, at: out };
}

function paintGrid() {
  context.fillStyle = colours.line;
  for (const t of ticks().at) context.fillRect(Math.round(x(t)), AXIS - 4, 1, size.height);
}

function paintAxis() {
  const { step, at } = ticks();
  context.fillStyle = colours.soft;
  context.textBaseline = 'middle';
  context.textAlign = 'center';
  let free = 0;
  for (const t of at) {
    const text = moment(t, step);
    const half = context.measureText(text).width / 2;
    const middle = Math.min(Math.max(x(t), half + 2), size.width - half - 2);
    if (middle - half < free) continue;
    context.fillText(text, middle, AXIS / 2 - 2);
    free = middle + half + 12;
  }
}

function label(text, y, height, colour, indent) {
  context.fillStyle = colour;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  context.fillText(fit(text, size.left - 14 - indent), indent, y + height / 2 + 0.5);
}

/** The text, cut with an ellipsis to a width. */
function fit(text, width) {
  if (context.measureText(text).width <= width) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(`${text.slice(0, middle)}…`).width <= width) low = middle;
    else high = middle - 1;
  }
  return low > 0 ? `${text.slice(0, low)}…` : '';
}

function paintRow(row, y) {
  if (row.caption) {
    context.font = FONT.replace('12px', '600 12px');
    label(row.label, y + 4, row.height - 4, colours.soft, 4);
    context.font = FONT;
    return;
  }
  if (row.job !== undefined) {
    context.fillStyle = colourOf(row.job);
    roundRect(4, y + row.height / 2 - 4.5, 9, 9, 2);
    label(row.label, y, row.height, colours.ink, 19);
  } else {
    label(row.label, y, row.height, colours.ink, 4);
  }
  context.save();
  context.beginPath();
  context.rect(size.left, y - 8, size.right - size.left, row.height + 16);
  context.clip();
  if (row.track) {
    context.fillStyle = colours.track;
    roundRect(size.left, y, size.right - size.left, row.height, 3);
  }
  for (const { down, from, to } of row.outages) {
    const [left, width] = [x(from), Math.max(1.5, x(to) - x(from))];
    context.fillStyle = down ? colours.down : colours.drain;
    context.fillRect(left, y, width, row.height);
    // Bars may cover the ground: the edge below them shows all the same.
    context.fillStyle = down ? colours.bad : colours.warn;
    context.fillRect(left, y + row.height, width, 2);
  }
  for (const layer of row.layers) paintLayer(row, layer, y);
  paintMarks(row, y);
  context.restore();
}

function roundRect(left, top, width, height, radius) {
  context.beginPath();
  context.roundRect(left, top, width, height, Math.min(radius, width / 2));
  context.fill();
}

/** The first bar that ends after a time. */
function firstAfter(layer, t) {
  let [low, high] = [0, layer.n];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (layer.to[middle] > t) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Draws the bars in view. Those narrower than a pixel share it: the longest gives the colour. */
function paintLayer(row, layer, y) {
  const thin = { px: -1, bar: -1, longest: -1, covered: 0 };
  const perPixel = (state.to - state.from) / (size.right - size.left);
  const flush = () => {
    if (thin.bar < 0) return;
    context.globalAlpha = Math.max(0.35, Math.min(1, thin.covered / perPixel));
    fillBar(layer, thin.bar, thin.px, 1, y, row);
    context.globalAlpha = 1;
    Object.assign(thin, { bar: -1, longest: -1, covered: 0 });
  };
  for (let at = firstAfter(layer, state.from - perPixel); at < layer.n; at += 1) {
    const [from, to] = [layer.from[at], layer.to[at]];
    if (from > state.to) break;
    const [left, right] = [x(from), x(to)];
    if (right - left >= 1.5) {
      flush();
      const gap = right - left > 4 && row.track ? 0.8 : 0;
      fillBar(layer, at, left, right - left - gap, y, row);
      continue;
    }
    const px = Math.floor(left);
    if (px !== thin.px) {
      flush();
      thin.px = px;
    }
    thin.covered += Math.max(to - from, 1);
    if (to - from > thin.longest) Object.assign(thin, { bar: at, longest: to - from });
  }
  flush();
}

function fillBar(layer, at, left, width, y, row) {
  const [kind, job] = [layer.kind[at], layer.job[at]];
  const colour = kind === WAITING ? colours.wait : colourOf(job);
  context.fillStyle = kind === STARVED ? hatch(colour) : colour;
  const alpha = context.globalAlpha;
  if (layer.level[at] < 4) context.globalAlpha = alpha * (0.2 + 0.2 * layer.level[at]);
  if (width > 5 && row.track && layer.lease[at] >= 0) {
    roundRect(left, y, width, row.height, 2.5);
  } else {
    context.fillRect(left, y, Math.max(1, width), row.height);
  }
  context.globalAlpha = alpha;
  if (row.track && kind === BUSY) coldStripe(layer, at, left, width, y);
  if (row.track && kind === BUSY && width > 26 && row.height >= 14) {
    const begin = Math.max(left, size.left);
    const room = Math.min(left + width, size.right) - begin - 10;
    const text = room > 16 ? fit(jobName(job), room) : '';
    // An ellipsis by itself says nothing.
    if (text.length > 1 || (text && text === jobName(job))) {
      context.fillStyle = '#fff';
      context.textAlign = 'left';
      context.textBaseline = 'middle';
      context.fillText(text, begin + 5, y + row.height / 2 + 0.5);
    }
  }
}

/** A stripe as long as the model took to load, on the first start of a cold lease. */
function coldStripe(layer, at, left, width, y) {
  const lease = layer.lease[at];
  if (lease < 0 || !(data.leases.flags[lease] & 1)) return;
  const first = leases.begin[lease] + (leases.starts.get(lease)?.[0] ?? 0);
  if (layer.from[at] > first) return;
  const loading = data.cold[layer.job[at]] ?? 0;
  context.fillStyle = '#9fd3ff';
  context.fillRect(left, y, Math.min(width, Math.max(2, x(first + loading) - x(first))), 3);
}

const ORDER = ['evicted', 'revoked', 'failed'];

/** Marks in view, the gravest on top; of those of a kind that touch, one. */
function paintMarks(row, y) {
  for (const kind of ORDER) {
    let free = -Infinity;
    for (const mark of row.marks) {
      const px = x(mark.t);
      if (mark.kind !== kind || px < size.left - 8 || px > size.right + 8 || px < free) continue;
      free = px + 4;
      paintMark(kind, px, y, row.height);
    }
  }
}

function paintMark(kind, px, y, height) {
  context.lineWidth = 1.2;
  context.strokeStyle = colours.ground;
  context.beginPath();
  if (kind === 'failed') {
    context.fillStyle = colours.bad;
    context.arc(px - 7, y + height / 2, 5.5, 0, 7);
    context.fill();
    context.stroke();
    context.beginPath();
    for (const way of [1, -1]) {
      context.moveTo(px - 9.2, y + height / 2 - 2.2 * way);
      context.lineTo(px - 4.8, y + height / 2 + 2.2 * way);
    }
    context.stroke();
    return;
  }
  const [cx, cy] = kind === 'revoked' ? [px, y + 3] : [px, y + height];
  const corners = kind === 'revoked' ? [[-5, -7], [5, -7], [0, 1]]
    : [[0, -5], [5, 0], [0, 5], [-5, 0]];
  context.fillStyle = kind === 'revoked' ? colours.warn : colours.evict;
  corners.forEach(([dx, dy]) => context.lineTo(cx + dx, cy + dy));
  context.closePath();
  context.fill();
  context.stroke();
}

function paintSelection(scroll) {
  const outlines = [[state.hover, colours.soft, 1.5], [state.selected, colours.ink, 2]];
  for (const [pick, colour, width] of outlines) {
    if (!pick || pick.at === undefined) continue;
    const { row, layer, at } = pick;
    const [left, right] = [x(layer.from[at]), x(layer.to[at])];
    const from = Math.max(left, size.left - 4) - 1.5;
    const to = Math.min(right, size.right + 4) + 1.5;
    if (to < from) continue;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.strokeRect(from, TOP + row.y - scroll - 1.5, Math.max(3, to - from), row.height + 3);
  }
}

/** The length of the queue, under the axis. */
function paintQueue() {
  if (!QUEUE) return;
  const [base, full] = [AXIS + QUEUE - 4, QUEUE - 8];
  let most = 1;
  for (let at = 1; at < data.queue.length; at += 2) most = Math.max(most, data.queue[at]);
  label('Queue', AXIS, 20, colours.ink, 4);
  label(`up to ${most}`, AXIS + 17, 18, colours.soft, 4);
  context.save();
  context.beginPath();
  context.rect(size.left, AXIS, size.right - size.left, QUEUE);
  context.clip();
  context.beginPath();
  context.moveTo(size.left, base);
  let y = base;
  for (let at = 0; at < data.queue.length; at += 2) {
    const px = Math.max(size.left - 2, Math.min(size.right + 2, x(data.queue[at])));
    context.lineTo(px, y);
    y = base - (data.queue[at + 1] / most) * full;
    context.lineTo(px, y);
  }
  const end = Math.min(size.right, x(data.end));
  context.lineTo(end, y);
  context.lineTo(end, base);
  context.fillStyle = colours.wait;
  context.globalAlpha = 0.7;
  context.fill();
  context.restore();
  context.fillStyle = colours.line;
  context.fillRect(size.left, base, size.right - size.left, 1);
}
