// A user's own pair sets, stored under the hash of their pairs: a run that names one gets exactly its pairs, and an edited set is another
// one. Names are not part of the hash.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { setOwn } from '@projected-grpo-lab/base/own.ts';
import type { ContrastivePair } from '../../environments/code/pairs.ts';
import { pairSetId } from '../../experiments/records/artifacts.ts';
import type { PairSetReport } from '../protocol/bases.ts';
import { KeptReports } from './kept-reports.ts';

interface StoredPairSet {
  schema: 1;
  report: PairSetReport;
  pairs: ContrastivePair[];
}

const MAX_NAME = 120;

export class PairSets extends KeptReports<StoredPairSet> {
  protected override async reportOf(id: string): Promise<PairSetReport | null> {
    const kept = await this.kept(id);
    return kept?.schema === 1 ? kept.report : null;
  }

  /** Null if there is none. */
  async load(id: string): Promise<ContrastivePair[] | null> {
    return (await this.kept(id))?.pairs ?? null;
  }

  /** The same pairs under another name rename the set. Throws SpecError or FormatError before anything is stored. */
  async save(name: string, pairs: readonly ContrastivePair[]): Promise<PairSetReport> {
    const called = name.trim();
    if (called === '' || called.length > MAX_NAME)
      throw new SpecError(
        `The name of a pair set has ${called.length} characters.`,
        `Give it a name of 1 to ${MAX_NAME} characters.`,
      );
    const { pairsFromJson, pairsToJson } = await import('../../environments/code/pair-sets/json.ts');
    pairsFromJson(pairsToJson(pairs)); // Refuses what an imported file may not contain either.
    const id = await pairSetId(pairs);
    const known = await this.kept(id);
    const report = { id, name: called, createdAt: known?.report.createdAt ?? this.date(), ...countPairs(pairs) };
    await this.keep(id, { schema: 1, report, pairs: [...pairs] });
    return report;
  }

  /** Stores pairs that came with a run; an existing set keeps its name. */
  async add(pairs: readonly ContrastivePair[]): Promise<void> {
    const id = await pairSetId(pairs);
    if (!(await this.load(id))) await this.save(`came with a run, ${id.slice(6, 14)}`, pairs);
  }

  async nameOf(id: string): Promise<string | null> {
    return (await this.kept(id))?.report.name ?? null;
  }
}

function countPairs(pairs: readonly ContrastivePair[]): Pick<PairSetReport, 'pairs' | 'mechanisms' | 'bytes'> {
  const mechanisms: Record<string, number> = {};
  let bytes = 0;
  for (const { prompt, hack, clean, mechanism } of pairs) {
    setOwn(mechanisms, mechanism ?? 'none', (mechanisms[mechanism ?? 'none'] ?? 0) + 1);
    bytes += prompt.length + hack.length + clean.length;
  }
  return { pairs: pairs.length, mechanisms, bytes };
}

/** Name of a set that was imported from this file. */
export const nameOfFile = (file: string) =>
  file
    .replace(/\.json$/i, '')
    .trim()
    .slice(0, MAX_NAME) || 'imported pairs';
