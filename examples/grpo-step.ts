// Uses the engine without the lab: one GRPO step on a model in Hugging Face's layout. The same code runs in Node and in a page; only the device
// and the source of the files differ (docs/how-to/engine.md).
import { adamStep, zeroMoments } from '../src/algorithms/adamw.ts';
import { groupAdvantages } from '../src/algorithms/advantages.ts';
import { denominator, sequenceLoss } from '../src/algorithms/grpo-loss.ts';
import { Engine } from '../src/engine/decoder/engine.ts';
import type { Device } from '../src/kernels/device.ts';
import { keyFor, STREAMS } from '../src/rng/index.ts';
import { loadModelFiles } from '../src/storage/model-files.ts';
import { openModelText } from '../src/storage/model-text.ts';
import type { FileSource } from '../src/storage/sources.ts';

const [GROUP, MAX_NEW, LR] = [8, 48, 1e-2];
const ADAM = { beta1: 0.9, beta2: 0.95, adamEps: 1e-8 };

/** Samples eight answers to a prompt, rewards each, and takes one step of Dr. GRPO with a LoRA of rank 8. */
export async function grpoStep(device: Device, folder: FileSource, text: string, reward: (answer: string) => number) {
  const files = await loadModelFiles(folder);
  const { codec } = await openModelText(files, folder.label);
  const { config, weights } = files;
  const engine = await Engine.create({ device, config, weights, adapter: { adapter: 'lora', loraRank: 8 } });
  const params = engine.initialAdapterParams.slice();
  const prompt = codec.encodePrompt(text);

  // Each rollout has its own random key, so that the same seed gives the same answers on any number of threads.
  const sequences = Array.from({ length: GROUP }, (_, i) => ({
    prompt: 0,
    key: keyFor(1, STREAMS.rollout, 0, 0, i, 0),
  }));
  const sampling = { maxNew: MAX_NEW, temperature: 1, endTokens: codec.endTokens };
  const rollouts = await engine.generate({ prompts: [prompt], sequences, ...sampling });
  const answers = rollouts.map(({ tokens, ended }) => codec.decode(ended ? tokens.slice(0, -1) : tokens));
  const rewards = answers.map(reward);

  // The loss gives `coef`, ∂L/∂logprob of each token [T], from which the gradient is computed.
  const { advantages } = groupAdvantages(rewards, 'none');
  const scored = await engine.score(
    rollouts.map(({ tokens }) => ({ prompt, completion: tokens, segment: 0 })),
    1,
  );
  const settings = { clipEps: 0.2, klBeta: 0, denominator: denominator(GROUP, MAX_NEW, 1) };
  const losses = scored.logprobs.map((logprobs, i) =>
    sequenceLoss({ logprobs, old: logprobs, advantage: advantages[i] }, settings),
  );
  const [gradient] = await scored.backward(losses.map(({ coef }) => coef));
  scored.free();

  // Adam takes the step, and the changed model answers again.
  const step = adamStep(zeroMoments(params.length), gradient, 1, LR, ADAM);
  engine.setAdapterParams(params.map((value, i) => value - step[i]));
  const after = await engine.generate({ prompts: [prompt], sequences, ...sampling });
  engine.free();
  return { answers, rewards, gradient, after: after.map(({ tokens }) => codec.decode(tokens)) };
}
