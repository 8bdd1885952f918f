// Artifacts that a host stores besides runs: graded teacher pools, hack bases and a user's own pairs (IndexedDB in the page).
import { contentKey } from '@projected-grpo-lab/base/sha256.ts';
import type { RawBasis } from '../../algorithms/extraction.ts';
import type { ContrastivePair } from '../../environments/code/pairs.ts';
import { OWN_PAIRS } from '../config/environments.ts';
import type { KeptPool } from './pool.ts';

export { contentKey };

export interface BasisInfo {
  /** Content key: model, pairs, extraction settings, and prompt settings that differ from the model's default. */
  key: string;
  k: number;
  nPairs: number;
  tauAxis: number;
  nHeldout: number;
  modelSha256: string;
  pairsSha256: string;
  /** Absent at the defaults: svd, nll, 0. */
  basisKind?: 'svd' | 'mean_diff';
  basisLoss?: 'nll' | 'grpo';
  solveOrth?: number;
  /** Votes of the pairs on each axis, by module; a basis file cannot hold them. */
  votes?: Record<string, AxisVotes>;
}

/** Sentence on a basis's coverage of a model: modules with an axis, all modules, the most axes of a module, and pairs. */
export function basisCoverText(of: {
  modules: number;
  modelModules: number;
  k: number;
  nPairs: number | null;
}): string {
  const { modules, modelModules, k, nPairs } = of;
  const rest = modelModules - modules;
  return [
    `${modules} of ${modelModules} modules${rest > 0 ? ` (the other ${rest} are not projected)` : ''}`,
    `rank up to ${k}`,
    nPairs === null ? 'from unknown pairs' : `from ${nPairs} pairs`,
  ].join(', ');
}

/** Number of pairs whose projection is towards hack, per axis; null for a zeroed axis. */
export interface AxisVotes {
  /** Among the pairs that the axes come from. */
  used: (number | null)[];
  /** The same count among the held-out pairs. */
  heldout: (number | null)[];
}

/** A problem file with its user's file name, which messages about its lines use. */
export interface ProblemText {
  name: string;
  text: string;
}

export interface ArtifactStore {
  /** JSON lines as savePool was given them; null if there are none under this key. */
  loadPool(key: string): Promise<string | null>;
  savePool(key: string, jsonLines: string): Promise<void>;
  /** A pool by the sha-256 of its lines (RunSpec.teacherPool), imported or built; null if it is not stored. */
  loadTeacherPool(sha256: string): Promise<KeptPool | null>;
  /** A problem file by the sha-256 of its bytes (spec.environment, named by it); null when unknown. */
  loadProblems?(sha256: string): Promise<ProblemText | null>;
  /** An imported basis by its id (RunSpec.basisFile), already checked against the model's adapter parameters; null when unknown. */
  loadBasis(id: string): Promise<RawBasis | null>;
  /** A user's own pairs by their id (RunSpec.pairSet, from `pairSetId`); null when unknown. */
  loadPairs(id: string): Promise<ContrastivePair[] | null>;
  /** Saves a newly extracted basis. */
  saveBasis(info: BasisInfo, basis: RawBasis): Promise<void>;
}

/** `pairs:<sha-256 of the pairs' contents>`, so that spec.pairSet names exactly the pairs that a run used, and an edited set has another id. */
export async function pairSetId(pairs: readonly ContrastivePair[]): Promise<string> {
  return (
    OWN_PAIRS + (await contentKey(pairs.map(({ prompt, hack, clean, mechanism }) => [prompt, hack, clean, mechanism])))
  );
}
