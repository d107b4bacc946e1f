// The one-file page: what it carries is unpacked first.

import { unpack } from './platform.single.ts';

unpack().then(() => import('./main.tsx'));
