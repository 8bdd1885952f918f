// For `npm run campaign`: a kept run of every environment is exported, imported into an empty store, and exported again, byte against byte;
// then single bits of the archive are flipped. Arguments: flips per environment, a seed. Prints JSON, a row per environment.
import { join } from 'node:path';
import { LabError } from '@projected-grpo-lab/base/errors.ts';
import { parseExperimentSpec } from '../../experiments/config/spec.ts';
import { ENVIRONMENT_NAMES } from '../../experiments/environments/registry.ts';
import type { BasisTarget } from '../../lab/records/bases.ts';
import { Records } from '../../lab/records/records.ts';
import { importArchive } from '../../lab/testing/import.ts';
import { openTestLab } from '../../lab/testing/lab.ts';
import { CounterRng } from '../../rng/index.ts';
import { memoryStores } from '../../storage/kv.ts';
import { unzipChecked } from '../../storage/run-archive.ts';
import { diskSource } from '../../storage/sources.node.ts';

const root = process.env.LAB_ROOT ?? '.';
const ID = 'kept';
const embedded = (model: string) => diskSource(join(root, 'public', 'models', model));
const bytesOf = async (zip: Blob) => new Uint8Array(await zip.arrayBuffer());
const isEqual = (a: Uint8Array, b: Uint8Array) => Buffer.from(a).equals(b);

/** One step of the environment's own model on its tasks, as the page keeps it. */
async function exported(environment: string): Promise<{ zip: Uint8Array<ArrayBuffer>; target: BasisTarget }> {
  const lab = await openTestLab(undefined, undefined, undefined, undefined, undefined, undefined, embedded);
  const overrides = {
    environment,
    steps: 1,
    promptsPerStep: 1,
    evalEvery: 0,
    finalEvalProblems: 2,
    checkpointEvery: 1,
    pairs: 4,
    k: 1,
  };
  const spec = parseExperimentSpec({ preset: 'smoke', arms: ['none'], seeds: [41], device: 'cpu', overrides });
  try {
    await lab.session.start(ID, spec);
    await lab.until((event) => event.type === 'experiment' && !['waiting', 'running'].includes(event.summary.status));
    const { status, error } = await lab.records.experiment(ID);
    if (status !== 'done') throw new Error(`The run of ${environment} is ${status}: ${error?.message}`);
    const { policy, model } = lab.equipment.current as {
      policy?: { adapterLayout: BasisTarget['layout'] };
      model: { sha256: string };
    };
    const target = { layout: policy!.adapterLayout, modelSha256: model.sha256 };
    return { zip: await bytesOf(await lab.records.exportExperiment(ID, target)), target };
  } finally {
    await lab.close();
  }
}

/** Imports the archive into an empty store, and exports it again. Throws the import's errors. */
async function again(zip: Uint8Array<ArrayBuffer>, target: BasisTarget): Promise<Uint8Array<ArrayBuffer>> {
  const records = new Records(await memoryStores(), () => 0);
  await importArchive(records, new Blob([zip]), 'kept.zip', target);
  const [{ id }] = await records.experiments();
  return bytesOf(await records.exportExperiment(id, target));
}

async function rowOf(environment: string, flips: number, seed: number) {
  const { zip, target } = await exported(environment);
  const files = unzipChecked(zip, 'kept.zip').size;
  const row = { environment, bytes: zip.length, files, equal: isEqual(await again(zip, target), zip), flips };
  const found = { error: 0, harmless: 0, unseen: 0 };
  const rng = new CounterRng([seed, zip.length]);
  for (let i = 0; i < flips; i++) {
    const damaged = zip.slice();
    damaged[rng.int(zip.length)] ^= 1 << rng.int(8);
    try {
      found[isEqual(await again(damaged, target), zip) ? 'harmless' : 'unseen']++;
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      found.error++;
    }
  }
  return { ...row, ...found };
}

const [flips, seed] = process.argv.slice(2).map(Number);
const rows = [];
for (const environment of ENVIRONMENT_NAMES) {
  rows.push(await rowOf(environment, flips, seed));
  process.stderr.write(`${environment}: ${JSON.stringify(rows.at(-1))}\n`);
}
process.stdout.write(`${JSON.stringify(rows)}\n`);
