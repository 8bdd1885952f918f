// The ONNX file of a model's folder on disk.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { onnxFileIn } from '../../storage/onnx/with-words.ts';

/** null where there is none. */
export const onnxFileOf = async (folder: string): Promise<string | null> =>
  onnxFileIn(await readdir(join(folder, 'onnx')).catch(() => []));
