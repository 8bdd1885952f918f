// For `npm run campaign`: flips single bits of a command's kept files, or of files that a person gives (models, pools), and reads them as
// the command would. Arguments: run, probe or files; the folder; how many flips; a seed. Prints JSON: the outcomes of the flips by type of
// file.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { LabError } from '@projected-grpo-lab/base/errors.ts';
import { adapterLayout } from '../../engine/adapter-layout.ts';
import { readAll } from '../../engine/weights/reader.ts';
import { CounterRng } from '../../rng/index.ts';
import { readBasisFile } from '../../storage/basis-file.ts';
import { readCheckpointFile } from '../../storage/checkpoint-file.ts';
import { loadModelFiles } from '../../storage/model-files.ts';
import { OnnxLanguageModel } from '../../storage/onnx/language-model.ts';
import { diskFile, diskSource } from '../../storage/sources.node.ts';
import { readPoolFile } from '../files/pool.node.ts';
import { loadEmbeddedModel } from '../ports.node.ts';
import { probeFolder } from '../probe/measure.ts';
import { openRunFolder } from '../run/folder.ts';

interface Kind {
  name: string;
  files: RegExp;
  /** Path within the folder → the value read there. */
  read(path: string, warn: (line: string) => void): Promise<unknown>;
}

const layout = { modules: [], total: 0 };
const root = process.env.LAB_ROOT ?? '.';
const embedded = async () => adapterLayout((await loadEmbeddedModel(root, 'tiny-coder')).config);
const fileAt = async (path: string) => (await diskFile(path))!;

/** All that a run takes from a model's folder; the rest of its manifest changes no run. */
async function modelIn(folder: string): Promise<unknown> {
  const { weights, manifest: _, sha256: __, ...rest } = await loadModelFiles(diskSource(folder));
  return { ...rest, weights: await readAll(weights) };
}

/** Opens the model, and identifies it by its bytes alone. */
async function onnxIn(folder: string): Promise<unknown> {
  const model = await OnnxLanguageModel.open(diskSource(folder));
  await model.free();
  return readFileSync(join(folder, 'onnx', 'model.onnx'));
}

function kindsOf(command: string, folder: string): Kind[] {
  const run = (warn: (line: string) => void) => openRunFolder(folder, layout, 'x', {}, warn);
  const runId = (path: string) => `cli/${basename(path).replace(/^(.*)-(\d+)\..*$/, '$1/$2')}`;
  const key = (path: string) => basename(path).replace(/^(?:pool-)?([0-9a-f]{16}).*$/, '$1');
  if (command === 'run')
    return [
      { name: 'checkpoint', files: /\.checkpoint$/, read: (path, warn) => run(warn).checkpoints.load(runId(path)) },
      { name: 'finished run', files: /\.run\.json$/, read: (path, warn) => run(warn).finishedRun(runId(path)) },
      {
        name: 'optimizer step',
        files: /\.steps\/\d+$/,
        read: (path, warn) => run(warn).steps.load(runId(dirname(path))),
      },
      { name: 'pool', files: /pool-\w+\.jsonl$/, read: (path, warn) => run(warn).artifacts.loadPool(key(path)) },
      {
        name: 'basis',
        files: /^basis-\w+\.safetensors$/,
        read: async (path) => readBasisFile(await fileAt(join(folder, path)), await embedded(), { label: path }),
      },
      {
        name: 'trained adapter',
        files: /^\w+-\d+\.safetensors$/,
        read: async (path) => readCheckpointFile(await fileAt(join(folder, path)), await embedded(), path),
      },
    ];
  if (command === 'files')
    return [
      {
        name: 'weights',
        files: /^tiny-coder\/model\.safetensors$/,
        read: (path) => modelIn(join(folder, dirname(path))),
      },
      {
        name: 'configuration and tokenizer',
        files: /^tiny-coder\/(config|tokenizer|tokenizer_config)\.json$/,
        read: (path) => modelIn(join(folder, dirname(path))),
      },
      { name: 'manifest', files: /^tiny-coder\/manifest\.json$/, read: (path) => modelIn(join(folder, dirname(path))) },
      { name: 'ONNX model', files: /model\.onnx$/, read: (path) => onnxIn(join(folder, dirname(dirname(path)))) },
      { name: 'pool as lines', files: /^pool\.jsonl$/, read: (path) => readPoolFile(join(folder, path)) },
      { name: 'pool, packed', files: /^pool\.jsonl\.gz$/, read: (path) => readPoolFile(join(folder, path)) },
    ];
  const probe = (warn: (line: string) => void) => probeFolder(folder, warn);
  return [
    { name: 'replay’s state', files: /\/state$/, read: (path, warn) => probe(warn).loadState(dirname(path)) },
    {
      name: 'rows of a step',
      files: /step_\d+\.jsonl\.gz$/,
      read: (path, warn) => probe(warn).loadRows(dirname(path), Number(/step_(\d+)/.exec(path)?.[1])),
    },
  ];
}

interface Outcome {
  name: string;
  flips: number;
  /** The flip gave a named error. */
  error: number;
  /** The flip was reported, and the previous file was used, or the file was made again. */
  replaced: number;
  /** Nothing was reported, and the value is unchanged: the bits mean nothing. */
  harmless: number;
  /** Nothing was reported, and another value was read. */
  unseen: number;
}

async function flip(
  kind: Kind,
  folder: string,
  files: readonly string[],
  flips: number,
  seed: number,
): Promise<Outcome> {
  const rng = new CounterRng([seed, flips]);
  const outcome: Outcome = { name: kind.name, flips, error: 0, replaced: 0, harmless: 0, unseen: 0 };
  for (let i = 0; i < flips; i++) {
    const file = rng.choice(files);
    const path = join(folder, file);
    const whole = readFileSync(path);
    const before = await kind.read(file, () => {});
    const bytes = Buffer.from(whole);
    bytes[rng.int(bytes.length)] ^= 1 << rng.int(8);
    writeFileSync(path, bytes);
    let said = 0;
    try {
      const found = await kind.read(file, () => void said++);
      if (said > 0) outcome.replaced++;
      else if (isDeepStrictEqual(found, before)) outcome.harmless++;
      else outcome.unseen++;
    } catch (error) {
      if (error instanceof LabError) outcome.error++;
      else throw error;
    } finally {
      writeFileSync(path, whole);
    }
  }
  return outcome;
}

const [command, folder, count, seed] = process.argv.slice(2);
const all = (readdirSync(folder, { recursive: true }) as string[]).filter((name) =>
  statSync(join(folder, name)).isFile(),
);
const kinds = kindsOf(command, folder)
  .map((kind) => ({ kind, files: all.filter((name) => kind.files.test(name)).sort() }))
  .filter(({ files }) => files.length > 0);
const outcomes: Outcome[] = [];
for (const [i, { kind, files }] of kinds.entries())
  outcomes.push(await flip(kind, folder, files, Math.ceil(Number(count) / kinds.length), Number(seed) + i));
process.stdout.write(`${JSON.stringify(outcomes)}\n`);
