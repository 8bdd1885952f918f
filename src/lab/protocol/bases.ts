// Messages between page and worker about hack bases and the pairs behind them.
import type { Settings } from '../../experiments/config/settings.ts';
import type { AxisVotes } from '../../experiments/records/artifacts.ts';
import type { BasisMetadata } from '../../storage/basis-file.ts';

/** A user's own pair set, as a list shows it. */
export interface PairSetReport {
  /** `pairs:<sha-256>`: what a run's spec.pairSet names. */
  id: string;
  name: string;
  pairs: number;
  /** Pairs by mechanism, `none` among them. */
  mechanisms: Record<string, number>;
  /** Characters of all texts. */
  bytes: number;
  createdAt: number;
}

/** The settings of a run that affect how a basis is extracted from pairs. */
export const EXTRACTION_SETTINGS = [
  'pairSet',
  'pairModes',
  'modes',
  'dataSeed',
  'pairs',
  'nHeldout',
  'k',
  'tauAxis',
  'basisLoss',
  'basisKind',
  'solveOrth',
  'adapter',
  'loraRank',
] as const;
export type ExtractionRequest = Pick<Settings, (typeof EXTRACTION_SETTINGS)[number]>;

/** Settings of a basis that the user extracted. */
export interface BasisOrigins extends ExtractionRequest {
  /** The pair set's name at the time of extraction. */
  pairSetName: string;
}

export interface ModuleAxes {
  name: string;
  r: number;
  /** Singular values [k], descending. */
  S: number[];
  /** Rows that are entirely zero. */
  zero: boolean[];
  /** Null if the pairs behind the basis are unknown here. */
  votes: AxisVotes | null;
}

export interface BasisAxes {
  id: string;
  /** The model's modules that have a basis, in order. */
  modules: ModuleAxes[];
}

export type PairsRequest = Pick<ExtractionRequest, 'pairSet' | 'pairModes' | 'modes' | 'dataSeed' | 'pairs'>;

/** Completions done so far. */
export interface ExtractionEvent {
  type: 'extraction';
  task: string;
  done: number;
  total: number;
}

/** Fields from the file's metadata, null if missing there. */
type FromMetadata = Pick<BasisMetadata, 'nPairs' | 'tauAxis' | 'nHeldout' | 'modelSha256' | 'pairsSha256'>;

/** A v_hack basis file, validated against the model's adapter parameters. */
export interface BasisReport extends FromMetadata {
  /** Hex sha-256 of the file. */
  id: string;
  name: string;
  bytes: number;
  /** Number of modules with an axis in the file, and of the model's modules. */
  modules: number;
  modelModules: number;
  /** Most rows of a module. */
  k: number;
  zeroRows: number;
  warnings: string[];
  /** Dropped by the user, or extracted here. */
  origin: 'file' | 'extracted';
  /** Settings of the user's extraction; absent for files and for bases that runs extracted. */
  origins?: BasisOrigins;
  createdAt: number;
}
