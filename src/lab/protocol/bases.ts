// What the page and the worker say to each other about hack bases and the pairs behind them.
import type { Settings } from '../../experiments/config/spec.ts';
import type { AxisVotes } from '../../experiments/records/artifacts.ts';
import type { BasisMetadata } from '../../storage/basis-file.ts';

/** A person's own pair set, as a list shows it. */
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

/** How a basis comes out of pairs: these settings of a run, and no others. */
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

/** Where a basis that a person asked for comes from. */
export interface BasisOrigins extends ExtractionRequest {
  /** The pair set's name at that time. */
  pairSetName: string;
}

export interface ModuleAxes {
  name: string;
  r: number;
  /** [k] descending. */
  S: number[];
  /** Rows that are all zeros. */
  zero: boolean[];
  /** Null where the pairs behind the basis are not known here. */
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

/** From the file's metadata, null where it has none. */
type FromMetadata = Pick<BasisMetadata, 'nPairs' | 'tauAxis' | 'nHeldout' | 'modelSha256' | 'pairsSha256'>;

/** A v_hack basis file, validated against the model's adapter parameters. */
export interface BasisReport extends FromMetadata {
  /** Hex sha-256 of the file. */
  id: string;
  name: string;
  bytes: number;
  /** Modules in the file, of how many the model has. */
  modules: number;
  modelModules: number;
  /** Rows per module at most. */
  k: number;
  zeroRows: number;
  warnings: string[];
  /** Dropped by the user, or extracted here. */
  origin: 'file' | 'extracted';
  /** How a person had it extracted; absent for files and for what runs extract for themselves. */
  origins?: BasisOrigins;
  createdAt: number;
}
