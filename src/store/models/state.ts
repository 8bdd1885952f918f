// State of the Models view.
import type { Examination } from '../../lab/protocol/examination.ts';
import type {
  FactorUsage,
  KeptModel,
  ModelEvent,
  ModelInspection,
  ModelPlace,
  StorageChoice,
} from '../../lab/protocol/models.ts';
import type { Problem } from '../lab-state.ts';

/** A model that was chosen and not used yet. */
export interface ChosenModel {
  place: Exclude<ModelPlace, { kind: 'embedded' }>;
  /** Name for people: the folder's, or the repository's. */
  name: string;
  /** Null while the model is being inspected, and where it was refused. */
  inspection: ModelInspection | null;
  problem: Problem | null;
  storage: StorageChoice;
  /** Null until it was requested. */
  examination: Examination | null;
}

export type ModelWork = Omit<ModelEvent, 'type'> & {
  doing: 'keep' | 'use';
  name: string;
  /** Whether it was told to stop. */
  stopping: boolean;
};

export interface ModelsState {
  chosen: ChosenModel | null;
  work: ModelWork | null;
  /** Null until they have been read. */
  kept: KeptModel[] | null;
  factors: FactorUsage | null;
  problem: Problem | null;
  /** Address of the small model's package; empty for its CDN. */
  smallEndpoint: string;
  hub: { repo: string; revision: string; endpoint: string; accessToken: string };
}
