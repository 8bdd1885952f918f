// Calls a command in a test: its exit code, its output and its notes.
import type { Command, CommandContext } from '../command.ts';

/** `onLine`: called with each line of progress. */
interface Changes extends Partial<Pick<CommandContext, 'signal' | 'root' | 'ask'>> {
  onLine?: (text: string) => void;
}

export async function callCommand(
  command: Command,
  argv: readonly string[],
  { onLine = () => {}, ...changes }: Changes = {},
): Promise<{ code: number; text: string; notes: string[] }> {
  const [printed, notes]: [string[], string[]] = [[], []];
  const code = await command.run(argv, {
    out: (text) => void printed.push(text),
    progress: { update: () => {}, line: onLine, note: (text) => void notes.push(text), end: () => {} },
    signal: new AbortController().signal,
    root: process.cwd(),
    ...changes,
  });
  return { code, text: printed.join('\n'), notes };
}
