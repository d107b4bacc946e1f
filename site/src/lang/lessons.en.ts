import type { LessonSlug } from '../lessons.ts';

export interface LessonWords {
  title: string;
  moral: string;
  // What to look at.
  see: string;
}

export const lessonsEn: Record<LessonSlug, LessonWords> = {
  'standard-holds': {
    title: 'Standard holds',
    moral: 'B waits because A is standard: it keeps the GPU until its last image.',
    see: 'A has eight images of 10 ms. B comes at 15 ms and starts at 80 ms, not a moment sooner.',
  },
  'legacy-rotates': {
    title: 'Legacy rotates',
    moral: 'Legacy tools hand the GPU back after each image, so they take turns.',
    see:
      'The same two tools, now legacy: B starts at 20 ms and is done at 70 ms instead of 110 ' +
      'ms.',
  },
  'standard-first': {
    title: 'Standard first',
    moral: 'A standard tool that comes last still goes before every legacy tool in the queue.',
    see:
      'At 30 ms barcode is next by its ticket, but inspect is standard: it has the GPU till 70 ' +
      'ms.',
  },
  'never-pre-empted': {
    title: 'Nothing is pre-empted',
    moral: 'The highest priority does not stop what runs; it is only the next to start.',
    see: 'urgent comes at 30 ms and waits 90 ms for routine to end. It passes nightly, no more.',
  },
  'chain-barrier': {
    title: 'A chain with a barrier',
    moral: 'A standard tool in a chain starts when all of the tool before it is done.',
    see: 'gpu1 is free all along, and still classify starts at 60 ms: 90 ms in all.',
  },
  'chain-per-image': {
    title: 'A chain image by image',
    moral: 'Between legacy tools image k flows on as soon as image k is done.',
    see: 'classify follows one image behind: 65 ms in all instead of 90 ms.',
  },
  balance: {
    title: 'Balance over two GPUs',
    moral: 'With “balance” the GPU that was leased for less time comes first.',
    see:
      'Twice 120 ms of work on two GPUs: both are leased for 120 ms, and all is done after 120 ' +
      'ms.',
  },
  prefetch: {
    title: 'The starved GPU',
    moral: 'Prefetch depth and loaders at once feed a starved GPU: nothing else is changed.',
    see:
      'A: one loader, depth 1: the GPU computes 11 % of the time. B: eight of each: over 70 %, ' +
      'and more than five times faster.',
  },
  mig: {
    title: 'Slices against a whole card',
    moral: 'A card cut into three runs three tools at once, and the waits shrink to a quarter.',
    see: 'Each slice is slower (12 ms an image, not 10), and everybody is better off.',
  },
  'overtake-bound': {
    title: 'The bound on overtaking',
    moral: 'Small tools pass the one that needs two GPUs twice at most; then GPUs are kept for it.',
    see:
      'After two of them have passed, gpu0 stays empty from 20 ms: it is kept for pair, which ' +
      'starts at 25 ms.',
  },
  patience: {
    title: 'Patience',
    moral: 'A stream of urgent images would keep report waiting; after 50 ms it goes first.',
    see:
      'camera has priority 10 and always an image in the queue. report comes at 5 ms and ' +
      'starts at 60 ms.',
  },
  'warm-models': {
    title: 'Warm models, and eviction',
    moral: 'A tool goes back to where its model is loaded; who finds no room evicts an idle one.',
    see:
      'Only the first image of detect loads its model. At 170 ms read evicts a model that ' +
      'nobody uses.',
  },
  'pool-off': {
    title: 'The pool switched off',
    moral: 'Without the pool a model leaves with its lease: every image loads it again.',
    see: 'The same line as before: 14 cold leases instead of 3.',
  },
  'token-queue': {
    title: 'Tokens and camera faces',
    moral: 'Two tokens a GPU, handed out in turn: at most four threads of all cameras run at once.',
    see: 'The stream of the top camera has one lease at most, whatever is free.',
  },
  'lost-device': {
    title: 'A lost device',
    moral: 'What ran on a lost GPU goes on elsewhere, under its old place in the queue.',
    see: 'gpu0 is lost at 35 ms. inspect keeps its three images and is the next on gpu1.',
  },
  'failure-skips': {
    title: 'Failure and skip',
    moral: 'Who needs the success of a failed tool is skipped; who waits for any end goes on.',
    see: 'Image 2 fails twice, one retry forgives one. measure is skipped, report runs.',
  },
  'yolo-dag': {
    title: 'The YOLO DAG',
    moral: 'The CPU stages of a training hold no GPU, so another team computes meanwhile.',
    see: 'train needs both GPUs at once and gets them as soon as the stages before it are done.',
  },
};
