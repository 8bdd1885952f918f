// Parses the flags of the lab's commands and prints their help, with base/commands and under the lab's own program name.
import {
  type Flags,
  helpText as helpOf,
  type Parsed,
  type Program,
  parseArgs as readArgs,
  type Usage,
} from '@projected-grpo-lab/base/commands/args.ts';

export * from '@projected-grpo-lab/base/commands/args.ts';

export const LAB: Program = { lead: 'npm run lab --', renamed: new Map([['world', 'environment']]) };

export const parseArgs = <F extends Flags>(usage: Usage<F>, argv: readonly string[]): Parsed<F> =>
  readArgs(usage, argv, LAB);

export const helpText = (usage: Usage<Flags>): string => helpOf(usage, LAB);
