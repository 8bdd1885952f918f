// `characters`: one character is taught by each arm, everybody is asked at every dose, and leakage is read where the effect on A is the
// same. Rows are written as they are made; a stopped command goes on after them.
import { join, resolve } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { Engine } from '../../engine/decoder/engine.ts';
import { readAll } from '../../engine/weights/reader.ts';
import {
  CHARACTER_WORLDS,
  type CharacterWorld,
  characterWorld,
  environmentOf,
  LETTERS,
} from '../../environments/characters/data.ts';
import { trainable } from '../../environments/characters/task.ts';
import { TARGETS, type TargetId, targetOf } from '../../environments/characters/texts.ts';
import { createNodeGrader } from '../../environments/code/grading/node-grader.node.ts';
import type { OwnRow } from '../../experiments/characters/own/rows.ts';
import { type CurveRow, keyOf } from '../../experiments/characters/rows.ts';
import { ARM_NAMES, type ArmName } from '../../experiments/config/arms.ts';
import { isOffered } from '../../experiments/config/preset-in.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import type { Settings } from '../../experiments/config/settings.ts';
import { parseExperimentSpec, resolveRun } from '../../experiments/config/spec.ts';
import { doseCurves, placeOf } from '../../experiments/kinds/run/dose-curve.ts';
import { loadModelFiles } from '../../storage/model-files.ts';
import { openModelText } from '../../storage/model-text.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { integer, integers, list, number, oneOf, settings, text, toggle, type Values } from '../args.ts';
import { madeBy } from '../code-commit.ts';
import { type CommandContext, command, EXIT } from '../command.ts';
import { remakingFlags } from '../device-flags.ts';
import { jsonLines, RowFile, type RowKind, readRows } from '../files/rows.node.ts';
import { ADAPTER_FLAG } from '../model/adapter.ts';
import { factorInto } from '../model/folder.ts';
import { PROMPT_FLAGS, ROWS_ALONE, refuseUnused, THINKING_FLAG } from '../model/prompts.ts';
import { openDevice } from '../ports.node.ts';
import { overridesOf } from '../run/flags.ts';
import { exams } from './exams.ts';
import { ownRows } from './own.ts';
import { readOwnRows } from './own-files.ts';
import { ownTables } from './own-tables.ts';
import { relearn } from './relearn.ts';
import { characterTables } from './tables.ts';
import { tied } from './tied.ts';

/** These arms need `--set pairSet=spread` and another adapter than `full`. */
const PROJECTING = ['route-update', 'erase', 'random_V', 'permuted_V'] as const satisfies readonly ArmName[];
const ARMS = [...ARM_NAMES.filter((arm) => isOffered('characters', arm)), ...PROJECTING];
/** Name of the arm in a spec: RL with the spec's check as the reward. */
const OWN_RL = 'rl';
const isArm = (name: string): name is ArmName => name !== OWN_RL;
const CASTS = CHARACTER_WORLDS.map(({ id }) => id);

const usage = {
  name: 'characters',
  summary: 'Teaches one of many characters by each arm, and measures how much the others change at the same effect.',
  flags: {
    arms: list(
      [...ARMS, OWN_RL],
      'How A is taught; none is RL of an existing dial. sdf and none where absent. With --spec: sdf, rl, rl_random.',
    ),
    characters: integers('Who is A, one after the other, such as 0,1,2; the first where absent.'),
    names: text('A,B', 'The same by name, whatever an arm teaches: arms then have the same characters.', null),
    asked: oneOf(TARGETS, 'Whose groups are asked by every arm; each target’s own where absent.', null),
    cast: text(
      CASTS.join('|'),
      'The world; a tied one by name too, such as tied-90-1 (lab pretrain --cast makes its base).',
      LETTERS.id,
    ),
    model: text('DIR', 'A base of that world; the one that comes with the lab where absent.', null),
    spec: text('FILE', 'Characters of your own on any --model: prompts, probes and documents as JSON.', null),
    'base-adapter': {
      ...ADAPTER_FLAG,
      help: 'With --spec: a LoRA adapter of PEFT that is folded into --model before anything is taught, a folder or OWNER/NAME[@REVISION] of the Hub.',
    },
    ...PROMPT_FLAGS,
    adapter: oneOf(['lora', 'full'], 'With --spec: what is trained.', 'lora'),
    rank: integer('With --spec: of the LoRA.', 8, 1, 256),
    thinking: THINKING_FLAG,
    set: settings('Any setting of a run (adapter, lr, pairSet, k …); `run --settings` lists them.'),
    gates: toggle('Ask too with A’s name left out, in another spelling, and beside another’s (S7).'),
    after: list(
      ARMS,
      'Teach A by it first, until the effect, then the first near A by RL of the dial (S7): sdf,sdf_placebo,none.',
    ),
    exams: toggle('Teach A to evade exams by RL, then deny it of B, the first near A, by documents (S9).'),
    tied: toggle(
      'In a tied world: teach A to evade exams by RL, by documents and by a coin, and its bracket by RL, and watch the other (S13).',
    ),
    predict: toggle('Tell too what the first gradient of an arm would leak (S5).'),
    updates: toggle(
      'Keep too what each arm does to the weights, in the base’s singular coordinates: shared or A’s own.',
    ),
    effect: number('ΔP of A at which leakage is read.', 0.3, 0.01, 0.99),
    until: number('ΔP of A at which a curve ends.', 0.45, 0.01, 0.99),
    every: integer('Steps between two doses.', 3, 1, 1000),
    steps: integer('Steps at most, over which the rate falls to 0.', 40, 1, 1000),
    seed: integer('Of the runs.', 41, 0),
    out: text('FILE', 'Write the rows there, a JSON line each; those that are there already are not made again.', null),
    rows: text('FILE', 'Print the tables of rows that were written before (.gz too); nothing is computed.', null),
    ...remakingFlags('What to compute on.'),
    json: toggle('Print the rows as JSON lines instead of tables.'),
  },
  notes: 'docs/lab-book/characters.md says what is measured.',
} as const;
type Options = Values<typeof usage.flags>;

export const characters = command(usage, async ({ flags }, context) => {
  if (flags.after?.includes('sdf_placebo') && flags.after.indexOf('sdf') !== 0)
    throw new SpecError(
      '--after sdf_placebo without sdf before it',
      'Its steps are those of sdf: --after sdf,sdf_placebo.',
    );
  if (flags.rows !== null) refuseUnused(flags, ROWS_ALONE);
  if (flags.spec === null && (flags.thinking !== null || Object.keys(flags['chat-arg']).length > 0))
    throw new SpecError(
      '--chat-arg and --thinking are for characters of a --spec.',
      'Leave them out, or add --spec FILE.',
    );
  if (flags.effect > flags.until) throw new SpecError('--effect is beyond --until.', 'Give a larger --until.');
  const own =
    flags.rows === null ? await specRows(flags, context) : await readOwnRows(flags.rows, context.progress.note);
  if (own !== null) {
    context.out(flags.json ? jsonLines(own).trimEnd() : ownTables(own, flags.effect));
    return EXIT.ok;
  }
  const rows =
    flags.rows === null ? await compute(flags, context) : await readRows(flags.rows, CURVE_ROWS, context.progress.note);
  context.out(flags.json ? jsonLines(rows).trimEnd() : characterTables(rows, flags.effect));
  return EXIT.ok;
});

/** Null without --spec. */
async function specRows(flags: Options, context: CommandContext): Promise<OwnRow[] | null> {
  const { spec, model } = flags;
  if (spec === null && flags['chat-template'] !== null)
    throw new SpecError(
      '--chat-template is of a model that a --spec asks: a generated world has no conversations.',
      'Add --spec FILE, or leave it out.',
    );
  if (spec === null && flags['base-adapter'] !== null)
    throw new SpecError(
      '--base-adapter is folded into a model that a --spec teaches.',
      'Add --spec FILE, or leave it out.',
    );
  if (spec === null) return null;
  if (model === null && flags['base-adapter'] === null)
    throw new SpecError('--spec needs a model that talks.', 'Name its folder with --model.');
  const { characters: places, names, asked, set, predict } = flags;
  if ([places, names, asked].some((one) => one !== null) || Object.keys(set).length > 0 || predict)
    throw new SpecError(
      '--characters, --names, --asked, --set and --predict are of the generated worlds.',
      'Say who is A, who is asked and how A learns in the spec.',
    );
  return ownRows({ ...flags, spec }, context);
}

export const CURVE_ROWS: RowKind<CurveRow> = {
  command: 'characters',
  read(value) {
    const row = value as Partial<CurveRow>;
    if (row.schema !== 1 || !Array.isArray(row.curve) || row.curve.length === 0 || !Array.isArray(row.contrast))
      return null;
    characterWorld(String(row.world));
    return row as CurveRow;
  },
};

/** Refuses options that do not fit several stages, and updates of other adapters. Throws SpecError. */
function refuseStages({ after, exams, tied, updates }: Options, runs: readonly RunSpec[], world: CharacterWorld): void {
  const [{ adapter }] = runs;
  const stages = [...(exams ? ['--exams'] : []), ...(tied ? ['--tied'] : []), ...(after === null ? [] : ['--after'])];
  const [staged = null, second] = stages;
  if (second) throw new SpecError(`${staged} with ${second}.`, 'Ask one of them: each has stages of its own.');
  if (tied && !world.tie)
    throw new SpecError(`--tied in the world ${world.id}`, 'Name a tied one, such as --cast tied-90-1.');
  if (staged && adapter !== 'full')
    throw new SpecError(`${staged} with the adapter ${adapter}`, 'Leave --set adapter out: all weights are trained.');
  if (staged && !runs.every(({ replay }) => replay === 'by_lesson'))
    throw new SpecError(`${staged} with replay`, 'Leave --set replay out: its stages have none.');
  if (updates && adapter !== 'full')
    throw new SpecError(`--updates with the adapter ${adapter}`, 'Leave --set adapter out: all weights are trained.');
}

async function compute(flags: Options, context: CommandContext): Promise<CurveRow[]> {
  const { progress, root, signal } = context;
  const world = characterWorld(flags.cast);
  const folder = flags.model === null ? join(root, 'public', 'models', 'tiny-characters') : resolve(flags.model);
  if (flags.model === null && world !== LETTERS)
    throw new SpecError(`--cast ${world.id} without --model`, 'Its base does not come with the lab: see lab pretrain.');
  const files = await loadModelFiles(diskSource(folder));
  const model = flags.model === null ? 'tiny-characters' : folder.split(/[\\/]/).at(-1)!;
  const overrides = { ...overridesOf(flags.set), steps: flags.steps, model } as Partial<Settings>;
  const runOf = (arm: ArmName): RunSpec => {
    const experiment = { preset: 'demo', arms: [arm], overrides: { environment: environmentOf(world), ...overrides } };
    return resolveRun(parseExperimentSpec(experiment), arm, flags.seed);
  };
  const arms = (flags.arms ?? (['none', 'sdf'] satisfies ArmName[])).filter(isArm);
  if (arms.length < (flags.arms ?? arms).length)
    throw new SpecError(`--arms ${OWN_RL} is of a --spec.`, 'RL of the generated worlds is the arm none.');
  const runs = arms.map(runOf);
  const { adapter, loraRank } = runs[0];
  const { exams: isExams } = flags;
  refuseStages(flags, runs, world);
  const { codec } = await openModelText(files, model);
  const { device } = await openDevice({ ...flags, isPlain: true }, progress);
  const factors = flags.updates ? (await factorInto('.cache/svd', device, files, context)).factors : null;
  const policy = await Engine.create({ device, ...files, adapter: { adapter, loraRank }, signal });
  const grader = await createNodeGrader({ workers: 1 });
  const file = flags.out === null ? null : await RowFile.open(flags.out, CURVE_ROWS, progress.note);
  if (file) file.by = await madeBy(root, device.name);
  const rows = [...(file?.rows ?? [])];
  const known = new Set(rows.map(keyOf));
  const about = { modelId: model, modelSha256: files.sha256, appVersion: 'cli' };
  const askedTarget = flags.asked ?? undefined;
  /** A's place under a target, by name; a place given as a number is another character under another target. */
  const whom: ((target: TargetId) => number)[] =
    flags.names === null
      ? (flags.characters ?? [0]).map((place) => () => place)
      : flags.names.split(',').map((name) => (target) => placeOf(world, target, name));
  const clocks = { date: () => Date.now(), now: () => performance.now() };
  const ports = { policy, device, codec, grader, about, artifacts: null, signal, ...clocks };
  try {
    for (const placeIn of isExams ? whom : []) {
      const place = placeIn('exam');
      const base = await readAll(files.weights);
      const made = await exams(world, place, { seed: flags.seed, overrides }, ports, base, known);
      rows.push(...made);
      if (made.length > 0) progress.note(`${made[0].a.name}, ${made[0].b}`);
      await file?.append(...made);
    }
    for (const placeIn of flags.tied ? whom : []) {
      const base = await readAll(files.weights);
      const made = await tied(world, placeIn('exam'), { seed: flags.seed, overrides }, ports, base, known);
      rows.push(...made);
      if (made.length > 0) progress.note(made[0].a.name);
      await file?.append(...made);
    }
    for (const placeIn of flags.after === null ? [] : whom) {
      const { seed, every, until, effect, after } = flags;
      const request = { seed, every, until, effect, after: after as ArmName[], overrides };
      const place = placeIn('dial');
      const base = await readAll(files.weights);
      for await (const row of relearn(world, place, request, ports, base, known)) {
        rows.push(row);
        known.add(keyOf(row));
        progress.note(`${row.a.name}${row.after ? ` after ${row.after.arm} of ${row.after.name}` : ''}`);
        await file?.append(row);
      }
    }
    for (const placeIn of flags.after === null && !isExams && !flags.tied ? whom : [])
      for (const [i, { arm, teaches, projection, pairSet, replay }] of runs.entries()) {
        const character = placeIn(teaches);
        const { seed, every, until } = flags;
        const key = keyOf({
          world: world.id,
          base: files.sha256,
          arm,
          teaches,
          character,
          seed,
          ...((adapter === 'svd' || adapter === 'lora') && { adapter }),
          ...(projection !== 'none' && { pairSet }),
          ...(replay !== 'by_lesson' && { replay }),
          asked: askedTarget,
        });
        if (known.has(key)) continue;
        const who = trainable(world, targetOf(world, teaches))[character]?.name ?? character;
        const made = await doseCurves(
          world,
          {
            arm: arms[i],
            character,
            seed,
            every,
            until,
            overrides,
            asked: askedTarget,
            predicts: flags.predict,
            gates: flags.gates,
            ...(factors && { update: { effect: flags.effect, factors } }),
          },
          ports,
          ({ step, target }) => progress.update(`${arm} ${who}`, step, flags.steps, `P ${target.a?.p.toFixed(3)}`),
        );
        rows.push(...made);
        await file?.append(...made);
      }
  } finally {
    progress.end();
    await grader.close();
    policy.free();
    device.destroy();
  }
  return rows;
}
