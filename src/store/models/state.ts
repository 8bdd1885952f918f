// What the Models view holds.
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

/** What a person has chosen and not used yet. */
export interface ChosenModel {
  place: Exclude<ModelPlace, { kind: 'embedded' }>;
  /** For people: the folder's name, the repository. */
  name: string;
  /** Null while it is being looked at, and where it was refused. */
  inspection: ModelInspection | null;
  problem: Problem | null;
  storage: StorageChoice;
  /** Null until it was asked for. */
  examination: Examination | null;
}

export type ModelWork = Omit<ModelEvent, 'type'> & {
  doing: 'keep' | 'use';
  name: string;
  /** It was told to end. */
  stopping: boolean;
};

export interface ModelsState {
  chosen: ChosenModel | null;
  work: ModelWork | null;
  /** Null until they have been asked for. */
  kept: KeptModel[] | null;
  factors: FactorUsage | null;
  problem: Problem | null;
  /** Where the small model's package is asked for; its CDN where empty. */
  smallEndpoint: string;
  hub: { repo: string; revision: string; endpoint: string; accessToken: string };
}
