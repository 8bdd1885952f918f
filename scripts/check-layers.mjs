// Fails, with a line for each, when a file under src/ imports upwards; see tool/layers.mjs for the rules.
import { fileURLToPath } from 'node:url';
import { checkTree } from './tool/layers.mjs';

const problems = checkTree(fileURLToPath(new URL('..', import.meta.url)));
for (const problem of problems) console.error(problem);
console.error(
  problems.length ? `${problems.length} broken layering rule(s).` : 'Layers: every import points downwards.',
);
process.exitCode = problems.length ? 1 : 0;
