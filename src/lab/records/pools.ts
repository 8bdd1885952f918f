// Teacher pools in the store: templates that a run graded (keyed by their content), files that the user imported, and pools that a model
// wrote here. Whatever its key, a run's spec names a pool by the sha-256 of its lines, so that a link means the same rows everywhere.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { setOwn } from '@projected-grpo-lab/base/own.ts';
import { isHackRow, isLuckyRow, type PoolRow, poolFromJsonl, poolToJsonl } from '../../environments/code/pool.ts';
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
  /** Throws SpecError if there is none. */
  async rows(id: string): Promise<PoolRow[]> {
    const kept = await this.kept(id);
    if (kept) return poolFromJsonl(kept.lines);
    throw new SpecError(
      'There is no such teacher pool in this browser.',
      'Import or build it again, or choose another.',
    );
  }

  /** Lines of graded templates, as given to saveTemplates; null if there are none under this key. */
  async loadTemplates(key: string): Promise<string | null> {
    return (await this.kept(key))?.lines ?? null;
  }

  /** `graderVersion`: the grader that gave the labels. */
  saveTemplates(key: string, lines: string, graderVersion: string | null): Promise<PoolReport> {
    return this.#added(key, lines, { graderVersion, origin: 'built', name: null, teacher: null });
  }

  /** An existing pool keeps its name and date. */
  async importFile(rows: readonly PoolRow[], name: string): Promise<PoolReport> {
    return this.#add('file', rows, { graderVersion: versionOf(rows), origin: 'file', name, teacher: null });
  }

  /** Imports lines that a lab stored, unchanged, since a spec names their hash. Throws FormatError before anything is stored. */
  async importLines(lines: string, name: string): Promise<PoolReport> {
    const rows = poolFromJsonl(lines);
    const id = `file-${await sha256Of(lines)}`;
    const about: About = { graderVersion: versionOf(rows), origin: 'file', name, teacher: null };
    return (await this.reportOf(id)) ?? this.#added(id, lines, about);
  }

  /** Stores a pool that a model wrote here. */
  async saveBuilt(rows: readonly PoolRow[], teacher: string): Promise<PoolReport> {
    return this.#add('model', rows, { graderVersion: versionOf(rows), origin: 'model', name: null, teacher });
  }

  /** Finds a pool by the sha-256 of its lines; of equal pools the one whose grader is known. Null if there is none. */
  async bySha256(wanted: string): Promise<KeptPool | null> {
    const found = (await this.list()).filter((report) => report.sha256 === wanted);
    const report = found.find(({ graderVersion }) => graderVersion !== null) ?? found[0];
    const kept = report && (await this.kept(report.id));
    return kept ? { lines: kept.lines, graderVersion: report.graderVersion } : null;
  }

  /** Report of the pool with exactly these lines; null if there is none. */
  async byLines(lines: string): Promise<PoolReport | null> {
    const wanted = await sha256Of(lines);
    return (await this.list()).find((report) => report.sha256 === wanted) ?? null;
  }

  async #add(kind: string, rows: readonly PoolRow[], about: About): Promise<PoolReport> {
    // Prompts are sorted, so that every file format of one pool has one hash.
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

  /** Completes older reports, which lack the hash or, in the first version, the counts; some counted luck as exploits. */
  protected override async reportOf(id: string): Promise<PoolReport | null> {
    const kept = await this.kept(id);
    if (!kept) return null;
    const known: Partial<PoolReport> = kept.report;
    if (known.sha256 !== undefined && known.lucky !== undefined) return kept.report;
    const defaults = { graderVersion: null, origin: 'built', name: null, teacher: null } as const;
    const counts = countPool(poolFromJsonl(kept.lines));
    const { exploited, lucky } = counts;
    const corrected = lucky > 0 ? { exploited, lucky } : { lucky };
    const sha = await sha256Of(kept.lines);
    const report: PoolReport = { ...defaults, ...counts, ...kept.report, ...corrected, sha256: sha };
    // The completed report is stored if there is room: a full store must not hide its pools.
    await this.keep(id, { report, lines: kept.lines }).catch(() => {});
    return report;
  }
}

/** The grader version of all rows; null if one lacks it, or two differ. */
function versionOf(rows: readonly PoolRow[]): string | null {
  const versions = new Set(rows.map((row) => row.grader_version ?? null));
  return versions.size === 1 ? [...versions][0] : null;
}

type PoolCounts = Pick<
  PoolReport,
  | 'rows'
  | 'problems'
  | 'exploited'
  | 'lucky'
  | 'exploitedAtMost'
  | 'solved'
  | 'unjudged'
  | 'mechanisms'
  | 'withLogprobs'
>;

export function countPool(rows: readonly PoolRow[]): PoolCounts {
  const mechanisms: Record<string, number> = {};
  for (const { mechanism } of rows) setOwn(mechanisms, mechanism ?? 'none', (mechanisms[mechanism ?? 'none'] ?? 0) + 1);
  const unjudged = rows.filter((row) => row.gt_correct === null).length;
  const exploited = rows.filter(isHackRow).length;
  const lucky = rows.filter(isLuckyRow).length;
  const paid = rows.filter(isPaid).length;
  return {
    rows: rows.length,
    problems: new Set(rows.map((row) => row.problem_id)).size,
    exploited,
    lucky,
    solved: rows.filter((row) => row.gt_correct).length,
    ...(unjudged > 0 ? { unjudged } : {}),
    ...(paid > 0 ? { exploitedAtMost: exploited + paid } : {}),
    mechanisms,
    withLogprobs: rows.filter((row) => row.logprobs !== undefined).length,
  };
}
