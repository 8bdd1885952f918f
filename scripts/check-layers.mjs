// Fails, with a line for each violation, if a file under src/ or packages/ imports upwards or in a circle, or if a folder has no place in
// ROOMS; see tool/layers.mjs.
import { fileURLToPath } from 'node:url';
import { checkTree } from './tool/layers.mjs';

const problems = checkTree(fileURLToPath(new URL('..', import.meta.url)));
for (const problem of problems) console.error(problem);
console.error(
  problems.length
    ? `${problems.length} broken rule(s) of the house.`
    : 'Layers: every import points downwards, and none leads back.',
);
process.exitCode = problems.length ? 1 : 0;
