// Entry of `npm run engines`; the work is in tool/engine-table.mjs. The version check comes first, so that an old Node gets a sentence.
import './tool/node-version.mjs';

import('./tool/terminal.mjs').then(async ({ runMain }) => runMain(await import('./tool/engine-table.mjs')));
