// Entry of `npm run gpu`; the work is in tool/gpu.mjs. The version check comes first, so that an old Node gets a sentence.
import './tool/node-version.mjs';

import('./tool/terminal.mjs').then(async ({ runMain }) => runMain(await import('./tool/gpu.mjs')));
