// The files of an Inspect log: one JSON text, or a zip with one file per sample, which its viewer opens one by one. Equal runs give equal bytes:
// no clock is read, and a zip's times are fixed.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { strToU8, Zip, ZipDeflate } from 'fflate';
import type { RolloutRecord, RunRecord } from '../records/events.ts';
import {
  fileNameOf,
  type InspectOptions,
  LOG_SCHEMA_VERSION,
  LogTotals,
  type Sample,
  samplesOf,
  summaryOf,
} from './inspect-log.ts';
import { MOST_JSON } from './log-schema.ts';

export const LOG_FILES = ['eval', 'json'] as const;
export type LogFile = (typeof LOG_FILES)[number];

const FIXED_TIME = '1980-01-02T00:00:00';

export interface WrittenLog {
  name: string;
  /** The file's bytes, in order. */
  parts: Uint8Array<ArrayBuffer>[];
  samples: number;
}

/** `steps` yields one step at a time, because a long run's rollouts may not fit into memory. Throws SpecError if there are none. */
export async function inspectLog(
  run: RunRecord,
  steps: AsyncIterable<readonly RolloutRecord[]>,
  file: LogFile,
  options: InspectOptions,
): Promise<WrittenLog> {
  const totals = new LogTotals();
  const writer = file === 'eval' ? new EvalWriter() : new JsonWriter();
  for await (const rollouts of steps)
    for (const sample of samplesOf(run, rollouts, options)) {
      totals.add(sample);
      writer.add(sample);
    }
  if (totals.samples === 0)
    throw new SpecError(
      `${run.spec.arm}-${run.spec.seed} has no rollouts among these steps.`,
      'Choose others; a run keeps rollouts where its folder has ARM-SEED.rollouts.',
    );
  const header = await totals.header(run, options);
  const parts = writer.end(header, totals.reductions());
  return { name: fileNameOf(run, options.part, file), parts, samples: totals.samples };
}

interface Writer {
  add(sample: Sample): void;
  end(header: object, reductions: readonly object[]): Uint8Array<ArrayBuffer>[];
}

class JsonWriter implements Writer {
  readonly #samples: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;

  add(sample: Sample): void {
    const bytes = strToU8(`${this.#samples.length > 0 ? ',' : ''}${JSON.stringify(sample)}`) as Uint8Array<ArrayBuffer>;
    this.#bytes += bytes.length;
    if (this.#bytes > MOST_JSON)
      throw new SpecError(
        `The log has more than ${MOST_JSON} bytes.`,
        'Write --file eval, or fewer steps with --every.',
      );
    this.#samples.push(bytes);
  }

  end(header: object, reductions: readonly object[]): Uint8Array<ArrayBuffer>[] {
    // Programs that read only headers stop at `samples`.
    const head = strToU8(`${JSON.stringify(header).slice(0, -1)},"samples":[`) as Uint8Array<ArrayBuffer>;
    const tail = strToU8(`],"reductions":${JSON.stringify(reductions)}}\n`) as Uint8Array<ArrayBuffer>;
    return [head, ...this.#samples, tail];
  }
}

class EvalWriter implements Writer {
  readonly #parts: Uint8Array<ArrayBuffer>[] = [];
  readonly #summaries: object[] = [];
  readonly #zip = new Zip((error, chunk) => {
    if (error) throw error;
    this.#parts.push(chunk as Uint8Array<ArrayBuffer>);
  });

  add(sample: Sample): void {
    this.#file(`samples/${sample.id}_epoch_${sample.epoch}.json`, sample);
    this.#summaries.push(summaryOf(sample));
  }

  end(header: object, reductions: readonly object[]): Uint8Array<ArrayBuffer>[] {
    const { eval: spec, plan } = header as { eval: object; plan: object };
    this.#file('_journal/start.json', { version: LOG_SCHEMA_VERSION, eval: spec, plan });
    this.#file('_journal/summaries/1.json', this.#summaries);
    this.#file('summaries.json', this.#summaries);
    this.#file('reductions.json', reductions);
    this.#file('header.json', header);
    this.#zip.end();
    return this.#parts;
  }

  #file(name: string, content: object): void {
    const entry = new ZipDeflate(name, { level: 6 });
    entry.mtime = FIXED_TIME;
    this.#zip.add(entry);
    entry.push(strToU8(JSON.stringify(content)), true);
  }
}
