// `node scripts/random-qwen.mjs --out DIR`: a large model's shape with random weights; the work is in tool/random-qwen.mjs.
// The version check comes first, so that an old Node gets a sentence.
import './tool/node-version.mjs';

import('./tool/terminal.mjs').then(async ({ runMain }) => runMain(await import('./tool/random-qwen.mjs')));
