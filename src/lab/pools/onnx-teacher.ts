// The embedded teacher in the worker: a model that onnxruntime-web runs, opened when rows are asked of it and freed afterwards, so that
// a page that asks for none never fetches it, nor the code that runs it. It works on the lab's own WebGPU device where there is one that the runtime can use, else
// in WebAssembly.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { LanguageModel } from '../../engine/types.ts';
import type { Device } from '../../kernels/device.ts';
import type { WebGpuDevice } from '../../kernels/webgpu/device.ts';
import type { FileSource } from '../../storage/sources.ts';

/** `files`: the teacher's folder; undefined where this lab has none. Throws SpecError for that, FormatError for a file that is not such
 *  a model, and what `work` throws. */
export async function withOnnxTeacher<Result>(
  files: FileSource | undefined,
  device: Device,
  work: (teacher: LanguageModel) => Promise<Result>,
): Promise<Result> {
  if (!files)
    throw new SpecError(
      'This lab has no embedded teacher.',
      'Choose the templates, or the model as it is, as the teacher.',
    );
  const { OnnxLanguageModel } = await import('../../storage/onnx/language-model.ts');
  const gpu = device.kind === 'webgpu' ? (device as WebGpuDevice).gpu : null;
  const plain = () => OnnxLanguageModel.open(files);
  // A file that is no model fails again, and then says so.
  const teacher = gpu === null ? await plain() : await OnnxLanguageModel.open(files, { gpu }).catch(plain);
  try {
    return await work(teacher);
  } finally {
    await teacher.free();
  }
}
