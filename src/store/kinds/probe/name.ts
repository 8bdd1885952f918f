// A stored probe in one line: its own name, or its request.
import { STATUS_OF } from '../../../experiments/kinds/probe/types.ts';
import type { ProbeAsk, ProbeRecord } from '../../../lab/protocol/probe.ts';

const teacherOf = (teacher: ProbeAsk['teacher']): string =>
  teacher.kind === 'onnx'
    ? 'ONNX teacher'
    : teacher.kind === 'templates'
      ? 'templates'
      : `pool ${teacher.sha256.slice(0, 8)}`;

/** A description of the probe; the file's name if nothing else is known. */
export function probeDescription({ file, ask, report }: Pick<ProbeRecord, 'file' | 'ask' | 'report'>): string {
  if (file || !ask) return file ?? report?.pool.source ?? 'a probe';
  const { teacher, problems, samples, seed, settings } = ask;
  const changed = Object.entries(settings).flatMap(([key, value]) =>
    key === 'basisSource' ? [] : `${key} ${String(value).slice(0, 12)}`,
  );
  return [`${teacherOf(teacher)}, ${problems} × ${samples}`, `seed ${seed}`, ...changed].join(', ');
}

export const probeName = (record: ProbeRecord): string => record.name || probeDescription(record);

/** Such as `4 holds, 1 fails, 2 not run`. */
export function outcomesOf({ report }: Pick<ProbeRecord, 'report'>): string {
  const outcomes = (report?.verdicts ?? []).map(({ outcome }) => outcome);
  const counts = (['pass', 'fail', 'undecided', 'not run'] as const).map(
    (outcome) => [outcomes.filter((one) => one === outcome).length, outcome] as const,
  );
  return counts.flatMap(([n, outcome]) => (n > 0 ? `${n} ${STATUS_OF[outcome]}` : [])).join(', ');
}
