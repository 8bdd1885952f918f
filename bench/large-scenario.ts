// Prints a long scenario as a file (are_simulation_v1) for `npm run bench -- page`: a thousand events, two hundred of them calls of the agent, in
// four turns.
import { traceText } from '@projected-grpo-lab/are/scenario/export.ts';
import { largeTrace } from '@projected-grpo-lab/are/testing/large.ts';

process.stdout.write(traceText(largeTrace(796, 196, 4)));
