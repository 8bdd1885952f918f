// `are bench`: agents on generated scenarios, several runs of each, as a table by split, with what is passed at least once and each
// time, and what a run takes. Rows are appended to a file
// as they are made, so that a bench that was stopped goes on where it was.
import { appendFile, readFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import { UNIVERSE as SMALL_UNIVERSE } from '../../environments/agents/task.ts';
import {
  budgetOf,
  COSTS,
  type Cost,
  type CostId,
  roundBudgets,
  shareWithin,
} from '../../environments/are/agents/budget.ts';
import { SCRIPTED_AGENTS } from '../../environments/are/agents/play.ts';
import { IMPORTABLE_CLASSES } from '../../environments/are/apps/registry.ts';
import { generateScenario, PARTS } from '../../environments/are/generate/generate.ts';
import { SPLITS, type Split } from '../../environments/are/generate/template.ts';
import { FormatError } from '../../lib/errors.ts';
import { parseJsonText } from '../../lib/json.ts';
import { integer, list, oneOf, parseArgs, text } from '../args.ts';
import { type Command, EXIT } from '../command.ts';
import { renderTable } from '../table.ts';
import { JUDGE_FLAGS, openJudge } from './flags.ts';
import { MODEL_FLAGS } from './model-flags.ts';
import { NOISE_FLAGS, noiseName, noisy } from './noise.ts';
import { openAgent } from './open-model.ts';
import { AGENTS, type AgentName, playAs } from './players.ts';

const usage = {
  name: 'are bench',
  summary: 'Runs agents on generated scenarios and prints their success by split.',
  positional: [],
  flags: {
    agents: list(AGENTS, 'Who acts; all without a model where none is named. react, language: a model.'),
    splits: list([...SPLITS, 'all'], 'Of which splits; all where none is named.'),
    n: integer('Scenarios of each split.', 10, 1, 10_000),
    runs: integer('Runs of each scenario; an agent that draws draws anew in each.', 3, 1, 100),
    seed: integer('Of universes and tasks.', 1),
    part: oneOf(
      PARTS,
      'Templates and words that training may see, its templates in other words, or held-out ones.',
      'held out',
    ),
    rows: text('FILE', 'JSON lines, a run each; what stands there is not run again.', null),
    'max-steps': integer('Actions of the agent in all.', 80, 1, 10_000),
    size: oneOf(['usual', 'small'], 'How much there is in a universe; small: as where tiny-agent learnt.', 'usual'),
    ...NOISE_FLAGS,
    ...MODEL_FLAGS,
    ...JUDGE_FLAGS,
  },
  notes: [
    'The agents without a model are controls: the oracle passes all, the others none, or the generator or the verifier is at fault.',
    'pass@k: scenarios that one run of k passes at least; pass^k: that all k pass.',
    'Within a budget: runs that passed and cost no more; --json has the whole curves.',
  ].join('\n'),
} as const;

const rowSchema = z.object({
  agent: z.enum(AGENTS),
  /** Of an agent with one. */
  model: z.nullish(z.string()),
  /** What was made harder; absent where nothing was. */
  noise: z.nullish(z.string()),
  split: z.enum(SPLITS),
  scenario: z.string(),
  run: z.int(),
  success: z.boolean(),
  steps: z.int(),
  seconds: z.number(),
  /** Answers of the model, tokens that it read and wrote. */
  calls: z.nullish(z.int()),
  tokens: z.nullish(z.int()),
});
type Row = z.infer<typeof rowSchema>;

export const areBench: Command = {
  usage,
  async run(argv, context) {
    const { out, progress, signal } = context;
    const { flags } = parseArgs(usage, argv);
    const agents: readonly AgentName[] = flags.agents ?? SCRIPTED_AGENTS;
    const splits = SPLITS.filter((one) => !flags.splits || flags.splits.some((name) => name === one || name === 'all'));
    const kept = flags.rows === null ? [] : await keptRows(flags.rows);
    const keyOf = ({
      agent,
      model,
      noise,
      scenario,
      run,
    }: Pick<Row, 'agent' | 'model' | 'noise' | 'scenario' | 'run'>) =>
      `${agent} ${model ?? ''} ${noise ?? ''} ${scenario} ${run}`;
    const noise = noiseName(flags);
    const known = new Map(kept.map((row) => [keyOf(row), row]));
    const rows: Row[] = [];
    const opened = new Map<AgentName, Awaited<ReturnType<typeof openAgent>>>();
    for (const agent of agents) opened.set(agent, await openAgent(agent, flags, context));
    const size = flags.size === 'small' ? SMALL_UNIVERSE : {};
    const judge = await openJudge(flags, context);
    const total = agents.length * splits.length * flags.n * flags.runs;
    for (const split of splits) {
      for (let index = 0; index < flags.n; index++) {
        const { trace } = generateScenario({ split, seed: flags.seed, index, part: flags.part, size });
        const scenario = trace.metadata.definition.scenario_id;
        for (const agent of agents) {
          for (let run = 0; run < flags.runs; run++) {
            signal.throwIfAborted();
            const ofModel = opened.get(agent) ?? null;
            const model = ofModel?.name ?? null;
            const old = known.get(keyOf({ agent, model, noise, scenario, run }));
            // Of scenario and run: what one run draws in one scenario says nothing of another.
            const own = 1000 * index + run;
            const maxSteps = flags['max-steps'];
            const { engine, config } = judge;
            const options = {
              ...{ classes: IMPORTABLE_CLASSES, seed: run, signal, maxSteps, engine, config },
              ...noisy(flags, own, ofModel?.expert(own) ?? null),
            };
            const made =
              old ?? (await played(agent, trace, options, ofModel?.seeded(agent === 'language' ? own : run) ?? null));
            const row = old ?? { agent, model, ...(noise !== null && { noise }), split, scenario, run, ...made };
            if (!old && flags.rows !== null) await appendFile(flags.rows, `${JSON.stringify(row)}\n`);
            rows.push(row);
            progress.update('runs', rows.length, total);
          }
        }
      }
    }
    progress.end();
    for (const one of opened.values()) one?.free();
    judge.free();
    const table = agents.map((agent) => ({
      agent,
      ...successOf(rows, agent, splits, flags.runs),
      ...figuresOf(rows.filter((row) => row.agent === agent)),
      budget: budgetsOf(rows.filter((row) => row.agent === agent)),
    }));
    if (flags.json) out(JSON.stringify({ part: flags.part, n: flags.n, runs: flags.runs, table, rows }, null, 2));
    else {
      out(
        `${flags.part}${noise === null ? '' : `, ${noise}`}, ${flags.n} scenarios a split, ${flags.runs} runs of each: success in %, mean ± standard deviation over runs.`,
      );
      const right = (titles: readonly string[]) => titles.map((title) => ({ title, right: true }));
      const success = table.map(({ agent, bySplit, mean }) => [
        agent,
        ...splits.map((split) => shown(bySplit[split])),
        shown(mean),
      ]);
      out(renderTable([{ title: 'agent' }, ...right([...splits, 'mean'])], success));
      const titles = [`pass@${flags.runs} %`, `pass^${flags.runs} %`, 'actions', 'simulated s', 'answers', 'tokens'];
      out(`\nScenarios (${splits.length * flags.n}) passed once and each time; what a run takes, mean.`);
      const figures = table.map(({ agent, once, always, steps, seconds, calls, tokens }) => [
        agent,
        ...[100 * once, 100 * always, steps, seconds, calls, tokens].map((value) =>
          value === null ? '' : value.toFixed(1),
        ),
      ]);
      out(renderTable([{ title: 'agent' }, ...right(titles)], figures));
      for (const id of COSTS) {
        const most = Math.max(...rows.map((row) => costOf(row)[id] ?? 0));
        const known = table.filter(({ budget }) => budget[id].n > 0);
        if (known.length === 0) continue;
        const budgets = roundBudgets(most, BUDGETS);
        out(`\nRuns passed within so many ${COST_WORDS[id]}, in %.`);
        out(
          renderTable(
            [{ title: 'agent' }, ...right(['runs', ...budgets.map((value) => `≤ ${value}`)])],
            known.map(({ agent, budget }) => [
              agent,
              String(budget[id].n),
              ...budgets.map((value) => (100 * shareWithin(budget[id], value)).toFixed(1)),
            ]),
          ),
        );
      }
    }
    return EXIT.ok;
  },
};

async function played(
  ...args: Parameters<typeof playAs>
): Promise<Pick<Row, 'success' | 'steps' | 'seconds' | 'calls' | 'tokens'>> {
  const { verdict, run, environment, spent } = await playAs(...args);
  return {
    ...{ success: verdict.success, steps: run.steps.length, seconds: environment.clock.passed() },
    ...{ calls: spent?.calls ?? null, tokens: (spent && spent.inputTokens + spent.outputTokens) || null },
  };
}

/** Columns of a table of budgets. */
const BUDGETS = 7;
const COST_WORDS: Readonly<Record<CostId, string>> = {
  calls: 'questions to the model (without one, actions)',
  tokens: 'tokens read and written',
  seconds: 'simulated seconds',
};

const costOf = ({ success, calls, steps, tokens, seconds }: Row): Cost => ({
  ...{ success, seconds },
  ...{ calls: calls ?? steps, tokens: tokens ?? null },
});

/** Of one agent's rows: success within each cost. */
const budgetsOf = (rows: readonly Row[]) => {
  const costs = rows.map(costOf);
  return { calls: budgetOf(costs, 'calls'), tokens: budgetOf(costs, 'tokens'), seconds: budgetOf(costs, 'seconds') };
};

/** Of one agent's rows: what its scenarios come to over their runs, and what a run takes. */
export function figuresOf(rows: readonly Row[]) {
  const byScenario = new Map<string, boolean[]>();
  for (const { scenario, success } of rows) byScenario.set(scenario, [...(byScenario.get(scenario) ?? []), success]);
  const share = (holds: (runs: readonly boolean[]) => boolean) =>
    [...byScenario.values()].filter(holds).length / Math.max(1, byScenario.size);
  const mean = (values: readonly (number | null | undefined)[]) => {
    const known = values.filter((value) => typeof value === 'number');
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
  };
  return {
    once: share((runs) => runs.includes(true)),
    always: share((runs) => !runs.includes(false)),
    steps: mean(rows.map((row) => row.steps)),
    seconds: mean(rows.map((row) => row.seconds)),
    calls: mean(rows.map((row) => row.calls)),
    tokens: mean(rows.map((row) => row.tokens)),
  };
}

interface Share {
  /** Of runs; `deviation` of their shares over runs of all scenarios. */
  readonly mean: number;
  readonly deviation: number;
}

function successOf(rows: readonly Row[], agent: AgentName, splits: readonly Split[], runs: number) {
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
