// `tables DIR --format verifiers`: the rollouts of each finished run of a folder as verifiers saves them, ARM-SEED/traces.jsonl.
import { join } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { makeFolder, writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';
import { TRACES_FILE, tracesOf } from '../../experiments/analysis/verifiers-traces.ts';
import type { CommandContext } from '../command.ts';
import type { WrittenLogs } from './inspect.ts';
import { keptRuns, type RolloutFlags } from './kept-rollouts.ts';

/** Throws SpecError, FormatError. */
export async function writeTraces(
  folder: string,
  flags: RolloutFlags,
  context: Pick<CommandContext, 'progress' | 'root' | 'signal'>,
): Promise<WrittenLogs> {
  const logs: WrittenLogs['logs'] = [];
  for await (const { run, codec, rollouts, part } of keptRuns(folder, flags, context)) {
    const name = `${run.spec.arm}-${run.spec.seed}`;
    const lines: string[] = [];
    for await (const step of rollouts) lines.push(...tracesOf(run, step, { codec, part }));
    if (lines.length === 0)
      throw new SpecError(
        `${name} has no rollouts among these steps.`,
        'Choose others; a run keeps rollouts where its folder has ARM-SEED.rollouts.',
      );
    const file = join(name + part, TRACES_FILE);
    await makeFolder(join(flags.out, name + part));
    const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''));
    await writeWhole(join(flags.out, file), bytes);
    logs.push({ file, run: name, samples: lines.length, bytes: bytes.length });
  }
  return { logs };
}
