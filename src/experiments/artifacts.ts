// What a host keeps for the lab besides runs: graded teacher pools and hack bases (IndexedDB in the page).
import type { RawBasis } from '../algorithms/extraction.ts';

export interface BasisInfo {
  /** Content key: model, pairs and extraction settings. */
  key: string;
  k: number;
  nPairs: number;
  tauAxis: number;
  nHeldout: number;
  modelSha256: string;
  pairsSha256: string;
}

export interface ArtifactStore {
  /** JSON lines as savePool was given them; null when there are none under this key. */
  loadPool(key: string): Promise<string | null>;
  savePool(key: string, jsonLines: string): Promise<void>;
  /** An imported basis by its id (RunSpec.basisFile), already checked against the model's knobs; null when unknown. */
  loadBasis(id: string): Promise<RawBasis | null>;
  /** A basis that was just extracted. */
  saveBasis(info: BasisInfo, basis: RawBasis): Promise<void>;
}

/** Hex sha-256 of a value's JSON: equal contents have equal keys. */
export async function contentKey(value: unknown): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(value)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
