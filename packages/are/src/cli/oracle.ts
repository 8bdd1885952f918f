// `are oracle FILE`: the actions of a perfect agent in a scenario, and whether they succeed.

import { toggle } from '@projected-grpo-lab/base/commands/args.ts';
import { command, EXIT } from '@projected-grpo-lab/base/commands/command.ts';
import { renderTable } from '@projected-grpo-lab/base/commands/table.ts';
import { IMPORTABLE_CLASSES } from '../apps/registry.ts';
import { argsOf, toolNameOf } from '../events/completed.ts';
import { pythonText } from '../python-text.ts';
import { makeScenario } from '../scenario/import.ts';
import { plainArgs } from '../value.ts';
import { playOracle } from '../verifier/oracle-run.ts';
import type { Host } from './host.ts';
import { loader } from './loaded.ts';
import { readTrace } from './scenario-set.node.ts';

const usageFor = ({ apps }: Host) => ({
  name: 'are oracle',
  summary: 'Plays a scenario’s own oracle and lists what happens, by turn.',
  positional: ['FILE'],
  flags: { ...apps.flags, json: toggle('Print JSON.') },
});

export const areOracle = (host: Host) =>
  command(host.program, usageFor(host), async ({ flags, positional }, context) => {
    const { out, progress } = context;
    const scenario = makeScenario(
      await loader(host, flags, context)(await readTrace(positional[0] as string)),
      IMPORTABLE_CLASSES,
    );
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
        JSON.stringify(
          { scenario: scenario.id, turns: oracle.turns.length, tasks: oracle.tasks, events: rows },
          null,
          2,
        ),
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
