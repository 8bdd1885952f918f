// Entry of `npm run research`; the work is in tool/lab.mjs. The version check comes first, so that an old Node gets a sentence.
import './tool/node-version.mjs';

import('./tool/terminal.mjs').then(async ({ runMain }) => runMain((await import('./tool/lab.mjs')).research));
