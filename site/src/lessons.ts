// Presets are lessons: a line, the moment to look at, and one sentence that it teaches. The figures
// that the sentences name are checked by wasm/tests/lessons.rs.

import balance from '../../examples/lessons/balance.toml';
import chainBarrier from '../../examples/lessons/chain-barrier.toml';
import chainPerImage from '../../examples/lessons/chain-per-image.toml';
import failureSkips from '../../examples/lessons/failure-skips.toml';
import legacyRotates from '../../examples/lessons/legacy-rotates.toml';
import lostDevice from '../../examples/lessons/lost-device.toml';
import neverPreEmpted from '../../examples/lessons/never-pre-empted.toml';
import overtakeBound from '../../examples/lessons/overtake-bound.toml';
import patience from '../../examples/lessons/patience.toml';
import poolOff from '../../examples/lessons/pool-off.toml';
import prefetchFed from '../../examples/lessons/prefetch-fed.toml';
import prefetchStarved from '../../examples/lessons/prefetch-starved.toml';
import slicedCard from '../../examples/lessons/sliced-card.toml';
import standardFirst from '../../examples/lessons/standard-first.toml';
import standardHolds from '../../examples/lessons/standard-holds.toml';
import tokenQueue from '../../examples/lessons/token-queue.toml';
import warmModels from '../../examples/lessons/warm-models.toml';
import wholeCard from '../../examples/lessons/whole-card.toml';
import yoloDag from '../../examples/lessons/yolo-dag.toml';

export interface Lesson {
  slug: LessonSlug;
  text: string;
  // The other side, where the lesson is a comparison.
  versus?: string;
  // Milliseconds: a moment that shows it.
  at: number;
  // Whom to ask why.
  job?: string;
}

export const LESSON_SLUGS = [
  'standard-holds',
  'legacy-rotates',
  'standard-first',
  'never-pre-empted',
  'chain-barrier',
  'chain-per-image',
  'balance',
  'prefetch',
  'mig',
  'overtake-bound',
  'patience',
  'warm-models',
  'pool-off',
  'token-queue',
  'lost-device',
  'failure-skips',
  'yolo-dag',
] as const;
export type LessonSlug = (typeof LESSON_SLUGS)[number];

const LINES: Record<LessonSlug, Omit<Lesson, 'slug'>> = {
  'standard-holds': { text: standardHolds, at: 50, job: 'B' },
  'legacy-rotates': { text: legacyRotates, at: 25, job: 'B' },
  'standard-first': { text: standardFirst, at: 25, job: 'barcode' },
  'never-pre-empted': { text: neverPreEmpted, at: 60, job: 'urgent' },
  'chain-barrier': { text: chainBarrier, at: 45, job: 'classify' },
  'chain-per-image': { text: chainPerImage, at: 17, job: 'classify' },
  balance: { text: balance, at: 35, job: 'long' },
  prefetch: { text: prefetchStarved, versus: prefetchFed, at: 500, job: 'train' },
  mig: { text: wholeCard, versus: slicedCard, at: 60, job: 'tool4' },
  'overtake-bound': { text: overtakeBound, at: 22, job: 'pair' },
  patience: { text: patience, at: 40, job: 'report' },
  'warm-models': { text: warmModels, at: 185, job: 'read' },
  'pool-off': { text: poolOff, at: 60, job: 'detect' },
  'token-queue': { text: tokenQueue, at: 40, job: 'front-detect' },
  'lost-device': { text: lostDevice, at: 50, job: 'inspect' },
  'failure-skips': { text: failureSkips, at: 45, job: 'segment' },
  'yolo-dag': { text: yoloDag, at: 100, job: 'train' },
};

export const LESSONS: Lesson[] = LESSON_SLUGS.map((slug) => ({ slug, ...LINES[slug] }));

export function lessonOf(text: string, versus: string | undefined): Lesson | undefined {
  return LESSONS.find((lesson) => lesson.text === text && lesson.versus === versus);
}
