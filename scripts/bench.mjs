// Entry of `npm run bench`; the work is in tool/bench.mjs. The version check comes first, so that an old Node gets a sentence.
import './tool/node-version.mjs';

import('./tool/terminal.mjs').then(async ({ runMain }) => runMain(await import('./tool/bench.mjs')));
