// The error for a folder without a file that every model has.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';

/** `adapter`: the file that marks the folder as an adapter's; null if there is none. */
export const missing = (label: string, path: string, adapter: string | null): FormatError =>
  adapter === null
    ? new FormatError(
        `${label} has no ${path}.`,
        'A model folder holds config.json, its weights (model.safetensors, or an ONNX file under onnx/) and tokenizer.json, as Hugging Face lays them out.',
      )
    : new FormatError(
        `${label} has ${adapter} and no ${path}: it is an adapter, not a model.`,
        'Name its base as the model and this folder with --adapter; on the page load its base, and drop this folder on it.',
      );
