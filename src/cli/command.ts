// The lab's commands: the packages' frame of commands (base/commands) under the lab's own name.
import {
  type Command,
  command as commandOf,
  group as groupOf,
  type Part,
  type Run,
} from '@projected-grpo-lab/base/commands/command.ts';
import { type Flags, LAB, type Usage } from './args.ts';

export * from '@projected-grpo-lab/base/commands/command.ts';

export const command = <F extends Flags>(usage: Usage<F>, run: Run<F>): Command => commandOf(LAB, usage, run);

export const group = (
  usage: Pick<Usage<Flags>, 'name' | 'summary' | 'positional'>,
  parts: Readonly<Record<string, Part>>,
): Command => groupOf(LAB, usage, parts);
