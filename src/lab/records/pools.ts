// Teacher pools in the store: templates that a run graded (under what they are), files that a person imported, and pools that
// a model wrote here. Whatever its key, a pool is named by the sha-256 of its lines: that is what a run's spec carries, so
// that a link means the same rows everywhere.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { setOwn } from '@projected-grpo-lab/base/own.ts';
import { type PoolRow, poolFromJsonl, poolToJsonl } from '../../environments/code/pool.ts';
import { isPaid } from '../../experiments/pools/teacher-rates.ts';
import { groupByProblem, type KeptPool } from '../../experiments/records/pool.ts';
import { sha256 } from '../../storage/sources.ts';
import type { PoolReport } from '../protocol/protocol.ts';
import { KeptReports } from './kept-reports.ts';

type About = Pick<PoolReport, 'graderVersion' | 'origin' | 'name' | 'teacher'>;

interface StoredPool {
  report: PoolReport;
  lines: string;
}

const sha256Of = (lines: string) => sha256(new TextEncoder().encode(lines));

export class PoolStore extends KeptReports<StoredPool> {
  /** Throws SpecError when there is none. */
  async rows(id: string): Promise<PoolRow[]> {
    const kept = await this.kept(id);
    if (kept) return poolFromJsonl(kept.lines);
    throw new SpecError(
      'There is no such teacher pool in this browser.',
      'Import or build it again, or choose another.',
    );
  }

  /** Templates that a run graded, as savePool was given them; null when there are none under this key. */
  async loadTemplates(key: string): Promise<string | null> {
    return (await this.kept(key))?.lines ?? null;
  }

  /** `graderVersion` is stored beside the labels that it gave. */
  saveTemplates(key: string, lines: string, graderVersion: string | null): Promise<PoolReport> {
    return this.#added(key, lines, { graderVersion, origin: 'built', name: null, teacher: null });
  }

  /** A pool that is already there keeps its name and date. */
  async importFile(rows: readonly PoolRow[], name: string): Promise<PoolReport> {
    return this.#add('file', rows, { graderVersion: versionOf(rows), origin: 'file', name, teacher: null });
  }

  /** Lines that some lab kept, as they are: their hash is what a spec names. Throws FormatError before anything is kept. */
  async importLines(lines: string, name: string): Promise<PoolReport> {
    const rows = poolFromJsonl(lines);
    const id = `file-${await sha256Of(lines)}`;
    const about: About = { graderVersion: versionOf(rows), origin: 'file', name, teacher: null };
    return (await this.reportOf(id)) ?? this.#added(id, lines, about);
  }

  /** A pool that a model wrote here. */
  async saveBuilt(rows: readonly PoolRow[], teacher: string): Promise<PoolReport> {
    return this.#add('model', rows, { graderVersion: versionOf(rows), origin: 'model', name: null, teacher });
  }

  /** By the sha-256 of its lines; of equal pools the one whose grader is known. Null when there is none. */
  async bySha256(wanted: string): Promise<KeptPool | null> {
    const found = (await this.list()).filter((report) => report.sha256 === wanted);
    const report = found.find(({ graderVersion }) => graderVersion !== null) ?? found[0];
    const kept = report && (await this.kept(report.id));
    return kept ? { lines: kept.lines, graderVersion: report.graderVersion } : null;
  }

  /** Of exactly these lines; null when there is none. */
  async byLines(lines: string): Promise<PoolReport | null> {
    const wanted = await sha256Of(lines);
    return (await this.list()).find((report) => report.sha256 === wanted) ?? null;
  }

  async #add(kind: string, rows: readonly PoolRow[], about: About): Promise<PoolReport> {
    // One order of prompts whichever form the file had, so that every form of one pool has one hash.
    const lines = poolToJsonl(groupByProblem(rows));
    const id = `${kind}-${await sha256Of(lines)}`;
    return (await this.reportOf(id)) ?? this.#added(id, lines, about);
  }

  async #added(id: string, lines: string, about: About): Promise<PoolReport> {
    const report: PoolReport = {
      id,
      sha256: await sha256Of(lines),
      createdAt: this.date(),
      bytes: lines.length,
      ...countPool(poolFromJsonl(lines)),
      ...about,
    };
    await this.keep(id, { report, lines });
    return report;
  }

  /** Reports of earlier labs lack their hash, the first lab's their counts: made up for where they are read. */
  protected override async reportOf(id: string): Promise<PoolReport | null> {
    const kept = await this.kept(id);
    if (!kept) return null;
    const known: Partial<PoolReport> = kept.report;
    if (known.sha256 !== undefined) return kept.report;
    const defaults = { graderVersion: null, origin: 'built', name: null, teacher: null } as const;
    const counts = countPool(poolFromJsonl(kept.lines));
    const report: PoolReport = { ...defaults, ...counts, ...kept.report, sha256: await sha256Of(kept.lines) };
    // Kept for the next time, where there is room: a full store must not hide its pools.
    await this.keep(id, { report, lines: kept.lines }).catch(() => {});
    return report;
  }
}

/** What all rows say; null where one does not say, or two say different things. */
function versionOf(rows: readonly PoolRow[]): string | null {
  const versions = new Set(rows.map((row) => row.grader_version ?? null));
  return versions.size === 1 ? [...versions][0] : null;
}

type PoolCounts = Pick<
  PoolReport,
  'rows' | 'problems' | 'exploited' | 'exploitedAtMost' | 'solved' | 'unjudged' | 'mechanisms' | 'withLogprobs'
>;

export function countPool(rows: readonly PoolRow[]): PoolCounts {
  const mechanisms: Record<string, number> = {};
  for (const { mechanism } of rows) setOwn(mechanisms, mechanism ?? 'none', (mechanisms[mechanism ?? 'none'] ?? 0) + 1);
  const unjudged = rows.filter((row) => row.gt_correct === null).length;
  const exploited = rows.filter((row) => row.exploited).length;
  const paid = rows.filter(isPaid).length;
  return {
    rows: rows.length,
    problems: new Set(rows.map((row) => row.problem_id)).size,
    exploited,
    solved: rows.filter((row) => row.gt_correct).length,
    ...(unjudged > 0 ? { unjudged } : {}),
    ...(paid > 0 ? { exploitedAtMost: exploited + paid } : {}),
    mechanisms,
    withLogprobs: rows.filter((row) => row.logprobs !== undefined).length,
  };
}
