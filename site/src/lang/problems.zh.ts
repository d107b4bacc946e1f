// The reader's sentences in Chinese: each English one as an expression, with `$1` for what it is
// about. What is not here is told by the meaning of its code.

export const codesZh: Record<string, string> = {
  'not-utf8': '文本不是 UTF-8',
  'too-large': '文本有 4 GiB 或更多',
  syntax: '文本不是 TOML',
  'duplicate-key': '键或表出现了两次',
  'unknown-key': '不存在的键或表',
  'missing-key': '缺少必需的键',
  'wrong-type': '值的类型不对',
  'unknown-value': '该键不接受这个词',
  'out-of-range': '数字或时长超出范围',
  'bad-duration': '不是时长',
  'bad-memory': '不是内存量',
  'empty-list': '列表不能为空',
  'empty-name': '名称至少要有一个字符',
  'duplicate-name': '同类中有两个相同的名称',
  'unknown-job': '所指的作业不存在',
  'unknown-model': '所指的模型不存在',
  'unknown-stream': '所指的流不存在',
  'unknown-face': '所指的相机面不存在',
  'unknown-face-key': '占位符所指的内容该相机面没有',
  'unknown-unit': '所指的单元不存在',
  'unknown-gpu': '该 GPU 不在 MIG 表中',
  'unknown-profile': '该 MIG 规格不在表中',
  'unknown-memory': 'MIG 表没有该规格的显存',
  'mig-needs': '`mig` 需要 `gpu`，且只能用于 `cuda`',
  'memory-with-mig': '`memory` 不能与 `mig` 同时出现',
  'illegal-layout': '这些切片无法同时放在该 GPU 上',
  cycle: '作业互相等待',
  'depth-on-barrier': '屏障边上不能有 `depth`',
  'stream-on-end': '流式边不能有 `on = "end"`',
  'unequal-images': '流式边两端的图像数不同',
  undrainable: '深度和屏障使某幅图像等待它自己',
  window: '`batch` × `inflight` 超出 64 幅图像的窗口',
  'inject-beyond-images': '注入故障的图像不存在',
  'no-files': '没有匹配的文件，或无法查找',
  'bad-placeholder': '不认识的占位符',
  'bad-variable': '环境变量写得不对',
  'two-actions': '`run`、`worker`、`kernel` 只能有一个',
  kernel: '内核的工具不接受它',
  'fault-target': '故障要么写 `unit` 要么写 `job`',
  'never-fits': '没有任何单元能容纳该作业',
  circle: '作业可能占着邻居所需：循环会被打破，但很慢',
  unused: '没有作业使用它',
  'no-effect': '这里的键不起作用',
  'always-times-out': '`timeout` 短于第一次启动',
  'no-memory': '设备没有内存，而作业需要',
  'duplicate-edge': '同样两个作业之间有两条边',
  'no-jobs': '产线上没有作业',
};

const NOUNS: Record<string, string> = {
  'a device': '设备',
  'a fault': '故障',
  'a job': '作业',
  'a model': '模型',
  'a stream': '流',
  'a line file': '产线文件',
  'the line': '`[line]`',
  'the policy': '`[policy]`',
  device: '设备',
  job: '作业',
  model: '模型',
  stream: '流',
  face: '相机面',
  text: '文本',
  'a table': '表',
  'a list': '列表',
  'a list of tables': '表的列表',
  'a list of profiles': 'MIG 规格的列表',
  'a whole number': '整数',
  'a number with a fraction': '小数',
  'a whole number or a glob': '整数或通配符',
  'true or false': 'true 或 false',
  'a date': '日期',
  'one table': '一个表',
  units: '单元',
};

function noun(text: string): string {
  const entry = /^an entry of (`.*`)$/.exec(text);
  if (entry) return `${entry[1]} 的一项`;
  const item = /^an item of (`.*`)$/.exec(text);
  if (item) return `${item[1]} 的一项`;
  return NOUNS[text] ?? text;
}

// What is in a hole: a name in backquotes, a text in quotes, a number or any words.
const RULES: [string, string][] = [
  ['(.+) is not a duration', '$1 不是时长'],
  ['(.+) is not an amount of memory', '$1 不是内存量'],
  ['(.+) stands twice', '$1 出现了两次'],
  ['another (\\w+) named (.+)', '已有另一个名为 $2 的%1'],
  ['a name has at least a character', '名称至少要有一个字符'],
  ['(.+) without (`.+`) or (`.+`)', '%1缺少 $2 或 $3'],
  ['(.+) without (`.+`)', '%1缺少 $2'],
  ['(.+) beside (.+)', '$1 不能与 $2 同时出现'],
  ['(.+) has no key (.+)', '%1没有键 $2'],
  ['there is no (\\w+) named (.+)', '没有名为 $2 的%1'],
  ['there is no unit or device named (.+)', '没有名为 $1 的单元或设备'],
  ['the face (.+) has no (.+)', '相机面 $1 没有 $2'],
  ['(.+) of a face is not text', '相机面的 $1 不是文本'],
  ['(.+) cannot be (.+)', '$1 不能是 $2'],
  ['(.+) is at least (.+)', '$1 至少是 $2'],
  ['(.+) is at most (.+)', '$1 至多是 $2'],
  ['(.+) is from (.+) to (.+)', '$1 应在 $2 到 $3 之间'],
  ['(.+) is empty', '$1 是空的'],
  ['(.+) is not in the MIG table', '$1 不在 MIG 表中'],
  ['the MIG table does not have the memory of (.+)', 'MIG 表没有 $1 的显存'],
  [
    'not a layout: (.+) need (\\d+) (compute|memory) slices; (.+) has (\\d+)',
    '无法切分：$1 需要 $2 个切片；$4 只有 $5 个',
  ],
  ['not a layout: (.+)', '无法切分：$1'],
  ['a cycle: (.+)', '循环等待：$1'],
  ['a `depth` on a barrier edge', '屏障边上不能有 `depth`'],
  ['a stream edge with (.+)', '流式边不能有 $1'],
  ['a stream edge from (\\d+) images to (\\d+)', '流式边两端的图像数不同：$1 和 $2'],
  ['this line could never be drained: (.+)', '这条产线永远无法排空：$1'],
  ['(.+) is (\\d+), beyond the window of 64 images', '$1 是 $2，超出 64 幅图像的窗口'],
  ['no file matches (.+)', '没有文件匹配 $1'],
  ['`images`: there are no files here to match', '`images`：网页里没有可匹配的文件'],
  ['there is no device to run this on', '没有可以运行它的设备'],
  [
    '(.+) can never run: a lease takes (\\d+) units for (.+), and there (?:is|are) (\\d+)',
    '$1 永远无法运行：一个租约要 $2 个 $3 单元，而只有 $4 个',
  ],
  [
    '(.+) can never run: it needs (.+), and the largest unit it may use, (.+), can lease (.+)',
    '$1 永远无法运行：它需要 $2，而可用的最大单元 $3 只能租出 $4',
  ],
  ['(.+) can never run: (.+)', '$1 永远无法运行：$2'],
  [
    'a start of (.+) takes (.+) at least, and its timeout is (.+): it always times out',
    '$1 的一次启动至少要 $2，而超时是 $3：它总会超时',
  ],
  ['(.+) may hold the (?:stream|unit) that (.+) needs', '$1 可能占着 $2 所需的资源'],
  ['a whole-grain job has one lease at once', '整粒度的作业同时只有一个租约'],
  ['there is no CPU place to fall back to', '没有可回退的 CPU'],
  ['this job never runs on a CPU place', '该作业从不在 CPU 上运行'],
  ['this line has no jobs', '这条产线没有作业'],
  [
    '(.+) has no memory, so (.+), which needs some, never goes there',
    '$1 没有内存，需要内存的 $2 永远不会去那里',
  ],
  ['no job names the (\\w+) (.+)', '没有作业使用%1 $2'],
  ['a value is missing here', '这里缺少一个值'],
  ['(.+) has no value', '$1 没有值'],
  ['(.+) after a key', '键之后出现 $1'],
  ['(.+) is not a table that keys can be added to', '$1 不是可以添加键的表'],
  ['this header is not closed', '这个表头没有结束'],
  ['this text has no closing quote on its line', '这段文本在本行没有结束引号'],
  ['this text is never closed', '这段文本没有结束'],
  ['this (.+) is never closed', '这个 $1 没有结束'],
  ['not a value', '不是一个值'],
  ['not TOML: (.+)', '不是 TOML：$1'],
  ['a job does one thing', '一个作业只做一件事'],
  ['the file is not UTF-8 from here on', '从这里起不是 UTF-8'],
  ['(.+) is (a .+|one table|text|true or false|units), not (.+)', '%1应为%2，而不是%3'],
  // What to write instead.
  ['write it in each (.+)', '请写进每个 $1'],
  ['write text there, or this placeholder alone', '请在那里写文本，或只写这个占位符'],
  ['did you mean (.+)\\?', '是否要写 $1？'],
  ['the nearest key is (.+?); .+ has .+', '最接近的键是 $1'],
  ['(.+) is a key of (.+); the nearest key here is (.+)', '$1 是 $2 的键；这里最接近的键是 $3'],
  ['write one of (.+)', '请写其中之一：$1'],
  ['write (.+), for instance', '例如写 $1'],
  ['write (.+) below, or (.+)', '请在下面写 $1，或 $2'],
  ['write (.+) below', '请在下面写 $1'],
  ['write (.+); the table has (.+)', '请写 $1；表中有 $2'],
  ['write a (`.+`) with its (`.+`) and (`.+`)', '请写一个 $1，带上 $2 和 $3'],
  ['write a (`.+`) with its (`.+`)', '请写一个 $1，带上 $2'],
  ['write a longer (.+)', '请写更长的 $1'],
  [
    'write (.+) or more, or leave (.+) out, or take a barrier away',
    '请写 $1 或更大，或去掉 $2，或去掉一个屏障',
  ],
  [
    'leave a (.+) out or make it larger, or take a barrier away',
    '去掉一个 $1 或加大它，或去掉一个屏障',
  ],
  ['write (.+) or less', '请写 $1 或更小'],
  ['write (.+), or more devices', '请写 $1，或增加设备'],
  ['write (.+), or what it has', '请写 $1，或实际的大小'],
  ['write (.+) once', '$1 只写一次'],
  ['write (.+), and its keys below it', '请写 $1，并把键写在下面'],
  ['write (.+) and the value', '请写 $1 和值'],
  ['write (.+) at its end', '请在结尾写 $1'],
  ['write (.+) after its last item', '请在最后一项之后写 $1'],
  ['write a value after (.+)', '请在 $1 之后写一个值'],
  ['write text in straight quotes: (.+)', '文本要用直引号：$1'],
  ['write the same (?:three quotes|quote) at its end', '请在结尾写同样的引号'],
  ['write the whole table in one place', '请把整个表写在一处'],
  [
    'write a glob relative to the line file, or a number of images',
    '请写相对于产线文件的通配符，或图像数',
  ],
  ['write (`[^`]+`)', '请写 $1'],
  ['write ("[^"]+")', '请写 $1'],
  ['write (.+)', '请写 $1'],
  ['leave (.+) out, or write (.+?)(?:: .+)?', '去掉 $1，或写 $2'],
  ['leave (`.+`) out', '去掉 $1'],
  ['leave it out, or name it', '去掉它，或使用它'],
  ['leave it out', '去掉它'],
  ['leave slices out, or take smaller ones', '去掉一些切片，或换小一些的'],
  [
    'give (?:it|them) .*(?:or write (.+?)): such circles .+',
    '给它们各自的资源，或写 $1：这种循环会被打破，每次一幅图像',
  ],
  ['give it a name of its own', '给它一个自己的名称'],
  ['give the device another name', '给设备另一个名称'],
  ['keep one of them', '只保留其中一个'],
  ['make them equal, or write (.+)', '使两者相等，或写 $1'],
  ['let it need less, or give it a larger unit', '让它需要得少一些，或给它更大的单元'],
  ['take another profile', '换一个规格'],
  ['take this edge away, or another one of the cycle', '去掉这条边，或循环中的另一条'],
  ['there is no (\\w+): write (.+) and a name for it', '没有任何%1：请写 $2 并命名'],
  ['save it as UTF-8', '请保存为 UTF-8'],
];

const COMPILED = RULES.map(([expression, template]): [RegExp, string] => {
  return [new RegExp(`^${expression}$`, 's'), template];
});

// A sentence of the reader in Chinese; undefined if there is none for it.
export function sentenceZh(text: string): string | undefined {
  for (const [expression, template] of COMPILED) {
    const found = expression.exec(text);
    if (!found) continue;
    return template.replace(/([$%])(\d)/g, (_, sign: string, number: string) => {
      const part = words(found[Number(number)] ?? '');
      return sign === '%' ? noun(part) : part;
    });
  }
  return undefined;
}

// Words between names that sentences list things with.
function words(text: string): string {
  return text
    .replace(/, which waits for /g, '，后者等待 ')
    .replace(/ waits for /g, ' 等待 ')
    .replace(/\bimage (\d+) of /g, '图像 $1，属于 ')
    .replace(/ less (\d+) % headroom/g, ' 减去 $1 % 余量')
    .replace(/ and /g, ' 和 ')
    .replace(/ or /g, ' 或 ');
}
