// Time goes on by itself: smoothly, or decision by decision for who wants less motion.

import { effect } from '@preact/signals';
import { tickStep } from './gantt/axis.ts';
import { isWhole, reveal } from './gantt/view.ts';
import { cursor, end, isPlaying, seek, speed, stepForward, view } from './store.ts';

// At speed 1 the whole line takes about this long.
const SECONDS = 10;
const JUMP_MS = 700;
export const SPEED_MIN = 0.1;
export const SPEED_MAX = 100;

// Nanoseconds of the line that one second shows, a round number.
export function nanosPerSecond(): number {
  return tickStep(Math.max(end.value, 1), SECONDS) * speed.value;
}

export function setSpeed(to: number): void {
  speed.value = Math.min(SPEED_MAX, Math.max(SPEED_MIN, to));
}

// Play at the end begins again.
export function play(): void {
  if (cursor.value >= end.value) seek(0);
  isPlaying.value = true;
}

export function pause(): void {
  isPlaying.value = false;
}

export function toggle(): void {
  if (isPlaying.value) pause();
  else play();
}

function wantsLessMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

let frame = 0;
let jump: ReturnType<typeof setInterval> | undefined;

function run(before: number): void {
  frame = requestAnimationFrame((now) => {
    const passed = Math.min(0.25, (now - before) / 1000);
    advance(cursor.peek() + passed * nanosPerSecond());
    if (isPlaying.peek()) run(now);
  });
}

function advance(t: number): void {
  if (t >= end.peek()) {
    seek(end.peek());
    isPlaying.value = false;
  } else {
    seek(t);
  }
  follow();
}

// Keeps the cursor in sight.
export function follow(): void {
  const now = view.peek();
  if (now && !isWhole(now, end.peek())) view.value = reveal(now, cursor.peek(), end.peek());
}

effect(() => {
  const plays = isPlaying.value;
  cancelAnimationFrame(frame);
  clearInterval(jump);
  if (!plays) return;
  if (!wantsLessMotion()) {
    run(performance.now());
    return;
  }
  jump = setInterval(() => {
    stepForward();
    follow();
    if (cursor.peek() >= end.peek()) isPlaying.value = false;
  }, JUMP_MS);
});
