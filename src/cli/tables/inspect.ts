// `tables DIR --format inspect`: a log of Inspect for each finished run of a folder of `run --out`.
import { join } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';
import { inspectLog, type LogFile } from '../../experiments/analysis/inspect-file.ts';
import { joinParts } from '../../lib/streams.ts';
import type { CommandContext } from '../command.ts';
import { keptRuns, type RolloutFlags } from './kept-rollouts.ts';

interface InspectFlags extends RolloutFlags {
  file: LogFile;
  logprobs: boolean;
}

export interface WrittenLogs {
  logs: { file: string; run: string; samples: number; bytes: number }[];
}

/** Throws SpecError, FormatError. */
export async function writeInspectLogs(
  folder: string,
  flags: InspectFlags,
  context: Pick<CommandContext, 'progress' | 'root' | 'signal'>,
): Promise<WrittenLogs> {
  const { file, logprobs, out } = flags;
  const logs: WrittenLogs['logs'] = [];
  for await (const { run, codec, rollouts, part } of keptRuns(folder, flags, context)) {
    if (codec === null && logprobs)
      throw new SpecError(
        `--logprobs: ${run.spec.model} is no embedded model, and its tokens are those of its tokenizer.`,
        'Name its folder with --model.',
      );
    const log = await inspectLog(run, rollouts, file, { codec, logprobs, part });
    const bytes = joinParts(log.parts);
    await writeWhole(join(out, log.name), bytes);
    logs.push({ file: log.name, run: `${run.spec.arm}-${run.spec.seed}`, samples: log.samples, bytes: bytes.length });
  }
  return { logs };
}
