// Entry of `npm run new`; the work is in tool/new.mjs.
import './tool/node-version.mjs';

import('./tool/terminal.mjs').then(async ({ runMain }) => runMain(await import('./tool/new.mjs')));
