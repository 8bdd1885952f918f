// `tables …`: prints the lab's tables of rows, with the verdicts of a series' questions on them.
import { number, text } from '@projected-grpo-lab/base/commands/args.ts';
import { type Command, EXIT } from '@projected-grpo-lab/base/commands/command.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { COMPOSED_ROWS } from '../../src/cli/agents/composed.ts';
import { readInferenceRows } from '../../src/cli/cat/synthesise.ts';
import { CURVE_ROWS } from '../../src/cli/characters/characters.ts';
import { readRows } from '../../src/cli/files/rows.node.ts';
import { IMPROVE_ROWS } from '../../src/experiments/exit/rows.ts';
import type { RunRecord } from '../../src/experiments/records/events.ts';
import { answersText, answerText } from '../judge/answer-text.ts';
import { readRuns } from '../judge/runs.node.ts';
import { command, group } from '../program.ts';
import { G2 } from '../series/agents/forms.ts';
import { AGENT_RUN_QUESTIONS } from '../series/agents/index.ts';
import { inferenceAnswers, runTables, trainedTables } from '../series/cat/tables.ts';
import { characterAnswers } from '../series/characters/tables.ts';
import { improveAnswers } from '../series/exit/tables.ts';

/** Runs of several files; `paths` are separated by commas. */
const runsIn = async (paths: string): Promise<RunRecord[]> =>
  (await Promise.all(paths.split(',').map((path) => readRuns(path)))).flat();

const catUsage = {
  name: 'tables cat',
  summary: 'Rows of `synthesise` and runs by reference, with the verdicts of C1 to C11.',
  flags: {
    rows: text(
      'FILE',
      'Rows of `synthesise --out`; of several files, separated by commas, those of the same attempts are joined.',
      null,
    ),
    runs: text('FILE', 'Runs as `run --json` writes them; several files, separated by commas, are read as one.', null),
  },
  notes:
    'With --rows runs by reference are judged beside the rows; alone runs that a judge paid, that project, or variants of CaT.',
} as const;

const cat = command(catUsage, async ({ flags }, { out, progress }) => {
  const runs = flags.runs === null ? null : await runsIn(flags.runs);
  if (flags.rows === null) {
    if (runs === null) throw new SpecError('Nothing is read.', 'Give --rows FILE, --runs FILE, or both.');
    out(runTables(runs));
    return EXIT.ok;
  }
  const rows = await readInferenceRows(flags.rows, progress.note);
  out([inferenceAnswers(rows), ...(runs === null ? [] : [trainedTables(runs, rows)])].join('\n\n'));
  return EXIT.ok;
});

const exitUsage = {
  name: 'tables exit',
  summary: 'Rows of `improve`, with the verdicts of E1 to E7.',
  positional: ['FILE'],
  flags: { training: text('FILE', 'The runs that trained the models, as `run --json` has them (for E5).', null) },
} as const;

const exit = command(exitUsage, async ({ flags, positional: [path] }, { out, progress }) => {
  const runs = flags.training === null ? [] : await runsIn(flags.training);
  out(improveAnswers(await readRows(path as string, IMPROVE_ROWS, progress.note), runs));
  return EXIT.ok;
});

const charactersUsage = {
  name: 'tables characters',
  summary: 'Rows of `characters`, with the verdicts of S1 to S12.',
  positional: ['FILE'],
  flags: { effect: number('ΔP of A at which leakage is read.', 0.3, 0.01, 0.99) },
} as const;

const characters = command(charactersUsage, async ({ flags, positional: [path] }, { out, progress }) => {
  out(characterAnswers(await readRows(path as string, CURVE_ROWS, progress.note), flags.effect));
  return EXIT.ok;
});

const agentsUsage = {
  name: 'tables agents',
  summary: 'What runs of the environment agents say of G1 and A1, or rows of `are composed` of G2.',
  positional: ['FILE', '[FILE…]'],
  flags: {},
  notes: 'A file is what `run --json` writes, or rows of `are composed` (.jsonl); .gz is read too.',
} as const;

const agents = command(agentsUsage, async ({ positional }, { out, progress }) => {
  const isRows = (path: string) => /\.jsonl(\.gz)?$/.test(path);
  const runs = (await Promise.all(positional.filter((path) => !isRows(path)).map((path) => readRuns(path)))).flat();
  if (runs.length > 0)
    for (const question of AGENT_RUN_QUESTIONS) for (const line of answerText(question, runs)) out(line);
  for (const path of positional.filter(isRows))
    for (const line of answersText([G2], await readRows(path, COMPOSED_ROWS, progress.note))) out(line);
  return EXIT.ok;
});

export const tables: Command = group(
  { name: 'tables', summary: 'Prints the tables of rows with the verdicts that a series’ questions give on them.' },
  {
    cat: ['', 'rows of synthesise, runs by reference or judge', async () => cat],
    exit: ['FILE', 'rows of improve', async () => exit],
    characters: ['FILE', 'rows of characters', async () => characters],
    agents: ['FILE…', 'runs of agents, rows of are composed', async () => agents],
  },
);
