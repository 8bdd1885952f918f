// The commands of the research on the lab, with their own prefix: `npm run research -- …`.
import type { Flags, Program, Usage } from '@projected-grpo-lab/base/commands/args.ts';
import {
  type Command,
  command as commandOf,
  group as groupOf,
  type Part,
  type Run,
} from '@projected-grpo-lab/base/commands/command.ts';

export const RESEARCH: Program = { lead: 'npm run research --' };

export const command = <F extends Flags>(usage: Usage<F>, run: Run<F>): Command => commandOf(RESEARCH, usage, run);

export const group = (
  usage: Pick<Usage<Flags>, 'name' | 'summary' | 'positional'>,
  parts: Readonly<Record<string, Part>>,
): Command => groupOf(RESEARCH, usage, parts);
