// A scenario that a command names, ready to be played: with the apps that its file leaves to its data set, and its documents' texts.
import type { CommandContext } from '@projected-grpo-lab/base/commands/command.ts';
import { startNodeConverter } from '../apps/files/documents/converter.node.ts';
import { convertDocuments } from '../apps/files/documents/converter.ts';
import type { Trace } from '../scenario/schema.ts';
import type { Given, Host } from './host.ts';

type Context = Pick<CommandContext, 'root' | 'progress' | 'signal' | 'ask'>;

/** Called once a command. What it returns throws what the program's finder throws, and ScenarioError. */
export function loader({ apps }: Host, flags: object, context: Context): (trace: Trace) => Promise<Trace> {
  const withApps = apps.finder(flags as Given, context);
  return async (trace) => convertDocuments(await withApps(trace), startNodeConverter, { signal: context.signal });
}
