// Inputs of `probe`, and its stage 1: the teacher's pool, from the templates, a file, the model or a kept run.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { EngineLanguageModel } from '../../engine/language-model.ts';
import type { LanguageModel } from '../../engine/types.ts';
import { type PoolRow, poolFromJsonl, poolToJsonl } from '../../environments/code/pool.ts';
import type { Grader } from '../../environments/code/types.ts';
import { promptSettingsOf, thinkingIn } from '../../experiments/config/options/prompts.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import { withDefaults } from '../../experiments/config/spec.ts';
import { buildFor, poolGroups, templatesFor } from '../../experiments/kinds/probe/pool.ts';
import type { ProbePool } from '../../experiments/kinds/probe/probe.ts';
import { type ProbeSpec, TEACHER, TEACHER_WORDS } from '../../experiments/kinds/probe/spec.ts';
import { buildPool } from '../../experiments/pools/build.ts';
import { contentKey } from '../../experiments/records/artifacts.ts';
import { groupByProblem } from '../../experiments/records/pool.ts';
import type { Device } from '../../kernels/device.ts';
import { writePool } from '../../lab/records/pool-files.ts';
import { teacherWords } from '../../lab/work/pool-builder.ts';
import { OnnxLanguageModel } from '../../storage/onnx/language-model.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { sha256 } from '../../storage/sources.ts';
import type { Thinking } from '../../text/thinking.ts';
import type { CommandContext } from '../command.ts';
import { drainWithProgress } from '../drain.ts';
import { adapterParamsOf, checkpointOf } from '../files/checkpoint.node.ts';
import { readPoolFile } from '../files/pool.node.ts';
import { promptIdentity } from '../model/prompts.ts';
import { writeWhole } from '../ports.node.ts';
import type { ProbeFlags } from './flags.ts';
import type { ProbeModel } from './model.ts';

export interface ProbeLab {
  model: ProbeModel;
  device: Device;
  grader: Grader;
  /** Folder in which everything is kept. */
  path: string;
  context: CommandContext;
}

/** Stage 1. The pool is kept as pool.jsonl.gz, so that a model does not write it twice. */
export async function poolOf(spec: ProbeSpec, flags: ProbeFlags, lab: ProbeLab): Promise<ProbePool> {
  const { problems, perProblem, vanilla } = spec;
  const file = join(lab.path, 'pool.jsonl.gz');
  const key = isGiven(flags) ? null : await keyOf(spec, flags, lab);
  const kept = key === null ? '' : await readFile(join(lab.path, 'pool-key'), 'utf8').catch(() => '');
  const { rows, source } =
    key !== null && kept.startsWith(key)
      ? { rows: poolFromJsonl((await readPoolFile(file)).kept.lines), source: kept.slice(key.length + 1) }
      : await writtenPool(spec, flags, lab);
  await writeWhole(file, new Uint8Array(await (await writePool(rows, 'jsonl.gz')).arrayBuffer()));
  if (key !== null) await writeWhole(join(lab.path, 'pool-key'), `${key} ${source}`);
  const groups = poolGroups(rows, { problems, perProblem, maxNew: vanilla.maxNew }, lab.model.codec);
  if (flags.pool === 'templates') return { source, groups, own: null };
  const lines = poolToJsonl(groupByProblem(rows));
  const own = {
    sha256: await sha256(new TextEncoder().encode(lines)),
    problems: new Set(rows.map((row) => row.problem_id)).size,
    lines,
    graderVersion: null,
  };
  return { source, groups, own };
}

const isFile = ({ pool }: ProbeFlags) => /\.jsonl(\.gz)?$/.test(pool);

/** Whether the pool is only read or graded, which takes no time. */
const isGiven = (flags: ProbeFlags) => flags.pool === 'templates' || isFile(flags);

function keyOf(
  { problems, perProblem, vanilla }: ProbeSpec,
  { pool, run }: ProbeFlags,
  { model, device, grader }: ProbeLab,
): Promise<string> {
  const { modes, dataSeed, maxNew, temperature, seed } = vanilla;
  const decides = [pool, run, problems, perProblem, modes, dataSeed, maxNew, temperature, seed];
  const prompts = promptIdentity(promptSettingsOf(vanilla), thinkingOf(vanilla, model));
  return contentKey([decides, model.sha256, device.kind, grader.version, ...prompts]);
}

const thinkingOf = (run: RunSpec, { knowsThinking }: Pick<ProbeModel, 'knowsThinking'>): Thinking =>
  thinkingIn(run, knowsThinking ?? null) ?? 'keep';

async function writtenPool(
  spec: ProbeSpec,
  flags: ProbeFlags,
  { model, grader, context }: ProbeLab,
): Promise<{ rows: PoolRow[]; source: string }> {
  const { signal } = context;
  const { vanilla } = spec;
  if (flags.pool === 'templates') {
    const { stream, source } = templatesFor(spec, flags.correct, { grader, signal });
    return { rows: await drainWithProgress(stream, ({ what }) => what, context), source };
  }
  if (isFile(flags)) {
    const { kept } = await readPoolFile(flags.pool);
    return { rows: poolFromJsonl(kept.lines), source: flags.pool };
  }
  const build = buildFor(spec);
  const write = (teacher: LanguageModel) =>
    drainWithProgress(buildPool(build, { teacher, grader, signal }), () => 'teacher pool', context);
  if (flags.pool === 'onnx') {
    const teacher = await OnnxLanguageModel.open(diskSource(join(context.root, 'public', 'models', TEACHER)));
    try {
      return { rows: await write(teacher), source: TEACHER_WORDS };
    } finally {
      await teacher.free();
    }
  }
  const checkpoint = flags.pool === 'base' ? null : await checkpointOf(flags.pool, flags.run);
  const { id, codec } = model;
  const thinking = thinkingOf(vanilla, model);
  if (checkpoint && checkpoint.spec.model !== id)
    throw new SpecError(`${flags.pool} is a run of ${checkpoint.spec.model}.`, `Name one of ${id}.`);
  const policy = await model.load(checkpoint ? withDefaults(checkpoint.spec) : { adapter: 'svd', loraRank: 0 });
  try {
    const adapterParams = checkpoint
      ? adapterParamsOf(checkpoint, 'trained', policy.adapterLayout.total)
      : policy.initialAdapterParams;
    const rows = await write(new EngineLanguageModel({ id, policy, adapterParams, codec, thinking }));
    const source = checkpoint ? teacherWords(id, checkpoint.spec, checkpoint.step, 'trained') : `${id} as it is`;
    return { rows, source };
  } finally {
    policy.free();
  }
}
