// Which ONNX file of a model's folder is meant: the one place that says so, for teachers and agents alike.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Of a folder's onnx/: f32 before int8 before others; null where there is none. */
export async function onnxFileOf(folder: string): Promise<string | null> {
  const names = await readdir(join(folder, 'onnx')).catch(() => []);
  const found = names.filter((name) => name.endsWith('.onnx')).sort();
  const wanted = ['model.onnx', 'model_quantized.onnx', 'model_int8.onnx'];
  const name = wanted.find((path) => found.includes(path)) ?? found[0];
  return name === undefined ? null : `onnx/${name}`;
}
