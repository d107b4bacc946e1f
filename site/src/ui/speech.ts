// What a screen reader hears when somebody steps from decision to decision.

import { showTime } from '../gantt/axis.ts';
import { words } from '../lang/lang.ts';
import { eventText } from '../sentences.ts';
import { active, cursor, eventsNow, spoken } from '../store.ts';

// More events of one instant than this nobody listens to.
const EVENTS_MAX = 6;

// The events of the instant at the cursor.
export function eventsOfInstant(): number[] {
  const plan = active.peek().plan.peek();
  if (!plan) return [];
  const { t } = plan.trace;
  const list: number[] = [];
  for (let at = eventsNow.peek() - 1; at >= 0 && t[at] === cursor.peek(); at--) list.unshift(at);
  return list;
}

export function speak(): void {
  const plan = active.peek().plan.peek();
  if (!plan) return;
  const time = showTime(cursor.peek(), 2, words.peek().code);
  const events = eventsOfInstant().slice(0, EVENTS_MAX);
  const texts = events.map((at) => eventText(plan.line, plan.trace, at, words.peek()));
  spoken.value = `${time}: ${texts.join('; ')}`;
}
