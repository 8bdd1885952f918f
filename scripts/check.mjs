// Entry of `npm run check`; the work is in tool/check.mjs.
import './tool/node-version.mjs';

import('./tool/terminal.mjs').then(async ({ runMain }) => runMain(await import('./tool/check.mjs')));
