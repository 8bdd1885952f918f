// `plan`: whether a GRPO step of a model fits into a device and what decides its speed, before anything of the model is downloaded.
import { resolve } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { formsOf } from '../../engine/adapter-layout.ts';
import type { MemoryNeed } from '../../engine/memory/memory.ts';
import type { PlanLimits } from '../../engine/memory/plan.ts';
import { SHAPE_NAMES, shapeNamed } from '../../engine/shapes.ts';
import { KV_CACHES } from '../../engine/storage-layouts.ts';
import type { AdapterForm, ModelConfig } from '../../engine/types.ts';
import { FIELDS } from '../../experiments/config/settings.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { type Fit, fitOf, type StepSize } from '../../lab/estimate/fit.ts';
import { bytesText } from '../../lib/numbers.ts';
import { readFolderTexts } from '../../storage/folder-texts.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { integer, number, oneOf, toggle } from '../args.ts';
import { command, EXIT } from '../command.ts';
import { renderTable } from '../table.ts';
import { cacheCostOf, costOf, FORM_FLAG, STORAGE_FLAG } from './storage-choice.ts';

const GB = 1e9;
/** Largest buffer that WebGPU devices commonly bind, in GB. */
const COMMON_BUFFER = 2;

const usage = {
  name: 'plan',
  summary: 'Tells whether a GRPO step of a model fits, and what would make it fit, before anything is downloaded.',
  positional: ['[MODEL]'],
  flags: {
    shape: oneOf(SHAPE_NAMES, 'A released model’s shape, in place of a folder.', null),
    adapter: oneOf(['svd', 'lora', 'blocks', 'full'], 'What is trained.', 'svd'),
    rank: integer('Rank of a LoRA, or of each block.', 32, 1, 1024),
    prompts: integer('Prompts of a step.', 1, 1),
    group: integer('Completions of each prompt.', 8, 1),
    prompt: integer('Tokens of a prompt.', 256, 1),
    'max-new': integer('Tokens of a completion.', 512, 1),
    storage: STORAGE_FLAG,
    form: FORM_FLAG,
    'kv-cache': oneOf(KV_CACHES, FIELDS.kvCache.help, 'f32'),
    device: oneOf(['webgpu', 'cpu'], 'Where it would run.', 'webgpu'),
    memory: number('GB that the device holds; 6 are assumed of a GPU, which does not tell.', null, 0.1, 10_000),
    buffer: number('GB that the device binds in one buffer (WebGPU).', COMMON_BUFFER, 0.1, 10_000),
    json: toggle('Print the plan as JSON.'),
  },
  notes:
    'MODEL is a folder with a config.json in Hugging Face’s layout; its weights are not read. Exit code 1 where the step does not fit.',
} as const;

export const plan = command(usage, async ({ flags, positional }, { out }) => {
  const [folder] = positional;
  if ((folder === undefined) === (flags.shape === null))
    throw new SpecError('Name a model’s folder or a --shape, one of the two.', `Shapes: ${SHAPE_NAMES.join(', ')}.`);
  const config =
    flags.shape === null ? (await readFolderTexts(diskSource(resolve(folder)))).folder.config : shapeNamed(flags.shape);
  const step: StepSize = {
    adapter: flags.adapter,
    rank: flags.rank,
    prompts: flags.prompts,
    group: flags.group,
    promptTokens: flags.prompt,
    maxNew: flags['max-new'],
    kvCache: flags['kv-cache'],
  };
  checkLength(config, step);
  const limits = flags.device === 'cpu' ? await cpuLimits(flags.memory) : gpuLimits(flags.memory, flags.buffer);
  checkForm(step.adapter, flags.form);
  const fit = await fitOf(config, step, flags.storage, flags.device, limits, flags.form);
  const name = flags.shape ?? folder;
  out(
    flags.json
      ? JSON.stringify({ model: name, device: flags.device, step, ...fit }, null, 2)
      : planText(name, step, fit),
  );
  return fit.fits ? EXIT.ok : EXIT.failed;
});

function checkLength({ maxPositions }: ModelConfig, { promptTokens, maxNew }: StepSize): void {
  const length = promptTokens + maxNew;
  if (length <= maxPositions) return;
  throw new SpecError(
    `A prompt of ${promptTokens} tokens and a completion of ${maxNew} are ${length}, and the model has ${maxPositions} positions.`,
    'Give a shorter --prompt or --max-new.',
  );
}

function checkForm(adapter: StepSize['adapter'], form: 'auto' | AdapterForm): void {
  if (form === 'auto' || formsOf({ adapter, loraRank: 0 }).includes(form)) return;
  throw new SpecError(`--form ${form}: ${adapter} is always folded.`, 'Leave --form out, or plan another adapter.');
}

const gpuLimits = (memory: number | null, buffer: number): PlanLimits => ({
  totalBytes: memory === null ? Number.POSITIVE_INFINITY : memory * GB,
  bindingBytes: buffer * GB,
});

async function cpuLimits(memory: number | null): Promise<PlanLimits> {
  const device = await createCpuDevice();
  const { maxTotalBytes, maxBindingBytes } = device.limits;
  device.destroy();
  return { totalBytes: memory === null ? maxTotalBytes : memory * GB, bindingBytes: maxBindingBytes };
}

/** Parts of a plan in words, the order of a step. */
const PARTS: readonly (readonly [Exclude<keyof MemoryNeed, 'total' | 'largest'>, string])[] = [
  ['weights', 'weights'],
  ['folded', 'their copy with the adapter folded in, or what stands for it'],
  ['factors', 'the adapter’s matrices'],
  ['keyValues', 'keys, values and states of rollouts'],
  ['activations', 'activations and logits'],
  ['optimizer', 'optimizer'],
];

function planText(name: string, step: StepSize, fit: Fit): string {
  const { need, storage, room, binding, fits, remedies } = fit;
  const adapter = step.adapter === 'lora' || step.adapter === 'blocks' ? `${step.adapter} ${step.rank}` : step.adapter;
  const rows = [...PARTS.map(([part, words]) => [words, bytesText(need[part])]), ['in all', bytesText(need.total)]];
  return [
    `${name}, ${adapter}${fit.form === 'folded' ? '' : ' beside the weights'}, weights in ${storage}${step.kvCache === 'f16' ? ', keys and values in f16' : ''}: ${step.prompts} × ${step.group} answers of ${step.maxNew} tokens after ${step.promptTokens}`,
    '',
    renderTable(['Part', 'Bytes'], rows),
    '',
    `Largest buffer: ${bytesText(need.largest)} of ${bytesText(binding)}.`,
    `Kernel calls of a decoded token: ${fit.callsPerToken}.`,
    ...[costOf(storage), cacheCostOf(step.kvCache ?? 'f32')].filter((cost) => cost !== null),
    fits ? `It fits into ${bytesText(room)}.` : `It does not fit into ${bytesText(room)}.`,
    ...(fits ? [] : ['', ...remedyLines(remedies)]),
  ].join('\n');
}

const remedyLines = (remedies: Fit['remedies']): string[] =>
  remedies.length === 0
    ? ['No single change makes it fit: combine a LoRA with a smaller group, or take a smaller model.']
    : [
        'Each of these alone makes it fit:',
        ...remedies.map(({ change, need }) => `  ${change}: ${bytesText(need.total)}`),
      ];
