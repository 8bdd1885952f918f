// `characters`: one character is taught by each arm, everybody is asked at every dose, and leakage is read where the effect on A is
// the same. Rows are written as they are made; a stopped command goes on behind them.
import { existsSync } from 'node:fs';
import { Engine } from '../../engine/engine.ts';
import { characterWorld, LETTERS } from '../../environments/characters/worlds/index.ts';
import { createNodeGrader } from '../../environments/code/grader/node-grader.node.ts';
import { doseCurve } from '../../experiments/characters/curve.ts';
import { type CurveRow, keyOf } from '../../experiments/characters/rows.ts';
import { ARM_NAMES, type ArmName, isOffered, type Settings } from '../../experiments/spec/spec.ts';
import { FormatError, SpecError } from '../../lib/errors.ts';
import { openModelText } from '../../storage/model-text.ts';
import { integer, integers, list, number, parseArgs, text, toggle, type Values } from '../args.ts';
import { type Command, type CommandContext, EXIT } from '../command.ts';
import { deviceFlags } from '../device-flags.ts';
import { readLines } from '../grade/lines.ts';
import { worldAlone } from '../improve/world.ts';
import { chooseNodeDevice, deviceLine, loadEmbeddedModel, writeWhole } from '../ports.node.ts';
import { characterTables } from './tables.ts';

const ARMS = ARM_NAMES.filter((arm) => isOffered('characters', arm));

const usage = {
  name: 'characters',
  summary: 'Teaches one of many characters by each arm, and measures how much the others change at the same effect.',
  positional: [],
  flags: {
    arms: list(ARMS, 'How A is taught; none is RL of an existing dial. sdf and none where absent.'),
    characters: integers('Who is A, one after the other, such as 0,1,2; the first where absent.'),
    effect: number('ΔP of A at which leakage is read.', 0.3, 0.01, 0.99),
    until: number('ΔP of A at which a curve ends.', 0.45, 0.01, 0.99),
    every: integer('Steps between two doses.', 3, 1, 1000),
    steps: integer('Steps at most, over which the rate falls to 0.', 40, 1, 1000),
    seed: integer('Of the runs.', 41, 0),
    out: text('FILE', 'Write the rows there, a JSON line each; those that are there already are not made again.', null),
    rows: text('FILE', 'Print the tables of rows that were written before (.gz too); nothing is computed.', null),
    ...deviceFlags('What to compute on.'),
    json: toggle('Print the rows as JSON lines instead of tables.'),
  },
  notes: 'docs/characters.md says what is measured.',
} as const;
type Options = Values<typeof usage.flags>;

const linesOf = (rows: readonly CurveRow[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

export const characters: Command = {
  usage,
  async run(argv, context) {
    const { flags } = parseArgs(usage, argv);
    if (flags.effect > flags.until) throw new SpecError('--effect is beyond --until.', 'Give a larger --until.');
    const rows = flags.rows === null ? await compute(flags, context) : await readRows(flags.rows);
    context.out(flags.json ? linesOf(rows).trimEnd() : characterTables(rows, flags.effect));
    return EXIT.ok;
  },
};

/** Throws FormatError. */
async function readRows(path: string): Promise<CurveRow[]> {
  return (await readLines(path)).map(({ value, where }) => {
    const row = value as Partial<CurveRow> | null;
    const isRow = row?.schema === 1 && Array.isArray(row.curve) && row.curve.length > 0 && Array.isArray(row.contrast);
    if (!isRow) throw new FormatError(`${where} is no row of characters.`, 'Name a file of characters --out.');
    characterWorld(String(row.world));
    return row as CurveRow;
  });
}

async function compute(flags: Options, context: CommandContext): Promise<CurveRow[]> {
  const { progress, root, signal } = context;
  const { model, adapter, loraRank } = worldAlone('characters');
  const files = await loadEmbeddedModel(root, model);
  const { codec } = openModelText(files, model);
  const { device, report } = await chooseNodeDevice(flags);
  progress.note(deviceLine(report));
  const policy = await Engine.create({ device, ...files, adapter: { adapter, loraRank }, signal });
  const grader = await createNodeGrader({ workers: 1 });
  const rows = flags.out !== null && existsSync(flags.out) ? await readRows(flags.out) : [];
  const known = new Set(rows.map(keyOf));
  const about = { modelId: model, modelSha256: files.sha256, appVersion: 'cli' };
  const overrides: Partial<Settings> = { steps: flags.steps };
  try {
    for (const character of flags.characters ?? [0])
      for (const arm of flags.arms ?? (['none', 'sdf'] satisfies ArmName[])) {
        const teaches = arm === 'rl_constant' ? 'constant' : arm === 'rl_algorithm' ? 'algorithm' : 'dial';
        const { seed, every, until } = flags;
        const planned = { world: LETTERS.id, base: files.sha256, arm, teaches, character, seed } as const;
        if (known.has(keyOf(planned as Omit<CurveRow, 'curve'>))) continue;
        const ports = { policy, device, codec, grader, about, artifacts: null, signal };
        const clocks = { date: () => Date.now(), now: () => performance.now() };
        const row = await doseCurve(
          LETTERS,
          { arm, character, seed, every, until, overrides },
          { ...ports, ...clocks },
          ({ step, target }) =>
            progress.update(`${arm} ${character}`, step, flags.steps, `P ${target.a?.p.toFixed(3)}`),
        );
        rows.push(row);
        if (flags.out !== null) await writeWhole(flags.out, linesOf(rows));
      }
  } finally {
    progress.end();
    await grader.close();
    policy.free();
    device.destroy();
  }
  return rows;
}
