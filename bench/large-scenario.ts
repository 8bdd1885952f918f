// Prints a long scenario as a file (are_simulation_v1): a thousand events, two hundred of them calls of the agent, in four turns. What
// `npm run bench -- page` opens in the agents' view.
import { traceText } from '@projected-grpo-lab/are/scenario/export.ts';
import { largeTrace } from '@projected-grpo-lab/are/testing/large.ts';

process.stdout.write(traceText(largeTrace(796, 196, 4)));
