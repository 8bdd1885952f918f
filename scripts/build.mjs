// Entry of `npm run build`; the work is in tool/build.mjs. The version check comes first, so that an old Node gets a sentence.
import './tool/node-version.mjs';

import('./tool/terminal.mjs').then(async ({ runMain }) => runMain(await import('./tool/build.mjs')));
