// Fails, with a line for each violation, if a key from outside could become a property or JSON is parsed without a bound; see tool/keys.mjs.
import { fileURLToPath } from 'node:url';
import { checkTreeKeys } from './tool/keys.mjs';

const problems = checkTreeKeys(fileURLToPath(new URL('..', import.meta.url)));
for (const problem of problems) console.error(problem);
console.error(
  problems.length
    ? `${problems.length} unguarded key(s) or reading(s).`
    : 'Keys: none from outside becomes a property unguarded.',
);
process.exitCode = problems.length ? 1 : 0;
