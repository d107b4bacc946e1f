// What part of the time is shown, and where.

export interface View {
  // Nanoseconds.
  from: number;
  to: number;
}

// No closer than this: a hundred nanoseconds over the whole chart.
export const SPAN_MIN = 100;

export function clampView(view: View, end: number): View {
  const whole = wholeView(end);
  const span = Math.min(Math.max(view.to - view.from, SPAN_MIN), whole.to - whole.from);
  const from = Math.min(Math.max(view.from, whole.from), whole.to - span);
  return { from, to: from + span };
}

// Everything, with a little room behind the end.
export function wholeView(end: number): View {
  return { from: 0, to: Math.max(end * 1.02, SPAN_MIN) };
}

export function isWhole(view: View, end: number): boolean {
  const whole = wholeView(end);
  return view.to - view.from >= (whole.to - whole.from) * 0.999;
}

// Zooms by a factor around a time that stays where it is.
export function zoom(view: View, factor: number, around: number, end: number): View {
  const span = (view.to - view.from) / factor;
  const share = (around - view.from) / (view.to - view.from);
  const from = around - share * span;
  return clampView({ from, to: from + span }, end);
}

export function pan(view: View, by: number, end: number): View {
  return clampView({ from: view.from + by, to: view.to + by }, end);
}

// Moves the view as little as needed for a time to be seen, with some room ahead.
export function reveal(view: View, t: number, end: number): View {
  const span = view.to - view.from;
  if (t >= view.from + span * 0.02 && t <= view.to - span * 0.05) return view;
  return clampView({ from: t - span * 0.2, to: t + span * 0.8 }, end);
}

// Time to pixels and back.
export class Scale {
  private readonly perNano: number;

  constructor(
    readonly view: View,
    readonly left: number,
    readonly width: number,
  ) {
    this.perNano = width / (view.to - view.from);
  }

  x(t: number): number {
    return this.left + (t - this.view.from) * this.perNano;
  }

  t(x: number): number {
    return this.view.from + (x - this.left) / this.perNano;
  }
}
