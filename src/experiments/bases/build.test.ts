// Tests that runs with equal settings save one basis, and that an extraction whose consumer returns early (as on a stop) frees its open batch, so
// that the model can be used again.
import { expect, it } from 'vitest';
import { Engine } from '../../engine/decoder/engine.ts';
import { initialWeights } from '../../engine/decoder/trainer.ts';
import { committedTokenizer } from '../../environments/code/testing/tokenizer.node.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { loadCodec } from '../../text/codec.ts';
import { parseExperimentSpec, resolveRun } from '../config/spec.ts';
import { TINY_CODER } from '../loop/pretrain.ts';
import { BasisBuilder } from './build.ts';

const config = { ...TINY_CODER, layers: 1, hiddenSize: 32, heads: 2, kvHeads: 1, headDim: 16, ffn: 48 };

async function openTiny() {
  const { tokenizer, config: about } = committedTokenizer();
  const codec = await loadCodec(tokenizer, about);
  const policy = await Engine.create({ device: await createCpuDevice(), config, weights: initialWeights(config, 1) });
  return { policy, codec, modelSha256: 'm' };
}

it('saves one basis for runs with equal settings, the same whichever of them is built', async () => {
  const ports = await openTiny();
  const of = (k: number) =>
    resolveRun(parseExperimentSpec({ preset: 'smoke', overrides: { pairs: 4, k } }), 'erase', 41);
  const planned = [of(2), of(1)];
  const kept = async (left: typeof planned) => {
    const keys: string[] = [];
    const artifacts = { saveBasis: async ({ key }: { key: string }) => void keys.push(key) } as never;
    const builder = new BasisBuilder({ ...ports, artifacts, planned });
    for (const spec of left) for await (const _ of builder.build(spec));
    return keys;
  };
  const whole = await kept(planned);
  expect(whole).toHaveLength(1);
  expect(await kept(planned.slice(1))).toEqual(whole);
});

it('frees the open batch of an extraction whose consumer returns early', async () => {
  const ports = await openTiny();
  const spec = resolveRun(parseExperimentSpec({ preset: 'smoke', overrides: { pairs: 4, k: 1 } }), 'erase', 41);
  const builder = () => new BasisBuilder({ ...ports, artifacts: null });
  const left = builder().build(spec);
  // The extraction has reported its start and half of the first chunk, so its batch is open.
  expect(await left.next()).toMatchObject({ value: { done: 0 } });
  expect((await left.next()).value).toMatchObject({ type: 'prepare', done: 2 });
  await left.return(undefined as never);

  const whole = builder().build(spec);
  let next = await whole.next();
  while (!next.done) next = await whole.next();
  expect(next.value.own.axes).toBeGreaterThan(0);
});
