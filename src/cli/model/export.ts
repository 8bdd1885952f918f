// `export`: a trained student (or any model folder) for other tools: plain weights in Hugging Face's layout, or an ONNX file
// with a key/value cache as onnx-community lays it out, each with config and tokenizer beside it.

import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';
import { LOCK, whileHeld } from '@projected-grpo-lab/base/files/lock.node.ts';
import { joinParts } from '../../lib/streams.ts';
import { filesBesideWeights, json, type WeightFileToWrite, weightFiles } from '../../storage/model-export.ts';
import { decoderOnnx } from '../../storage/onnx/decoder.ts';
import { DTYPES } from '../../storage/peft/write.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { integer, oneOf, text, toggle } from '../args.ts';
import { type CommandContext, command, EXIT } from '../command.ts';
import { deviceFlags } from '../device-flags.ts';
import { yieldToEvents } from '../drain.ts';
import { ADAPTER_FLAG } from './adapter.ts';
import { type ExportedAdapter, openPeftExport, peftLines } from './export-peft.ts';
import { type ExportedModel, openExport, WEIGHTS } from './export-source.ts';
import { CACHE_FLAG } from './folder.ts';

/** Weights beyond this size go to a file beside the ONNX model, since protobuf ends at 2 GiB. */
const INSIDE_BYTES = 2 ** 30;
const FORMATS = ['hf', 'onnx', 'peft'] as const;

const usage = {
  name: 'export',
  summary: 'Writes a trained student, its adapter folded into plain weights, for other tools.',
  flags: {
    run: text('DIR', 'A folder of `run --out`: its last checkpoint is exported.', null),
    'arm-seed': text('ARM-SEED', 'Which run of it, where there are several (route-41).', null),
    model: text('DIR', 'A model in Hugging Face’s layout: exported as it is, or the run’s base.', null),
    adapter: ADAPTER_FLAG,
    weights: oneOf(
      WEIGHTS,
      'The run’s model with its quarantine, without, or untrained; with peft also the quarantine alone. trained where absent.',
      null,
    ),
    format: oneOf(
      FORMATS,
      'F32 safetensors, ONNX with a key/value cache in f32, or what the run trained as a LoRA adapter of PEFT.',
      'hf',
    ),
    rank: integer('With peft: most rank, the largest singular values; exact where absent.', null, 1, 65_536),
    dtype: oneOf(DTYPES, 'With peft: of the numbers in the file; f32 where absent.', null),
    out: text('DIR', 'A new or empty folder.', null),
    cache: CACHE_FLAG,
    ...deviceFlags('What folds. Take the one that trained.'),
    json: toggle('Print what was written as JSON.'),
  },
  notes: [
    'hf: config.json, tokenizer, generation_config.json, model.safetensors; names and shapes as in the base model’s folder.',
    'onnx: the same beside onnx/model.onnx; inputs and outputs are named as onnx-community’s exports name them.',
    'peft: adapter_config.json and adapter_model.safetensors, which PEFT, transformers, vLLM and unsloth load. LoRA and two blocks as they',
    'are; singular directions exactly (√|δS| on both sides); all weights only with --rank. --json adds r, exact, relativeError, maxLoraRank.',
  ].join('\n'),
} as const;

export const exportModel = command(usage, async ({ flags }, context) => {
  if (flags.out === null) throw new SpecError('--out is missing.', 'Name the folder to write.');
  const out = resolve(flags.out);
  await checkEmpty(out, flags.out);
  const { run, model, adapter, weights, device, cache, format, rank, dtype } = flags;
  const source = { run, armSeed: flags['arm-seed'], model, adapter, weights, device, cache };
  const own = rank === null ? dtype : rank;
  if (format !== 'peft' && own !== null)
    throw new SpecError(`--${rank === null ? 'dtype' : 'rank'} ${own} is of an adapter.`, 'Add --format peft.');
  if (format === 'peft') {
    const made = await openPeftExport(source, { rank, dtype: dtype ?? 'f32' }, context);
    return finish(await writeAll(out, flags.out, made.files, context), made.origin, flags, context, made);
  }
  const exported = await openExport(source, context);
  const otherFiles = await filesBesideWeights(exported.files, diskSource(exported.folder));
  const { origin } = exported;
  const files =
    flags.format === 'hf'
      ? weightFiles(exported.files.config, exported.weights, origin, { nameOf: exported.files.nameInFiles })
      : onnxFiles(exported, otherFiles);
  const all = [...files, ...[...otherFiles].map(([path, bytes]) => ({ path, bytes: () => bytes }))];
  return finish(await writeAll(out, flags.out, all, context), origin, flags, context, null);
});

type Written = { path: string; bytes: number }[];

/** Writes the files into an empty folder, each whole. `label`: the folder as it was named. */
async function writeAll(
  out: string,
  label: string,
  files: readonly WeightFileToWrite[],
  context: CommandContext,
): Promise<Written> {
  const written: Written = [];
  await whileHeld(out, context.progress.note, async () => {
    // Another export may have written here meanwhile.
    await checkEmpty(out, label);
    for (const [i, { path, bytes }] of files.entries()) {
      context.progress.update('files', i, files.length, path);
      await yieldToEvents();
      if (context.signal.aborted) throw new StoppedError('stopped', `Delete ${label}, and start again.`);
      const data = bytes();
      await writeWhole(join(out, path), data);
      written.push({ path, bytes: data.byteLength });
    }
  });
  return written;
}

function finish(
  written: Written,
  origin: ExportedModel['origin'],
  {
    out: label,
    format,
    adapter,
    json: asJson,
  }: { out: string | null; format: string; adapter: string | null; json: boolean },
  { out, progress }: CommandContext,
  made: ExportedAdapter | null,
): number {
  for (const line of made ? peftLines(made) : []) progress.note(line);
  if (asJson) {
    const facts = made && factsOf(made);
    out(JSON.stringify({ out: label, format, origin, ...facts, files: written }, null, 2));
    return EXIT.ok;
  }
  for (const { path, bytes } of written) out(`${path}  ${bytes} bytes`);
  const of = origin.run === undefined ? '' : ` of ${origin.run}, step ${origin.step}`;
  const and = made === null && adapter !== null && origin.run === undefined ? ` with ${adapter} folded in` : '';
  out(`${label}: ${origin.weights} weights${of}${and}`);
  return EXIT.ok;
}

const factsOf = ({ r, exact, relativeError, maxLoraRank, modules }: ExportedAdapter) => ({
  r,
  exact,
  relativeError,
  maxLoraRank,
  modules,
});

/** Refuses a folder with files: those of an earlier export among these would make neither. */
async function checkEmpty(path: string, label: string): Promise<void> {
  const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new SpecError(`--out ${label} cannot be listed (${error.code}).`, 'Name a new folder.', { cause: error });
  });
  if (names.some((name) => name !== LOCK))
    throw new SpecError(`${label} is not empty.`, 'Name a new folder, or empty it first.');
}

/** Adds to config.json the entries that transformers.js needs for a file of weights beside the model. */
function onnxFiles({ files, weights, origin }: ExportedModel, beside: Map<string, Uint8Array>): WeightFileToWrite[] {
  const isLarge = 4 * files.parameters > INSIDE_BYTES;
  const name = 'model.onnx_data';
  const metadata = { ...origin, architecture: files.config.architecture };
  const { model, external } = decoderOnnx(files.config, weights, { externalFile: isLarge ? name : null, metadata });
  const written = [{ path: 'onnx/model.onnx', bytes: () => joinParts(model) }];
  if (!isLarge) return written;
  const config = JSON.parse(new TextDecoder().decode(beside.get('config.json'))) as Record<string, unknown>;
  config['transformers.js_config'] = { use_external_data_format: { 'model.onnx': 1 } };
  beside.set('config.json', json(config));
  return [...written, { path: `onnx/${name}`, bytes: () => joinParts(external) }];
}
