// What is reported of a model's folder (lab/models/examination.ts): the same for `lab doctor` and the Models view.
import type { FieldReading } from '../../engine/config-fields.ts';
import type { ModelConfig, WeightStorage } from '../../engine/types.ts';

/** What a user says where nothing else is asked for. */
export const EXAMINED_PROMPT = 'Write f(x) that doubles x.';

export interface ExaminedFile {
  path: string;
  bytes: number;
  isRead: boolean;
  why: string;
}

export interface ExaminedToken {
  id: number;
  text: string;
}

/** What text is to the model. */
export interface ExaminedText {
  vocabSize: number;
  /** What a plain text begins with; and how many of the same a chat begins with. */
  begin: ExaminedToken[];
  beginsInChat: number | null;
  ends: ExaminedToken[];
  pad: ExaminedToken;
  /** Where the template that conversations are written with is: a file's name, or ChatML. Null where there is none. */
  template: string | null;
  knowsThinking: boolean;
  temperature: number;
  maxNew: number | null;
  /** Settings of generation_config.json that are not followed. */
  undone: readonly string[];
  prompt: ExaminedPrompt;
}

export interface ExaminedPrompt {
  isChat: boolean;
  text: string;
  /** Tokens in all, and the first of them. */
  count: number;
  tokens: ExaminedToken[];
}

export interface ExaminedWeights {
  parameters: number;
  bytes: number;
  /** Elements by the dtype in which they are stored. */
  dtypes: Readonly<Record<string, number>>;
  /** `embedding` where the two are one. */
  head: 'embedding' | 'own';
  ignored: readonly string[];
}

/** Bytes on a CPU device. */
export interface ExaminedMemory {
  storage: WeightStorage;
  answer: number;
  /** Null without an experiment, and where the tokenizer could not be opened: prompts have no length then. */
  train: number | null;
}

export interface ExaminedRefusal {
  of: 'weights and config' | 'text' | 'prompt';
  message: string;
  remedy: string;
}

export interface Examination {
  label: string;
  files: ExaminedFile[];
  config: ModelConfig | null;
  /** Of config.json; empty where it cannot be read. */
  fields: FieldReading[];
  weights: ExaminedWeights | null;
  text: ExaminedText | null;
  memory: ExaminedMemory[];
  notes: readonly string[];
  /** Empty: the model can be used. */
  refusals: ExaminedRefusal[];
}
