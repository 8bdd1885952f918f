// Rollouts of the finished runs of a folder of `run --out`, step by step, for the logs of other tools.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { makeFolder, namesIn } from '@projected-grpo-lab/base/files/disk.node.ts';
import type { RolloutRecord, RunRecord } from '../../experiments/records/events.ts';
import { readRolloutStep } from '../../lab/records/schema.ts';
import { inspectModelFiles } from '../../storage/model-files.ts';
import { openModelText } from '../../storage/model-text.ts';
import { diskSource } from '../../storage/sources.node.ts';
import type { PromptCodec } from '../../text/codec.ts';
import type { CommandContext } from '../command.ts';
import { readLines } from '../grade/lines.ts';
import { finishedRuns, rolloutsFile } from '../run/folder.ts';

export interface RolloutFlags {
  out: string;
  step: number | null;
  every: number | null;
  model: string | null;
}

export interface KeptRun {
  run: RunRecord;
  /** Null for another model than the embedded ones, where none is named. */
  codec: PromptCodec | null;
  /** The wanted steps, one at a time. */
  rollouts: AsyncGenerator<readonly RolloutRecord[]>;
  /** Distinguishes some of the run's steps from all of them; empty for all. */
  part: string;
}

/** Makes the folder `out`. Throws SpecError, FormatError. */
export async function* keptRuns(
  folder: string,
  { out, step, every, model }: RolloutFlags,
  { progress, root, signal }: Pick<CommandContext, 'progress' | 'root' | 'signal'>,
): AsyncGenerator<KeptRun> {
  if (step !== null && every !== null)
    throw new SpecError('--step and --every contradict each other.', 'Give one of them.');
  const runs = await finishedRuns(folder);
  if (runs.length === 0)
    throw new SpecError(`${folder} has no finished run (ARM-SEED.run.json).`, 'Name a folder of `run --out`.');
  await makeFolder(out);
  const part = step !== null ? `-step-${step}` : every !== null ? `-every-${every}` : '';
  const isWanted = (one: number) => (step === null || one === step) && (every === null || one % every === 0);
  for (const run of runs) {
    const codec = await codecOf(run, model, root);
    if (codec === null)
      progress.note(`${run.spec.model} is no embedded model: numbers of tokens are left out (--model DIR).`);
    const rollouts = rolloutsOf(folder, run, isWanted, (done) => {
      signal.throwIfAborted();
      progress.update(`${run.spec.arm}-${run.spec.seed}`, done, run.rows.length);
    });
    yield { run, codec, rollouts, part };
    progress.end();
  }
}

/** Null for another model than the embedded ones, where none is named. */
async function codecOf({ spec }: RunRecord, model: string | null, root: string): Promise<PromptCodec | null> {
  const folder = model === null ? join(root, 'public', 'models', spec.model) : resolve(model);
  if (model === null && !existsSync(folder)) return null;
  return (await openModelText(await inspectModelFiles(diskSource(folder)), folder)).codec;
}

async function* rolloutsOf(
  folder: string,
  run: RunRecord,
  isWanted: (step: number) => boolean,
  onStep: (done: number) => void,
): AsyncGenerator<readonly RolloutRecord[]> {
  const names = await namesIn(join(resolve(folder), `${run.spec.arm}-${run.spec.seed}.rollouts`));
  const steps = names.flatMap((name) => /^(\d+)\.jsonl$/.exec(name)?.[1] ?? []).map(Number);
  for (const [i, step] of steps.sort((a, b) => a - b).entries()) {
    if (!isWanted(step)) continue;
    onStep(i);
    const path = rolloutsFile(resolve(folder), run.id, step);
    const rollouts = (await readLines(path)).map(({ value }) => value as RolloutRecord);
    yield readRolloutStep({ step, rollouts }, path).rollouts;
  }
}
