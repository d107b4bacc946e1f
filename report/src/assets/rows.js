// The rows of the chart, and the facts about what stands in them.

const BUSY = 0, STARVED = 1, WAITING = 2;
const HEIGHT = { unit: 24, slot: 16, job: 16, caption: 26 };

/** Leases with their times added up; times of `data` are differences. */
const leases = (() => {
  const { job, from, length } = data.leases;
  const begin = new Float64Array(job.length);
  let t = 0;
  from.forEach((step, at) => { t += step; begin[at] = t; });
  const starts = new Map(data.leases.starts.map(([at, ...rest]) => [at, rest]));
  const revoked = new Map(data.leases.revoked.map(([at, time, cause]) => [at, [time, cause]]));
  const end = (at) => begin[at] + length[at];
  const lanes = (at) => [data.leases.lanes[at]].flat();
  return { count: job.length, job, begin, end, starts, revoked, lanes };
})();

/** Bars in columns, in order of time. */
function bars(list) {
  list.sort((a, b) => a[0] - b[0]);
  const column = (at) => Float64Array.from(list, (bar) => bar[at]);
  return { n: list.length, from: column(0), to: column(1), job: column(2), kind: column(3),
    level: column(4), lease: column(5) };
}

/** The starts of a lease and the gaps between them. */
function barsOf(at) {
  const job = leases.job[at];
  const [begin, end] = [leases.begin[at], leases.end(at)];
  const starts = leases.starts.get(at);
  if (!starts) return [[begin, end, job, BUSY, 4, at]];
  const out = [];
  let t = begin;
  for (let i = 0; i < starts.length; i += 4) {
    const from = begin + starts[i];
    if (from > t) out.push([t, from, job, STARVED, 4, at]);
    t = from + starts[i + 1];
    out.push([from, t, job, BUSY, 4, at]);
  }
  if (end > t) out.push([t, end, job, STARVED, 4, at]);
  return out;
}

/** Merged bars, unpacked. */
function unpack(flat) {
  const width = Math.max(1, Math.ceil(data.end / data.merged.columns));
  const out = [];
  for (let i = 0; i < flat.length; i += 5) {
    const [first, columns, job, kind, level] = flat.slice(i, i + 5);
    out.push([first * width, Math.min((first + columns) * width, data.end), job, kind, level, -1]);
  }
  return out;
}

/** All rows from top to bottom: captions, lanes, jobs. */
const rows = (() => {
  const lanes = data.lanes.map(() => ({ layers: [[]], marks: [], outages: [] }));
  const jobs = new Map(data.rows.map((job) => [job, { layers: [[], []], marks: [], outages: [] }]));
  if (data.merged) {
    data.merged.lanes.forEach((flat, at) => { lanes[at].layers[0] = unpack(flat); });
    data.rows.forEach((job, at) => { jobs.get(job).layers = data.merged.jobs[at].map(unpack); });
    data.merged.marks.forEach(([lane, t, kind, many]) => {
      lanes[lane].marks.push({ t, kind: kind ? 'revoked' : 'failed', many });
    });
  } else {
    fill(lanes, jobs);
  }
  data.evictions.forEach(([lane, t, model]) => {
    lanes[lane].marks.push({ t, kind: 'evicted', model });
  });
  data.outages.forEach(([unit, down, from, to]) => data.lanes.forEach(([of], at) => {
    if (of === unit) lanes[at].outages.push({ from, to, down: down === 1 });
  }));
  return assemble(lanes, jobs);
})();

function fill(lanes, jobs) {
  for (let at = 0; at < leases.count; at += 1) {
    const job = leases.job[at];
    const [begin, end, waited] = [leases.begin[at], leases.end(at), data.leases.waited[at]];
    for (const lane of leases.lanes(at)) {
      lanes[lane].layers[0].push(...barsOf(at));
      const flags = data.leases.flags[at];
      if (flags & 4) lanes[lane].marks.push({ t: end, kind: 'failed', lease: at, many: 1 });
      const revoked = leases.revoked.get(at);
      if (revoked) lanes[lane].marks.push({ t: revoked[0], kind: 'revoked', lease: at, many: 1 });
    }
    const row = jobs.get(job);
    if (!row) continue;
    if (waited > 0) row.layers[0].push([begin - waited, begin, job, WAITING, 4, at]);
    row.layers[1].push([begin, end, job, BUSY, 4, at]);
  }
  data.left.forEach(([job, from, to]) => {
    jobs.get(job)?.layers[0].push([from, to, job, WAITING, 4, -1]);
  });
}

function assemble(lanes, jobs) {
  const out = [];
  let y = 0;
  const push = (row, height, gap) => {
    out.push({ ...row, y, height });
    y += height + gap;
  };
  const caption = (label) => push({ label, caption: true, layers: [], marks: [], outages: [] },
    HEIGHT.caption, 2);
  if (lanes.length) caption('Units');
  lanes.forEach((row, at) => {
    const [unit, slot, of] = data.lanes[at];
    const label = of === 1 ? data.units[unit] : slot === 0 ? data.units[unit] : '';
    const name = of === 1 ? data.units[unit] : `${data.units[unit]} slot ${slot}`;
    push({ ...row, label, name, layers: row.layers.map(bars), track: true },
      of === 1 ? HEIGHT.unit : HEIGHT.slot, slot + 1 === of ? 7 : 2);
  });
  if (jobs.size) caption('Jobs');
  jobs.forEach((row, job) => {
    push({ ...row, label: jobName(job), name: jobName(job), job, layers: row.layers.map(bars) },
      HEIGHT.job, 5);
  });
  out.total = y + 8;
  return out;
}

/** What is to be said of a bar, a fact a line. */
function facts(row, bar) {
  const [from, to, kind, lease, job] = [bar.from, bar.to, bar.kind, bar.lease, bar.job];
  const span = `${moment(from)} – ${moment(to)} (${duration(to - from)})`;
  const queued = `${jobName(job)} in the queue`;
  if (lease < 0 && kind === WAITING && !data.merged) {
    return [queued, span, `no grant ended this wait: ${data.ends[job] ?? 'done'}`];
  }
  if (lease < 0) return [`${jobName(job)}, mostly`, span, 'merged: too many bars for one page'];
  const units = unitsOf(lease);
  const reason = whyOf(lease) ? [`why: ${whyOf(lease)}`] : [];
  if (kind === WAITING) return [queued, span, `then it got ${units}`, ...reason];
  const [begin, end] = [leases.begin[lease], leases.end(lease)];
  const whole = `${moment(begin)} – ${moment(end)} (${duration(end - begin)})`;
  return [`${jobName(job)} on ${units}`, whole, ...leaseFacts(lease, bar), ...reason];
}

/** The reason of a grant. */
const whyOf = (at) => (data.leases.why[at] ? data.whys[data.leases.why[at] - 1] : '');

/** The units of a lease. */
const unitsOf = (at) => leases.lanes(at).map((lane) => data.units[data.lanes[lane][0]]).join(', ');

function leaseFacts(lease, bar) {
  const out = [];
  const starts = leases.starts.get(lease);
  const [first, count] = [data.leases.first[lease], data.leases.count[lease]];
  const named = (a, n) => (n > 1 ? `images ${a} to ${a + n - 1}` : `image ${a}`);
  if (!starts && count > 0) {
    out.push(named(first, count));
  } else if (starts) {
    const here = startAt(starts, bar.from - leases.begin[lease]);
    if (here) out.push(`${named(here[2], here[3])}: ${duration(here[1])}`);
    if (bar.kind === STARVED) out.push(`starved here for ${duration(bar.to - bar.from)}`);
    if (starts.length > 4) out.push(`${starts.length / 4} starts in this lease`);
  }
  const flags = data.leases.flags[lease];
  const waited = data.leases.waited[lease];
  if (waited > 0) out.push(`waited ${duration(waited)} for it`);
  if (flags & 1) out.push('cold: its model was loaded first');
  if (flags & 2) out.push('fallback: on a CPU place, for want of a GPU');
  if (flags & 4) out.push('failed');
  const revoked = leases.revoked.get(lease);
  if (revoked) out.push(`revoked at ${moment(revoked[0])}: ${revoked[1]}`);
  if (flags & 16) out.push('not given back');
  return out;
}

function startAt(starts, offset) {
  for (let i = 0; i < starts.length; i += 4) {
    if (Math.abs(starts[i] - offset) < 1) return starts.slice(i, i + 4);
  }
  return null;
}

/** What is to be said of a mark. */
function markFacts(mark) {
  if (mark.kind === 'evicted') return [`model ${mark.model} evicted`, `at ${moment(mark.t)}`];
  if (mark.lease === undefined) {
    return [mark.many > 1 ? `${mark.many} leases ${mark.kind} here` : `a lease ${mark.kind}`,
      `at ${moment(mark.t)}`];
  }
  return facts(null, { from: leases.begin[mark.lease], to: leases.end(mark.lease),
    kind: BUSY, lease: mark.lease, job: leases.job[mark.lease] });
}
