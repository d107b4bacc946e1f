import type { LessonSlug } from '../lessons.ts';
import type { LessonWords } from './lessons.en.ts';

export const lessonsZh: Record<LessonSlug, LessonWords> = {
  'standard-holds': {
    title: '标准工具占住不放',
    moral: 'B 在等，因为 A 是标准工具：它占用 GPU 直到最后一幅图像。',
    see: 'A 有八幅图像，每幅 10 ms。B 在 15 ms 到达，80 ms 才开始，一刻也不会更早。',
  },
  'legacy-rotates': {
    title: '旧式工具轮流',
    moral: '旧式工具每幅图像后归还 GPU，所以它们轮流使用。',
    see: '同样两个工具，改为旧式：B 在 20 ms 开始，70 ms 完成，而不是 110 ms。',
  },
  'standard-first': {
    title: '标准优先',
    moral: '最后到来的标准工具，仍排在队列中所有旧式工具之前。',
    see: '30 ms 时按票号轮到 barcode，但 inspect 是标准工具：它占用 GPU 到 70 ms。',
  },
  'never-pre-empted': {
    title: '从不抢占',
    moral: '最高的优先级也不会打断正在运行的工具，只是下一个开始。',
    see: 'urgent 在 30 ms 到达，等 90 ms 直到 routine 结束。它只是越过 nightly。',
  },
  'chain-barrier': {
    title: '带屏障的工具链',
    moral: '链中的标准工具，要等前一个工具全部完成才开始。',
    see: 'gpu1 一直空闲，classify 仍在 60 ms 才开始：总共 90 ms。',
  },
  'chain-per-image': {
    title: '逐幅图像的工具链',
    moral: '旧式工具之间，第 k 幅完成后立即流向下一个工具。',
    see: 'classify 只落后一幅图像：总共 65 ms，而不是 90 ms。',
  },
  balance: {
    title: '两个 GPU 之间的均衡',
    moral: '用 “balance” 时，被占用时间较短的 GPU 先用。',
    see: '两份 120 ms 的工作在两个 GPU 上：各占用 120 ms，全部在 120 ms 完成。',
  },
  prefetch: {
    title: '挨饿的 GPU',
    moral: '只改预取深度和同时加载的数量，就能喂饱挨饿的 GPU。',
    see: 'A：一个加载器，深度 1：GPU 只有 11 % 的时间在计算。B：都是八：超过 70 %，快五倍以上。',
  },
  mig: {
    title: '切片与整卡',
    moral: '切成三片的卡同时运行三个工具，等待缩短到四分之一。',
    see: '每片都更慢（每幅 12 ms，而不是 10 ms），但人人受益。',
  },
  'overtake-bound': {
    title: '超越上限',
    moral: '小工具最多两次越过需要两个 GPU 的工具；之后 GPU 就为它保留。',
    see: '两个越过之后，gpu0 从 20 ms 起空着：它为 pair 保留，pair 在 25 ms 开始。',
  },
  patience: {
    title: '耐心',
    moral: '源源不断的紧急图像会让 report 一直等；等满 50 ms 后它先走。',
    see: 'camera 的优先级是 10，队列里总有它的图像。report 在 5 ms 到达，60 ms 开始。',
  },
  'warm-models': {
    title: '热模型与逐出',
    moral: '工具回到已加载其模型的 GPU；没有空间时逐出闲置的模型。',
    see: 'detect 只有第一幅图像要加载模型。170 ms 时 read 逐出一个没人用的模型。',
  },
  'pool-off': {
    title: '关闭模型池',
    moral: '没有模型池，模型随租约离开：每幅图像都要重新加载。',
    see: '与上一课相同的产线：14 个冷租约，而不是 3 个。',
  },
  'token-queue': {
    title: '令牌与相机面',
    moral: '每个 GPU 两个令牌，轮流发放：所有相机最多同时运行四个线程。',
    see: '顶部相机的流最多一个租约，不管有多少空闲。',
  },
  'lost-device': {
    title: '丢失设备',
    moral: '丢失的 GPU 上的工作在别处继续，并保留队列中原来的位置。',
    see: 'gpu0 在 35 ms 丢失。inspect 保留已完成的三幅图像，下一个得到 gpu1。',
  },
  'failure-skips': {
    title: '失败与跳过',
    moral: '需要失败工具成功的被跳过；等待任意结束的继续。',
    see: '图像 2 失败两次，一次重试只能原谅一次。measure 被跳过，report 运行。',
  },
  'yolo-dag': {
    title: 'YOLO 的有向图',
    moral: '训练流程的 CPU 阶段不占 GPU，这期间另一个团队可以计算。',
    see: 'train 同时需要两个 GPU，前面的阶段一完成就得到它们。',
  },
};
