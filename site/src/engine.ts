// The page's side of the Worker.

import type { Change } from './edit.ts';
import type { OutlineTable, Plan, Problem, Why } from './model.ts';
import type { Asked, Request } from './worker.ts';

export class Cancelled extends Error {}

interface Call {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
}

// A Worker that answers questions one after the other, and that can be thrown away.
export class Engine {
  private worker: Worker | null = null;
  private calls = new Map<number, Call>();
  private counter = 0;
  private planned = 0;
  private started: Promise<unknown> | null = null;

  constructor(
    private readonly make: () => Worker,
    private readonly module: () => ArrayBuffer | string,
  ) {}

  plan(text: string): Promise<Plan> {
    this.planned += 1;
    return this.ask<Plan>({ kind: 'plan', id: this.planned, text });
  }

  why(of: Asked, events: number, t: number, job: number | null): Promise<Why> {
    return this.ask({ kind: 'why', of: { id: of.id, text: of.text }, events, t, job });
  }

  hash(of: Asked): Promise<string> {
    return this.ask({ kind: 'hash', of: { id: of.id, text: of.text } });
  }

  trace(of: Asked): Promise<string> {
    return this.ask({ kind: 'trace', of: { id: of.id, text: of.text } });
  }

  outline(text: string): Promise<OutlineTable[]> {
    return this.ask({ kind: 'outline', text });
  }

  check(text: string): Promise<Problem[]> {
    return this.ask({ kind: 'check', text });
  }

  grants(text: string, changes: Change[], job: string, until: number): Promise<number> {
    return this.ask({ kind: 'grants', text, changes, job, until });
  }

  // Stops whatever is being done. The next question starts a new Worker.
  cancel(): void {
    this.worker?.terminate();
    this.worker = null;
    this.started = null;
    const calls = [...this.calls.values()];
    this.calls.clear();
    for (const call of calls) call.reject(new Cancelled());
  }

  get isBusy(): boolean {
    return this.calls.size > 0;
  }

  private async ask<T>(request: Request): Promise<T> {
    this.started ??= this.send({ kind: 'start', module: this.module() });
    await this.started;
    return this.send<T>(request);
  }

  private send<T>(request: Request): Promise<T> {
    const worker = this.worker ?? this.open();
    this.counter += 1;
    const call = this.counter;
    return new Promise<T>((resolve, reject) => {
      this.calls.set(call, { resolve: resolve as Call['resolve'], reject });
      worker.postMessage({ call, request });
    });
  }

  private open(): Worker {
    const worker = this.make();
    worker.onmessage = (message) => {
      const { call, result, error } = message.data;
      const waiting = this.calls.get(call);
      this.calls.delete(call);
      if (error) waiting?.reject(new Error(error));
      else waiting?.resolve(result as never);
    };
    worker.onerror = (event) => {
      for (const call of this.calls.values()) call.reject(new Error(event.message));
      this.calls.clear();
    };
    this.worker = worker;
    return worker;
  }
}
