// Undo and redo of texts.

// Typing that goes on within this time is one step.
const PAUSE_MS = 700;
export const STEPS_MAX = 500;

export class History {
  private past: string[] = [];
  private future: string[] = [];
  private typedAt = Number.NEGATIVE_INFINITY;

  push(before: string, typed: boolean, now: number = performance.now()): void {
    const goesOn = typed && now - this.typedAt < PAUSE_MS;
    this.typedAt = typed ? now : Number.NEGATIVE_INFINITY;
    this.future = [];
    if (goesOn) return;
    this.past.push(before);
    if (this.past.length > STEPS_MAX) this.past.shift();
  }

  undo(now: string): string | undefined {
    const before = this.past.pop();
    if (before !== undefined) this.future.push(now);
    this.typedAt = Number.NEGATIVE_INFINITY;
    return before;
  }

  redo(now: string): string | undefined {
    const after = this.future.pop();
    if (after !== undefined) this.past.push(now);
    return after;
  }

  clear(): void {
    this.past = [];
    this.future = [];
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }
}
