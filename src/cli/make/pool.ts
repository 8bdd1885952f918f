// `pool`: builds a teacher pool from the embedded ONNX teacher or any model's folder, from the model as it is, from a run's last
// checkpoint, or from the templates. On the same device the rows are those that the page builds, byte for byte.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { refuseFile } from '@projected-grpo-lab/base/files/new-file.node.ts';
import { EngineLanguageModel } from '../../engine/language-model.ts';
import type { AdapterSettings } from '../../engine/types.ts';
import { createNodeGrader } from '../../environments/code/grading/node-grader.node.ts';
import { selfCheck } from '../../environments/code/grading/self-check.ts';
import type { PoolRow } from '../../environments/code/pool.ts';
import { MODES } from '../../environments/code/types.ts';
import { plural } from '../../experiments/analysis/words.ts';
import { promptSettingsOf, thinkingIn } from '../../experiments/config/options/prompts.ts';
import { boundsOf, type SettingName } from '../../experiments/config/settings.ts';
import { withDefaults } from '../../experiments/config/spec.ts';
import {
  buildPool,
  DEFAULT_POOL_BUILD as DEFAULTS,
  POOL_BOUNDS,
  type PoolBuild,
  type PoolProgress,
  parsePoolBuild,
  poolProblems,
} from '../../experiments/pools/build.ts';
import { templatePool } from '../../experiments/pools/templates.ts';
import type { Checkpoint } from '../../experiments/records/checkpoint.ts';
import { countPool } from '../../lab/records/pools.ts';
import { teacherWords } from '../../lab/work/pool-builder.ts';
import { percent } from '../../lib/numbers.ts';
import { integer, list, number, oneOf, text, toggle, type Values } from '../args.ts';
import { type CommandContext, command, EXIT } from '../command.ts';
import { deviceFlags } from '../device-flags.ts';
import { drainWithProgress } from '../drain.ts';
import { adapterParamsOf, checkpointOf } from '../files/checkpoint.node.ts';
import { poolFormatOf, writePoolFile } from '../files/pool.node.ts';
import { PROMPT_FLAGS } from '../model/prompts.ts';
import { openDevice } from '../ports.node.ts';
import { loadRunModel, openRunModel } from '../run/model.ts';
import { openTeacherModel } from './teacher-model.ts';

const bounds = (name: SettingName): [min: number, max: number] => {
  const { min, max } = boundsOf(name);
  return [min, max];
};

const usage = {
  name: 'pool',
  summary: 'Builds a teacher pool: completions of the training problems, graded once, their labels frozen.',
  flags: {
    teacher: text(
      'onnx|DIR',
      'Who writes: the embedded ONNX teacher, or a folder in Hugging Face’s layout or with an ONNX file.',
      null,
    ),
    adapter: text('DIR|REPO', 'A LoRA adapter of PEFT, folded into --teacher or its own base.', null),
    ...PROMPT_FLAGS,
    from: text(
      'base|templates|DIR',
      'Who writes, without --teacher: the model as it is (base where absent), the templates, or a run kept with --out.',
      null,
    ),
    out: text(
      'FILE',
      'A new file: .jsonl (its sha-256 is put beside it), .jsonl.gz or .zip (one file per prompt).',
      null,
    ),
    run: text('ARM-SEED', 'Which run of DIR, where there are several.', null),
    model: oneOf(['trained', 'deployed'], 'The run’s model with its quarantine, or without.', 'trained'),
    modes: list(MODES, `Loophole modes of the problems; ${DEFAULTS.modes.join(', ')} where absent.`),
    'honest-share': number(
      'Share of honest problems in the set; they get no rows.',
      DEFAULTS.honestShare,
      ...bounds('honestShare'),
    ),
    problems: integer('Problems in the set.', DEFAULTS.problems, ...bounds('problems')),
    'data-seed': integer('Seed of the problems.', DEFAULTS.dataSeed, ...bounds('dataSeed')),
    samples: integer(
      'Rows per problem (a model’s).',
      DEFAULTS.samples,
      POOL_BOUNDS.samples.min,
      POOL_BOUNDS.samples.max,
    ),
    temperature: number('Of the sampling.', DEFAULTS.temperature, ...bounds('temperature')),
    seed: integer('Of the sampling.', DEFAULTS.seed),
    'max-new': integer('Max completion length, in tokens.', DEFAULTS.maxNew, ...bounds('maxNew')),
    plain: toggle('Leave out completion_ids and logprobs: the reference’s fields alone, and the grader’s version.'),
    ...deviceFlags('What to compute on.'),
  },
  notes: 'A run takes its rows by problem: give it the same modes, honest share, problems and data seed.',
} as const;
type Options = Values<typeof usage.flags>;

/** The embedded model; a kept run names its own. */
const BASE_MODEL = 'tiny-coder';

export const pool = command(usage, async ({ flags }, context) => {
  if (flags.out === null)
    throw new SpecError('--out is missing.', 'Name the file to write, for example pool.jsonl.gz.');
  const format = poolFormatOf(flags.out);
  const path = resolve(flags.out);
  await refuseFile(path, '--out');
  const build = buildOf(flags);
  if (hasTeacher(flags) && (flags.from !== null || flags.run !== null))
    throw new SpecError(
      `${flags.teacher === null ? '--adapter' : '--teacher'} and --from both say who writes.`,
      'Leave one of them out.',
    );
  const from = flags.from ?? 'base';
  const checkpoint = from === 'base' || from === 'templates' ? null : await checkpointOf(from, flags.run);
  if (checkpoint && !existsSync(join(context.root, 'public', 'models', checkpoint.spec.model)))
    throw new SpecError(
      `${from} was trained on ${checkpoint.spec.model}, which is no embedded model.`,
      'Write its student with `export --run`, and name that folder as --teacher.',
    );
  const { rows, words } = await write(build, flags, checkpoint, context);
  await writePoolFile(path, '--out', rows, format);
  const { problems, exploited, lucky, exploitedAtMost, solved, unjudged } = countPool(rows);
  const share = (n: number) => `${n} (${percent(n / rows.length, 1, ' %')})`;
  context.out(
    `${flags.out}: ${plural(rows.length, 'row')} for ${plural(problems, 'problem')} by ${words}; exploit ${share(exploited)}, solve ${share(solved)}${lucky ? `, passed by luck ${share(lucky)}` : ''}${unjudged ? `, unjudged ${share(unjudged)}` : ''}${exploitedAtMost ? `, exploit at most ${share(exploitedAtMost)}` : ''}`,
  );
  return EXIT.ok;
});

const hasTeacher = ({ teacher, adapter }: Pick<Options, 'teacher' | 'adapter'>): boolean =>
  teacher !== null || adapter !== null;

function buildOf(flags: Options): PoolBuild {
  const { problems, samples, temperature, seed } = flags;
  return parsePoolBuild({
    problems,
    samples,
    temperature,
    seed,
    modes: flags.modes ?? DEFAULTS.modes,
    honestShare: flags['honest-share'],
    dataSeed: flags['data-seed'],
    maxNew: flags['max-new'],
    withTokens: !flags.plain,
  });
}

async function write(
  build: PoolBuild,
  flags: Options,
  checkpoint: Checkpoint | null,
  context: CommandContext,
): Promise<{ rows: PoolRow[]; words: string }> {
  const { progress, signal } = context;
  const hasPromptFlags = flags['chat-template'] !== null || Object.keys(flags['chat-arg']).length > 0;
  if (hasPromptFlags && !hasTeacher(flags))
    throw new SpecError('--chat-template and --chat-arg are for a --teacher.', 'Name its folder, or leave them out.');
  const grader = await createNodeGrader();
  try {
    await selfCheck(grader, signal);
    const follow = (stream: AsyncGenerator<PoolProgress, PoolRow[]>) =>
      drainWithProgress(stream, () => 'teacher pool', context);
    if (flags.from === 'templates') {
      const stream = templatePool(poolProblems(build), { dataSeed: build.dataSeed, grader, artifacts: null, signal });
      return { rows: await follow(stream), words: 'the templates' };
    }
    if (hasTeacher(flags)) {
      const { model, words, free } = await openTeacherModel(flags, context);
      try {
        return { rows: await follow(buildPool(build, { teacher: model, grader, signal })), words };
      } finally {
        await free();
      }
    }
    const modelId = checkpoint?.spec.model ?? BASE_MODEL;
    // A run's model is asked with the prompts of its training.
    const run = checkpoint?.spec ?? {};
    const model = await openRunModel(modelId, null, context, promptSettingsOf(run));
    const { device } = await openDevice(flags, progress);
    const adapter: AdapterSettings = checkpoint ? withDefaults(checkpoint.spec) : { adapter: 'svd', loraRank: 0 };
    // An embedded model's factors are in no cache.
    const policy = await loadRunModel(model, device, adapter, { storage: 'f32', cache: '' }, context);
    const adapterParams = checkpoint
      ? adapterParamsOf(checkpoint, flags.model, policy.adapterLayout.total)
      : policy.initialAdapterParams;
    const words = checkpoint
      ? teacherWords(modelId, checkpoint.spec, checkpoint.step, flags.model)
      : `${modelId} as it is`;
    const thinking = thinkingIn(run, null) ?? 'keep';
    const teacher = new EngineLanguageModel({ id: words, policy, adapterParams, codec: model.codec, thinking });
    const rows = await follow(buildPool(build, { teacher, grader, signal }));
    policy.free();
    return { rows, words };
  } finally {
    await grader.close();
  }
}
