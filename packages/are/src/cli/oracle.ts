// `are oracle FILE`: what a perfect agent does in a scenario, and whether it can.
import { IMPORTABLE_CLASSES } from '@projected-grpo-lab/are/apps/registry.ts';
import { argsOf, toolNameOf } from '@projected-grpo-lab/are/events/completed.ts';
import { pythonText } from '@projected-grpo-lab/are/python-text.ts';
import { makeScenario } from '@projected-grpo-lab/are/scenario/import.ts';
import { plainArgs } from '@projected-grpo-lab/are/value.ts';
import { playOracle } from '@projected-grpo-lab/are/verifier/oracle-run.ts';
import { toggle } from '../args.ts';
import { command, EXIT } from '../command.ts';
import { renderTable } from '../table.ts';
import { APPS_FLAGS, FetchedApps } from './fetched-apps.ts';
import { readTrace } from './scenario-set.node.ts';

const usage = {
  name: 'are oracle',
  summary: 'Plays a scenario’s own oracle and lists what happens, by turn.',
  positional: ['FILE'],
  flags: { ...APPS_FLAGS, json: toggle('Print JSON.') },
} as const;

export const areOracle = command(usage, async ({ flags, positional }, context) => {
  const { out, progress } = context;
  const apps = new FetchedApps(flags['fetch-apps'], context);
  const scenario = makeScenario(await apps.of(await readTrace(positional[0] as string)), IMPORTABLE_CLASSES);
  for (const skipped of scenario.skipped) progress.note(`Left out: ${skipped}`);
  const oracle = playOracle(scenario);
  const rows = oracle.log.map((event) => ({
    turn: oracle.turnOf.get(event.id) ?? 0,
    seconds: event.time - oracle.start,
    type: event.type,
    id: event.id,
    tool: toolNameOf(event),
    args: plainArgs(argsOf(event)),
    return: event.value,
  }));
  if (flags.json)
    out(
      JSON.stringify({ scenario: scenario.id, turns: oracle.turns.length, tasks: oracle.tasks, events: rows }, null, 2),
    );
  else {
    const short = (text: string) => (text.length > 90 ? `${text.slice(0, 90)}…` : text);
    out(
      renderTable(
        ['turn', 'seconds', 'type', 'event', 'call'],
        rows.map(({ turn, seconds, type, id, tool, args }) => [
          String(turn),
          String(seconds),
          type,
          id,
          short(`${tool} ${pythonText(args)}`.replaceAll('\n', ' ')),
        ]),
        (column) => column < 2,
      ),
    );
  }
  return EXIT.ok;
});
