// Mouse, touch and wheel on the chart. A tap selects, a drag pans where there is something to pan
// and scrubs elsewhere, two fingers zoom. The page scrolls as ever outside of the chart, and inside
// of it up and down.

import type { Gantt } from '../gantt/gantt.ts';
import { isWhole, pan, wholeView, zoom } from '../gantt/view.ts';
import { activeName, end, isPlaying, type Side, seek, selected, view } from '../store.ts';

const TAP_PX = 5;
const AXIS_PX = 34;

interface Finger {
  x: number;
  y: number;
}

class Pointer {
  private fingers = new Map<number, Finger>();
  private began: Finger | null = null;
  private mode: 'none' | 'scrub' | 'pan' | 'pinch' = 'none';
  private moved = false;

  constructor(
    private readonly host: HTMLElement,
    private readonly gantt: Gantt,
    private readonly side: Side,
    private readonly hover: (t: number | null) => void,
  ) {}

  private at(event: PointerEvent | WheelEvent): Finger {
    const box = this.host.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const finger = this.at(event);
    this.fingers.set(event.pointerId, finger);
    this.host.setPointerCapture(event.pointerId);
    activeName.value = this.side.name;
    if (this.fingers.size === 2) {
      this.mode = 'pinch';
      return;
    }
    this.began = finger;
    this.moved = false;
    isPlaying.value = false;
    const isZoomed = view.peek() && !isWhole(view.peek()!, end.peek());
    this.mode = finger.y < AXIS_PX || !isZoomed ? 'scrub' : 'pan';
    if (finger.y < AXIS_PX) seek(this.gantt.timeAt(finger.x));
  }

  move(event: PointerEvent): void {
    const finger = this.at(event);
    const before = this.fingers.get(event.pointerId);
    if (!before) {
      const t = this.gantt.timeAt(finger.x);
      this.hover(t >= this.gantt.view.from ? t : null);
      return;
    }
    if (this.mode === 'pinch') this.pinch(event.pointerId, finger);
    else this.drag(before, finger);
    this.fingers.set(event.pointerId, finger);
  }

  private drag(before: Finger, finger: Finger): void {
    if (this.began && Math.hypot(finger.x - this.began.x, finger.y - this.began.y) > TAP_PX) {
      this.moved = true;
    }
    if (!this.moved) return;
    if (this.mode === 'scrub') {
      seek(this.gantt.timeAt(finger.x));
    } else if (this.mode === 'pan') {
      const now = view.peek() ?? wholeView(end.peek());
      const perPixel = (now.to - now.from) / this.gantt.plotWidth;
      view.value = pan(now, (before.x - finger.x) * perPixel, end.peek());
    }
  }

  private pinch(moved: number, finger: Finger): void {
    const [other] = [...this.fingers].filter(([id]) => id !== moved).map(([, it]) => it);
    const before = this.fingers.get(moved)!;
    if (!other) return;
    const factor = Math.abs(finger.x - other.x) / Math.max(8, Math.abs(before.x - other.x));
    const now = view.peek() ?? wholeView(end.peek());
    const around = this.gantt.timeAt((finger.x + other.x) / 2);
    view.value = zoom(now, Math.min(2, Math.max(0.5, factor)), around, end.peek());
  }

  up(event: PointerEvent): void {
    const finger = this.fingers.get(event.pointerId);
    this.fingers.delete(event.pointerId);
    if (finger && !this.moved && this.mode !== 'pinch') this.tap(finger);
    if (this.fingers.size === 0) this.mode = 'none';
  }

  // Selects the tool that is there, and goes to that time.
  private tap(finger: Finger): void {
    const hit = this.gantt.hit(finger.x, finger.y);
    if (finger.x >= this.gantt.xOf(this.gantt.view.from) - 2) seek(this.gantt.timeAt(finger.x));
    if (!hit) return;
    const chart = this.side.chart.peek();
    if (hit.row.kind === 'job') selected.value = hit.row.who;
    else if (chart && hit.bar >= 0) selected.value = chart.leases.job[hit.bar]!;
  }

  wheel(event: WheelEvent): void {
    const now = view.peek() ?? wholeView(end.peek());
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const around = this.gantt.timeAt(this.at(event).x);
      view.value = zoom(now, Math.exp(-event.deltaY * 0.0025), around, end.peek());
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
      event.preventDefault();
      const perPixel = (now.to - now.from) / this.gantt.plotWidth;
      view.value = pan(now, (event.deltaX || event.deltaY) * perPixel, end.peek());
    }
  }

  leave(): void {
    this.hover(null);
  }
}

export function listen(
  host: HTMLElement,
  gantt: Gantt,
  side: Side,
  hover: (t: number | null) => void,
): () => void {
  const pointer = new Pointer(host, gantt, side, hover);
  const stop = new AbortController();
  const { signal } = stop;
  host.addEventListener('pointerdown', (event) => pointer.down(event), { signal });
  host.addEventListener('pointermove', (event) => pointer.move(event), { signal });
  host.addEventListener('pointerup', (event) => pointer.up(event), { signal });
  host.addEventListener('pointercancel', (event) => pointer.up(event), { signal });
  host.addEventListener('pointerleave', () => pointer.leave(), { signal });
  host.addEventListener('wheel', (event) => pointer.wheel(event), { signal, passive: false });
  return () => stop.abort();
}
