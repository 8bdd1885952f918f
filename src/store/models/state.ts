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

/** A model that was chosen but is not used yet. */
export interface ChosenModel {
  place: Exclude<ModelPlace, { kind: 'embedded' }>;
  /** Display name: the folder's, or the repository's. */
  name: string;
  /** Null while the model is being inspected, and if it was refused. */
  inspection: ModelInspection | null;
  problem: Problem | null;
  storage: StorageChoice;
  /** Null until it was requested. */
  examination: Examination | null;
}

export type ModelWork = Omit<ModelEvent, 'type'> & {
  doing: 'keep' | 'use';
  name: string;
  /** Whether the task was asked to stop. */
  stopping: boolean;
};

export interface ModelsState {
  chosen: ChosenModel | null;
  work: ModelWork | null;
  /** Null until the list has been read. */
  kept: KeptModel[] | null;
  factors: FactorUsage | null;
  problem: Problem | null;
  /** Address of the small model's package; empty for the default CDN. */
  smallEndpoint: string;
  hub: { repo: string; revision: string; endpoint: string; accessToken: string };
}
