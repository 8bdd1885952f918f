// Messages between page and worker about an ONNX language model for an agent: the user chooses its files, the worker opens and asks it, and
// nothing is stored.
import type { ChatTurn } from '@projected-grpo-lab/are/chat-model.ts';

export interface OnnxFile {
  /** File name without folders, as from a file picker. */
  readonly name: string;
  readonly file: Blob;
}

export interface OnnxQuestion {
  /** The page's name for this question. */
  id: string;
  turns: readonly ChatTurn[];
  stop: readonly string[];
  seed: number;
  temperature: number;
  maxNew: number;
}
