// docs/reference/commands.md: the help of every command, as `--help` prints it, and of every part of a group.
import { helpText } from './args.ts';
import type { Command } from './command.ts';
import { COMMANDS } from './commands.ts';

export async function commandsMarkdown(): Promise<string> {
  const sections: string[] = [];
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    const command = await load();
    sections.push(section(`## ${name}`, `${summary[0].toUpperCase()}${summary.slice(1)}.`, command));
    for (const [part, loadPart] of Object.entries(command.parts ?? {}))
      sections.push(section(`### ${name} ${part}`, null, await loadPart()));
  }
  return [
    '# Every command',
    '',
    'Made by `npm run -s lab -- help --markdown > docs/reference/commands.md` from what `--help` prints; a test compares the two. Examples: [the command line](../how-to/command-line.md). Options that `--set` takes: [options](options.md).',
    '',
    'Results go to stdout (`--json` for machines), progress and errors to stderr. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 device missing or lost, 130 stopped (checkpoints are kept).',
    '',
    ...sections,
  ].join('\n');
}

function section(heading: string, lead: string | null, { usage }: Command): string {
  return [heading, '', ...(lead ? [lead, ''] : []), '```text', helpText(usage), '```', ''].join('\n');
}
