// Tests where the embedded teacher runs: in WebAssembly on the CPU device, and also if the runtime cannot use the device's GPU.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import type { Device } from '../../kernels/device.ts';
import { WebGpuDevice } from '../../kernels/webgpu/device.ts';
import { OnnxLanguageModel } from '../../storage/onnx/language-model.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { memorySource } from '../../storage/sources.ts';
import { withOnnxTeacher } from './pool-builder.ts';

const FOLDER = fileURLToPath(new URL('../../../public/models/tiny-hacker', import.meta.url));
const files = diskSource(FOLDER);
/** A device whose GPU is an empty object, so every call of the runtime on it fails. */
const brokenGpu = () => Object.assign(Object.create(WebGpuDevice.prototype), { gpu: {} }) as WebGpuDevice;

let cpu: Device;
beforeAll(async () => {
  cpu = await createCpuDevice();
});
afterAll(() => cpu.destroy());

const options = { maxNew: 60, temperature: 1, seed: 2 };
const prompt = '<|im_start|>user\n';

it('passes the teacher to the work, and returns its result', async () => {
  const alone = await OnnxLanguageModel.open(files);
  const expected = await alone.generate([prompt], options);
  await alone.free();
  expect(await withOnnxTeacher(files, cpu, (teacher) => teacher.generate([prompt], options))).toEqual(expected);
  expect(await withOnnxTeacher(files, brokenGpu(), (teacher) => teacher.generate([prompt], options))).toEqual(expected);
});

it('rethrows the work’s error', async () => {
  const work = withOnnxTeacher(files, cpu, async () => {
    throw new SpecError('no', 'do');
  });
  await expect(work).rejects.toThrow(SpecError);
});

it('refuses a lab without a teacher, and a file that is not a model, on either device', async () => {
  const work = async () => 1;
  await expect(withOnnxTeacher(undefined, cpu, work)).rejects.toThrow(/no embedded teacher/);
  const names = ['config.json', 'tokenizer.json', 'tokenizer_config.json'];
  const broken = memorySource(
    new Map([
      ...names.map((name) => [name, new Blob([readFileSync(join(FOLDER, name))])] as const),
      ['onnx/model.onnx', new Blob([new Uint8Array(64)])] as const,
    ]),
  );
  for (const device of [cpu, brokenGpu()])
    await expect(withOnnxTeacher(broken, device, work)).rejects.toThrow(FormatError);
});
