// Words for times, as those of the rest of the page.

const data = JSON.parse(document.getElementById('data').textContent);

const SECOND = 1e9;

/** A number with at most three digits after the point. */
const short = (value, digits) => String(Number(value.toFixed(digits)));

/** A number with three digits in all. */
const three = (value) => short(value, value < 10 ? 2 : value < 100 ? 1 : 0);

/** A duration: "12.5 ms", "1 m 30 s". */
function duration(ns) {
  if (ns <= 0) return '0 s';
  const units = [['ns', 1, 1e3], ['µs', 1e3, 1e3], ['ms', 1e6, 1e3], ['s', SECOND, 60]];
  for (const [unit, size, limit] of units) {
    const number = three(ns / size);
    if (Number(number) < limit) return `${number} ${unit}`;
  }
  return two(Math.round(ns / SECOND));
}

function two(seconds) {
  const units = [['s', 60], ['m', 60], ['h', 24], ['d', Infinity]];
  let value = seconds;
  for (let at = 1; at < units.length; at += 1) {
    const ratio = units[at - 1][1];
    const rest = Math.round(value) % ratio;
    value = Math.floor(Math.round(value) / ratio);
    if (value < units[at][1]) {
      const small = rest ? ` ${rest} ${units[at - 1][0]}` : '';
      return `${value} ${units[at][0]}${small}`;
    }
    // The smaller of two units is rounded into the larger.
    value += rest / ratio;
  }
  return `${value} d`;
}

/** A point in time, with digits enough for steps of `step`. */
function moment(ns, step = 0) {
  if (ns === 0) return '0 s';
  const [unit, size] = ns < 1e3 ? ['ns', 1] : ns < 1e6 ? ['µs', 1e3] : ns < SECOND ? ['ms', 1e6]
    : ['s', SECOND];
  const digits = step ? Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9)) : 3;
  if (ns < 60 * SECOND) return `${short(ns / size, Math.min(digits, 9))} ${unit}`;
  const minutes = Math.floor(ns / (60 * SECOND));
  const rest = (ns - minutes * 60 * SECOND) / SECOND;
  const seconds = rest === 0 && step >= 60 * SECOND ? '' : ` ${short(rest, Math.min(digits, 9))} s`;
  if (minutes < 60) return `${minutes} m${seconds}`;
  const hours = Math.floor(minutes / 60);
  const rest60 = minutes % 60 ? ` ${minutes % 60} m` : '';
  if (hours < 24) return `${hours} h${rest60}${seconds}`;
  const rest24 = hours % 24 ? ` ${hours % 24} h` : '';
  return `${Math.floor(hours / 24)} d${rest24}${rest60}${seconds}`;
}

/** The distance of ticks that are at least `least` apart. */
function tickStep(least) {
  const clock = [10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
  if (least > 10 * SECOND) {
    const step = clock.find((seconds) => seconds * SECOND >= least);
    if (step) return step * SECOND;
  }
  const unit = least > 86400 * SECOND ? 86400 * SECOND : 1;
  const power = 10 ** Math.floor(Math.log10(Math.max(least / unit, 1)));
  return unit * power * [1, 2, 5, 10].find((times) => times * power * unit >= least * 0.999999);
}

const jobName = (job) => data.jobs[job] ?? `job ${job}`;
const colourOf = (job) => data.palette[job % data.palette.length];
