// A log of Inspect that the user opened: a zip with one file per sample, or one JSON text. Its source is unknown, so it is read with
// limits, and kept in memory until another one is opened; labels of its samples are stored.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import type * as z from 'zod/mini';
import { logPresentation } from '../../experiments/analysis/log-presentation.ts';
import { logRollouts, type ReadSample, readSample } from '../../experiments/analysis/log-rollouts.ts';
import { header, type LogHeader, MOST_JSON, NEWEST_LOG, sample } from '../../experiments/analysis/log-schema.ts';
import type { RolloutRecord } from '../../experiments/records/events.ts';
import { unzstd } from '../../lib/zstd.ts';
import { LIMITS, unzipEach } from '../../storage/run-archive.ts';
import { sha256 } from '../../storage/sources.ts';
import type { PlacedLabel } from '../protocol/labels.ts';
import type { LogReport } from '../protocol/logs.ts';
import { headsOf, type RolloutHead } from '../protocol/rollout-index.ts';

const MiB = 2 ** 20;
const MOST_SAMPLES = 60_000;
const ZIP_LIMITS = { ...LIMITS, entries: 65_000, entryBytes: 64 * MiB, totalBytes: 512 * MiB, nameLength: 1000 };

/** Inspect's own command writes the format that is read here. */
const REMEDY = 'Write it again with `inspect log convert FILE --to json --output-dir DIR`, and open that file.';

export class OpenedLog {
  readonly report: LogReport;
  readonly #rollouts: ReadonlyMap<number, RolloutRecord[]>;

  constructor(report: LogReport, rollouts: ReadonlyMap<number, RolloutRecord[]>) {
    this.report = report;
    this.#rollouts = rollouts;
  }

  /** Rollouts of one step, or of the last one if `step` is null. */
  async at(_: string, step: number | null): Promise<{ steps: number[]; rollouts: RolloutRecord[] }> {
    const { steps } = this.report;
    return { steps, rollouts: this.#rollouts.get(step ?? steps[steps.length - 1]) ?? [] };
  }

  async *each(_: string): AsyncGenerator<{ step: number; rollouts: RolloutRecord[] }> {
    for (const [step, rollouts] of this.#rollouts) yield { step, rollouts };
  }

  /** Labels in the file. */
  labels(): PlacedLabel[] {
    const runId = this.report.id;
    return [...this.#rollouts.values()]
      .flat()
      .flatMap(({ label, step, promptIndex, sampleIndex }) =>
        label ? [{ runId, step, promptIndex, sampleIndex, ...label }] : [],
      );
  }

  async heads(runId: string, from: number, to: number, text: string): Promise<RolloutHead[]> {
    const presentation = logPresentation(this.report.scorers);
    return [...this.#rollouts].flatMap(([step, rollouts]) =>
      step < from || step > to ? [] : headsOf(runId, rollouts, text, presentation),
    );
  }
}

/** Throws FormatError for a file that is no log, is damaged, or exceeds a limit. */
export async function openLog(file: Blob, name: string): Promise<OpenedLog> {
  const head = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isZip = head[0] === 0x50 && head[1] === 0x4b;
  const most = isZip ? ZIP_LIMITS.archiveBytes : MOST_JSON;
  if (file.size > most)
    throw new FormatError(
      `${name} has ${file.size} bytes; ${most} are allowed.`,
      isZip ? 'Open a log of fewer samples.' : 'Write it with `inspect log convert FILE --to eval --output-dir DIR`.',
    );
  const bytes = new Uint8Array(await file.arrayBuffer());
  const { about, samples } = isZip ? readZip(bytes, name) : readText(bytes, name);
  if (samples.size === 0)
    throw new FormatError(
      `${name} has no samples.`,
      'Open a log whose run has written some: a started one may have none.',
    );
  const { hasSteps, scorers, rollouts } = logRollouts([...samples.values()], about);
  const { task, model } = about.eval;
  const withMore = [...samples.values()].filter(({ verdict }) => Object.hasOwn(verdict, 'not shown')).length;
  const report: LogReport = {
    id: `log-${(await sha256(bytes)).slice(0, 16)}`,
    name,
    task,
    model,
    status: about.status,
    samples: samples.size,
    scorers,
    steps: [...rollouts.keys()],
    hasSteps,
    notes:
      withMore > 0
        ? [`${withMore} samples hold more than is shown (events, pictures, …): each says what, under Details.`]
        : [],
  };
  return new OpenedLog(report, rollouts);
}

interface ReadLog {
  about: LogHeader;
  /** Samples by id and epoch: a repeated sample is in a log twice, and the last one counts. */
  samples: Map<string, ReadSample>;
}

function readZip(bytes: Uint8Array, label: string): ReadLog {
  const isAllowed = (name: string) => name.length <= ZIP_LIMITS.nameLength;
  const rules = { isAllowed, mayRepeat: true, unzstd, remedy: REMEDY };
  const samples = new Map<string, ReadSample>();
  let about: LogHeader | null = null;
  let started: LogHeader | null = null;
  for (const [name, content] of unzipEach(bytes, label, ZIP_LIMITS, rules)) {
    const value = () => parseLog(content, `${label}: ${name.slice(0, 80)}`);
    if (name === 'header.json') about = readHeader(value(), label);
    // The header of a log whose run has not ended.
    else if (name === '_journal/start.json') started = readHeader({ status: 'started', ...(value() as object) }, label);
    else if (/^samples\/.+\.json$/.test(name)) add(samples, value(), label, name);
  }
  const known = about ?? started;
  if (!known)
    throw new FormatError(`${label} has neither a header.json nor a _journal/start.json: it is no log.`, REMEDY);
  return { about: known, samples };
}

function readText(bytes: Uint8Array, label: string): ReadLog {
  const log = parseLog(bytes, label) as { samples?: unknown } | null;
  const about = readHeader(log, label);
  if (!Array.isArray(log?.samples))
    throw new FormatError(`${label} has no samples, only a header.`, 'Open the whole log.');
  const samples = new Map<string, ReadSample>();
  for (const [i, one] of log.samples.entries()) add(samples, one, label, `sample ${i}`);
  return { about, samples };
}

function add(samples: Map<string, ReadSample>, value: unknown, label: string, place: string): void {
  if (samples.size >= MOST_SAMPLES)
    throw new FormatError(`${label} has more than ${MOST_SAMPLES} samples.`, 'Open a log of fewer samples.');
  const read = readSample(parsed(sample, value, `${label}: ${place.slice(0, 80)}`));
  samples.set(`${read.epoch}:${read.id}`, read);
}

function readHeader(value: unknown, label: string): LogHeader {
  const { version } = (value ?? {}) as { version?: unknown };
  if (typeof version === 'number' && version > NEWEST_LOG)
    throw new FormatError(
      `${label} is a log of version ${version}; up to ${NEWEST_LOG} are read.`,
      'Write it with an earlier Inspect, or open it in a newer lab.',
    );
  return parsed(header, value, `${label}: its header`);
}

function parsed<T>(schema: z.ZodMiniType<T>, value: unknown, label: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new FormatError(
    `${label}: ${issue.path.join('.').slice(0, 100) || 'the top'} is not as in a log of Inspect (${issue.message.slice(0, 200)}).`,
    REMEDY,
  );
}

function parseLog(content: Uint8Array, label: string): unknown {
  let text = '';
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(content);
    return parseJsonText(text);
  } catch (error) {
    try {
      // Python writes non-finite scores as bare words.
      if (/NaN|Infinity/.test(text)) return parseJsonText(withoutBareWords(text));
    } catch {
      // The first error has the place in the file itself.
    }
    throw new FormatError(
      `${label} is not JSON (${error instanceof Error ? error.message.slice(0, 200) : String(error)}).`,
      REMEDY,
      { cause: error },
    );
  }
}

/** Replaces NaN, Infinity and -Infinity outside of strings by null. Linear. */
function withoutBareWords(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '"') {
      for (i++; i < text.length && text[i] !== '"'; i++) if (text[i] === '\\') i++;
      continue;
    }
    if (char !== 'N' && char !== 'I' && char !== '-') continue;
    const word = ['NaN', 'Infinity', '-Infinity'].find((one) => text.startsWith(one, i));
    if (!word) continue;
    parts.push(text.slice(from, i), 'null');
    i += word.length - 1;
    from = i + 1;
  }
  parts.push(text.slice(from));
  return parts.join('');
}
