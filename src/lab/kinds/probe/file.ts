// A finished probe as one zip: report.json, and a step_NNN.jsonl.gz for each step of both replays (the second adapter's are below lora/).
// The command line's --out folder has the same layout, so it can be packed (zip -rD) and dropped here. Every field of an imported file is
// checked.

import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { setOwn } from '@projected-grpo-lab/base/own.ts';
import { strFromU8, strToU8, zipSync } from 'fflate';
import type * as z from 'zod/mini';
import { rowsFromJsonl, rowsToJsonl } from '../../../experiments/kinds/probe/store.ts';
import type { ProbeReport, SampleRow } from '../../../experiments/kinds/probe/types.ts';
import { gunzip } from '../../../lib/gunzip.ts';
import { gzipText, roomFor } from '../../../lib/inflate.ts';
import { sha256 } from '../../../storage/sources.ts';
import type { LoadedProbe, ProbeRows } from '../../protocol/probe.ts';
import { LORA, type Unkept, VARIANTS } from '../../records/probes.ts';
import { REPORT } from './mark.ts';
import { ReportSchema, RowsSchema } from './schema.ts';

/** Most unpacked bytes of one step. */
const MAX_STEP_BYTES = 32 * 2 ** 20;
const FREE_STEP_BYTES = 4 * 2 ** 20;
const REMEDY = 'Export the probe again.';

const stepFile = (replay: string, step: number) => `${replay}/step_${String(step).padStart(3, '0')}.jsonl.gz`;

/** Throws SpecError for a probe that is not finished. Equal probes give equal bytes. */
export function writeProbe({ record: { report }, rows, lora }: LoadedProbe): Blob {
  if (!report) throw new SpecError('The probe is not finished.', 'Resume it first.');
  const files: Record<string, Uint8Array> = { [REPORT]: strToU8(`${JSON.stringify(report, null, 1)}\n`) };
  const add = (below: string, of: ProbeReport, own: ProbeRows) => {
    for (const replay of VARIANTS)
      for (const { step } of of[replay]) {
        const lines = rowsToJsonl(own[replay].filter((row) => row.step === step));
        setOwn(files, stepFile(below + replay, step), gzipText(lines));
      }
  };
  add('', report, rows);
  if (report.lora && lora) add(LORA, report.lora, lora);
  const zip = zipSync(files, { level: 6, mtime: '1980-01-02T00:00:00' });
  return new Blob([zip as Uint8Array<ArrayBuffer>], { type: 'application/zip' });
}

/** Ignores other files of the folder (optimizer states, pool, trainings). Throws FormatError, naming the file. */
export async function readProbe(
  files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
  label: string,
): Promise<Omit<LoadedProbe, 'record'> & { record: Unkept }> {
  const bytes = files.get(REPORT)!;
  const report = checked(ReportSchema, `${label}: ${REPORT}`, () => parseJsonText(strFromU8(bytes))) as ProbeReport;
  const rows = rowsOf(files, label, '', report);
  const lora = report.lora ? rowsOf(files, label, LORA, report.lora) : null;
  const done = report.vanilla.length + report.projected.length;
  const id = `file-${(await sha256(bytes)).slice(0, 32)}`;
  const record = { schema: 1, id, ask: null, file: label, device: '', done, total: done, report } as const;
  return { record, rows, lora };
}

function rowsOf(
  files: ReadonlyMap<string, Uint8Array>,
  label: string,
  below: string,
  report: Pick<ProbeReport, 'vanilla' | 'projected'>,
): ProbeRows {
  const rows: ProbeRows = { vanilla: [], projected: [] };
  for (const replay of VARIANTS) {
    for (const { step, samples } of report[replay]) {
      const name = stepFile(below + replay, step);
      const packed = files.get(name);
      if (!packed) throw new FormatError(`${label}: ${name} is missing.`, REMEDY);
      const own = checked(RowsSchema, `${label}: ${name}`, () =>
        rowsFromJsonl(strFromU8(gunzip(packed, roomFor(packed.length, FREE_STEP_BYTES, MAX_STEP_BYTES)))),
      ) as SampleRow[];
      if (own.length !== samples || own.some((row) => row.step !== step))
        throw new FormatError(`${label}: ${name} does not hold the ${samples} rows of step ${step}.`, REMEDY);
      for (const row of own) rows[replay].push(row);
    }
  }
  return rows;
}

function checked(schema: z.ZodMiniType, what: string, read: () => unknown): unknown {
  let value: unknown;
  try {
    value = read();
  } catch (cause) {
    throw new FormatError(`${what} cannot be read (${cause instanceof Error ? cause.message : cause}).`, REMEDY, {
      cause,
    });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = parsed.error.issues;
  throw new FormatError(`${what}: ${path.map(String).join('.') || 'the file'} is invalid (${message}).`, REMEDY);
}
