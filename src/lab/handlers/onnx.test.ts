// Tests an agent's ONNX model in the worker: the embedded teacher's files, as a file picker returns them.
import { readFileSync } from 'node:fs';
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { expect, it } from 'vitest';
import { Stoppables } from '../work/stoppables.ts';
import { createOnnxHandlers } from './onnx.ts';

const fileOf = (path: string) => ({
  name: path.slice(path.lastIndexOf('/') + 1),
  file: new Blob([readFileSync(new URL(`../../../public/models/tiny-hacker/${path}`, import.meta.url))]),
});
const FILES = [
  'config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'generation_config.json',
  'onnx/model.onnx',
].map(fileOf);
const ASK = { id: 'q', turns: [{ role: 'user', content: 'x' }], stop: [], seed: 1, temperature: 0, maxNew: 6 } as const;

it('answers a conversation, the same for the same seed; one that is too long is reported', async () => {
  const tasks = new Stoppables();
  const { openOnnx, askOnnx, closeOnnx } = createOnnxHandlers({ tasks });
  await expect(askOnnx(ASK)).rejects.toThrow(SpecError);
  const { name, positions } = await openOnnx({ files: FILES });
  expect([name, positions > 0]).toEqual(['onnx/model.onnx', true]);
  const found = await askOnnx(ASK);
  expect(found).toMatchObject({ answer: { inputTokens: expect.any(Number), outputTokens: expect.any(Number) } });
  expect(await askOnnx(ASK)).toEqual(found);
  const long = { ...ASK, turns: [{ role: 'user', content: 'def f(x): return x\n'.repeat(2000) }] } as const;
  expect(await askOnnx(long)).toEqual({ tooLong: expect.stringMatching(/tokens; the model has \d+ positions/) });
  const asking = askOnnx({ ...ASK, id: 'r', maxNew: 100, temperature: 2 });
  expect(tasks.stop('r')).toBe(true);
  await expect(asking).rejects.toThrow();
  await closeOnnx();
  await expect(askOnnx(ASK)).rejects.toThrow('No ONNX model is open.');
});

it('names missing files, and refuses too many files', async () => {
  const { openOnnx } = createOnnxHandlers({ tasks: new Stoppables() });
  await expect(openOnnx({ files: FILES.slice(0, 4) })).rejects.toThrow('None of the files ends in .onnx.');
  await expect(openOnnx({ files: FILES.slice(1) })).rejects.toThrow(/config\.json/);
  await expect(openOnnx({ files: Array(101).fill(FILES[0]) })).rejects.toThrow(FormatError);
});
