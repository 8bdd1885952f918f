// Prepares a scenario for playing: adds apps that its file leaves to its data set, and its documents' texts.
import type { CommandContext } from '@projected-grpo-lab/base/commands/command.ts';
import { startNodeConverter } from '../apps/files/documents/converter.node.ts';
import { convertDocuments } from '../apps/files/documents/converter.ts';
import type { Trace } from '../scenario/schema.ts';
import type { Host, ParsedFlags } from './host.ts';

type Context = Pick<CommandContext, 'root' | 'progress' | 'signal' | 'ask'>;

/** Called once per command. The returned function throws the errors of the program's finder, and ScenarioError. */
export function loader({ apps }: Host, flags: object, context: Context): (trace: Trace) => Promise<Trace> {
  const withApps = apps.finder(flags as ParsedFlags, context);
  return async (trace) => convertDocuments(await withApps(trace), startNodeConverter, { signal: context.signal });
}
