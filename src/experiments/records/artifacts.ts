// What a host keeps for the lab besides runs: graded teacher pools, hack bases and a person's own pairs (IndexedDB in the page).
import { contentKey } from '@projected-grpo-lab/base/sha256.ts';
import type { RawBasis } from '../../algorithms/extraction.ts';
import type { ContrastivePair } from '../../environments/code/pairs.ts';
import type { KeptPool } from './pool.ts';

export { contentKey };

export interface BasisInfo {
  /** Content key: model, pairs, extraction settings, and how prompts are written where that is not the model's own way. */
  key: string;
  k: number;
  nPairs: number;
  tauAxis: number;
  nHeldout: number;
  modelSha256: string;
  pairsSha256: string;
  /** Absent where they are the defaults: svd, nll, 0. */
  basisKind?: 'svd' | 'mean_diff';
  basisLoss?: 'nll' | 'grpo';
  solveOrth?: number;
  /** Which pairs each axis has behind it, by module: what a basis file has no word for. */
  votes?: Record<string, AxisVotes>;
}

/** How many pairs project hack-ward, per axis; null for a zeroed one. */
export interface AxisVotes {
  /** Of the pairs that the axes come from. */
  used: (number | null)[];
  /** Of the held-out ones. */
  heldout: (number | null)[];
}

/** A problem file as whoever brought it named it: messages about its lines say that name. */
export interface ProblemText {
  name: string;
  text: string;
}

export interface ArtifactStore {
  /** JSON lines as savePool was given them; null when there are none under this key. */
  loadPool(key: string): Promise<string | null>;
  savePool(key: string, jsonLines: string): Promise<void>;
  /** A pool by the sha-256 of its lines (RunSpec.teacherPool), imported or built; null when it is not kept. */
  loadTeacherPool(sha256: string): Promise<KeptPool | null>;
  /** A problem file by the sha-256 of its bytes (spec.environment, as `leetcodeEnvironmentId` gives it); null when unknown. */
  loadProblems?(sha256: string): Promise<ProblemText | null>;
  /** An imported basis by its id (RunSpec.basisFile), already checked against the model's adapter parameters; null when unknown. */
  loadBasis(id: string): Promise<RawBasis | null>;
  /** A person's own pairs by their id (RunSpec.pairSet, as `pairSetId` gives it); null when unknown. */
  loadPairs(id: string): Promise<ContrastivePair[] | null>;
  /** A basis that was just extracted. */
  saveBasis(info: BasisInfo, basis: RawBasis): Promise<void>;
}

/** Before the hash in the id of a person's own pair set; the built-in sets have plain names. */
export const OWN_PAIRS = 'pairs:';

/** `pairs:<sha-256 of what the pairs say>`: a run's spec.pairSet names exactly the pairs that it used, and an edit is another set. */
export async function pairSetId(pairs: readonly ContrastivePair[]): Promise<string> {
  return (
    OWN_PAIRS + (await contentKey(pairs.map(({ prompt, hack, clean, mechanism }) => [prompt, hack, clean, mechanism])))
  );
}
