// `are bench`: agents without a model on generated scenarios, several runs of each, as a table by split. Rows are appended to a file
// as they are made, so that a bench that was stopped goes on where it was.
import { appendFile, readFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import { playScripted, SCRIPTED_AGENTS, type ScriptedName } from '../../environments/are/agents/play.ts';
import { IMPORTABLE_CLASSES } from '../../environments/are/apps/registry.ts';
import { generateScenario, PARTS } from '../../environments/are/generate/generate.ts';
import { SPLITS, type Split } from '../../environments/are/generate/template.ts';
import { FormatError } from '../../lib/errors.ts';
import { parseJsonText } from '../../lib/json.ts';
import { integer, list, oneOf, parseArgs, text } from '../args.ts';
import { type Command, EXIT } from '../command.ts';
import { renderTable } from '../table.ts';
import { JUDGE_FLAGS, judgeOptions } from './flags.ts';

const usage = {
  name: 'are bench',
  summary: 'Runs agents on generated scenarios and prints their success by split.',
  positional: [],
  flags: {
    agents: list(SCRIPTED_AGENTS, 'Who acts; all where none is named.'),
    splits: list(SPLITS, 'Of which splits; all where none is named.'),
    n: integer('Scenarios of each split.', 10, 1, 10_000),
    runs: integer('Runs of each scenario; an agent that draws draws anew in each.', 3, 1, 100),
    seed: integer('Of universes and tasks.', 1),
    part: oneOf(
      PARTS,
      'Templates and words that training may see, its templates in other words, or held-out ones.',
      'held out',
    ),
    rows: text('FILE', 'JSON lines, a run each; what stands there is not run again.', null),
    ...JUDGE_FLAGS,
  },
  notes:
    'The agents are controls: the oracle passes all, the others none, or the generator or the verifier is at fault.',
} as const;

const rowSchema = z.object({
  agent: z.enum(SCRIPTED_AGENTS),
  split: z.enum(SPLITS),
  scenario: z.string(),
  run: z.int(),
  success: z.boolean(),
  steps: z.int(),
  seconds: z.number(),
});
type Row = z.infer<typeof rowSchema>;

export const areBench: Command = {
  usage,
  async run(argv, { out, progress, signal }) {
    const { flags } = parseArgs(usage, argv);
    const agents = flags.agents ?? SCRIPTED_AGENTS;
    const splits = flags.splits ?? SPLITS;
    const kept = flags.rows === null ? [] : await keptRows(flags.rows);
    const keyOf = ({ agent, scenario, run }: Pick<Row, 'agent' | 'scenario' | 'run'>) => `${agent} ${scenario} ${run}`;
    const known = new Map(kept.map((row) => [keyOf(row), row]));
    const rows: Row[] = [];
    const total = agents.length * splits.length * flags.n * flags.runs;
    for (const split of splits) {
      for (let index = 0; index < flags.n; index++) {
        const { trace } = generateScenario({ split, seed: flags.seed, index, part: flags.part });
        const scenario = trace.metadata.definition.scenario_id;
        for (const agent of agents) {
          for (let run = 0; run < flags.runs; run++) {
            signal.throwIfAborted();
            const old = known.get(keyOf({ agent, scenario, run }));
            const options = { classes: IMPORTABLE_CLASSES, seed: run, signal, ...judgeOptions(flags) };
            const row = old ?? { agent, split, scenario, run, ...(await played(trace, agent, options)) };
            if (!old && flags.rows !== null) await appendFile(flags.rows, `${JSON.stringify(row)}\n`);
            rows.push(row);
            progress.update('runs', rows.length, total);
          }
        }
      }
    }
    progress.end();
    const table = agents.map((agent) => ({ agent, ...successOf(rows, agent, splits, flags.runs) }));
    if (flags.json) out(JSON.stringify({ part: flags.part, n: flags.n, runs: flags.runs, table, rows }, null, 2));
    else {
      out(
        `${flags.part}, ${flags.n} scenarios a split, ${flags.runs} runs of each: success in %, mean ± standard deviation over runs.`,
      );
      const columns = [{ title: 'agent' }, ...[...splits, 'mean'].map((title) => ({ title, right: true }))];
      out(
        renderTable(
          columns,
          table.map(({ agent, bySplit, mean }) => [
            agent,
            ...splits.map((split) => shown(bySplit[split])),
            shown(mean),
          ]),
        ),
      );
    }
    return EXIT.ok;
  },
};

async function played(...args: Parameters<typeof playScripted>): Promise<Pick<Row, 'success' | 'steps' | 'seconds'>> {
  const { verdict, run, environment } = await playScripted(...args);
  return { success: verdict.success, steps: run.steps.length, seconds: environment.clock.passed() };
}

interface Share {
  /** Of runs; `deviation` of their shares over runs of all scenarios. */
  readonly mean: number;
  readonly deviation: number;
}

function successOf(rows: readonly Row[], agent: ScriptedName, splits: readonly Split[], runs: number) {
  const share = (chosen: readonly Row[]): Share => {
    const shares = Array.from({ length: runs }, (_, run) => {
      const ofRun = chosen.filter((row) => row.run === run);
      return ofRun.filter(({ success }) => success).length / Math.max(1, ofRun.length);
    });
    const mean = shares.reduce((sum, value) => sum + value, 0) / runs;
    const squares = shares.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    return { mean, deviation: runs > 1 ? Math.sqrt(squares / (runs - 1)) : 0 };
  };
  const own = rows.filter((row) => row.agent === agent);
  const bySplit = Object.fromEntries(splits.map((split) => [split, share(own.filter((row) => row.split === split))]));
  return { bySplit: bySplit as Record<Split, Share>, mean: share(own) };
}

const shown = ({ mean, deviation }: Share): string => `${(100 * mean).toFixed(1)} ± ${(100 * deviation).toFixed(1)}`;

async function keptRows(path: string): Promise<Row[]> {
  const lines = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw new FormatError(`${path} cannot be read: ${error.message}`, 'Name a file of rows, or a new one.');
  });
  return lines
    .split('\n')
    .filter(Boolean)
    .map((line, place) => {
      try {
        return rowSchema.parse(parseJsonText(line));
      } catch {
        throw new FormatError(`${path}: line ${place + 1} is no row.`, 'Take the line out, or name another file.');
      }
    });
}
