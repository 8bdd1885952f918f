// A stored run as a log of Inspect, for the page: the command `tables --format inspect` writes the same bytes for the same run.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { inspectLog, type LogFile } from '../../experiments/analysis/inspect-file.ts';
import { EMBEDDED_MODELS } from '../../experiments/config/preset-in.ts';
import { withDefaults } from '../../experiments/config/spec.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { inspectModelFiles } from '../../storage/model-files.ts';
import { openModelText } from '../../storage/model-text.ts';
import type { FileSource } from '../../storage/sources.ts';
import type { PromptCodec } from '../../text/codec.ts';
import type { Records } from './records.ts';

export interface LogPorts {
  records: Pick<Records, 'run' | 'rollouts' | 'labels'>;
  /** An embedded model's folder by its id. */
  embedded?(id: string): FileSource;
  /** The loaded model's tokenizer if the run trained that model, else null. */
  loadedCodec(modelSha256: string): Promise<PromptCodec | null>;
}

export interface RunLog {
  /** The file's name in Inspect's format. */
  name: string;
  blob: Blob;
  samples: number;
}

/** Throws SpecError for a run that is not stored or has no rollouts. */
export async function logOfRun(runId: string, file: LogFile, ports: LogPorts): Promise<RunLog> {
  const { records } = ports;
  const run = await records.run(runId);
  if (run === null)
    throw new SpecError(
      `The run ${JSON.stringify(runId.slice(0, 80))} is not stored yet.`,
      'Wait for its first checkpoint, or open it again from Library, Runs.',
    );
  const log = await inspectLog(run, stepsOf(records, runId), file, {
    codec: await codecOf(run, ports),
    logprobs: false,
    part: '',
  });
  return { name: log.name, blob: new Blob(log.parts), samples: log.samples };
}

async function* stepsOf({ rollouts, labels }: LogPorts['records'], runId: string) {
  for await (const step of labels.laidOver(runId, rollouts)) yield step.rollouts;
}

/** Null if the run's tokenizer is not available: the log then has no numbers of tokens. */
async function codecOf({ spec, modelSha256 }: RunRecord, { embedded, loadedCodec }: LogPorts) {
  const { model } = withDefaults(spec);
  if (!embedded || !EMBEDDED_MODELS.includes(model)) return loadedCodec(modelSha256);
  const files = await inspectModelFiles(embedded(model));
  return (await openModelText(files, model)).codec;
}
