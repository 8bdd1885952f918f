// How what is kept of each kind is kept: what the worker must be able to do with it, the same for all. Experiments with their runs are in
// records.ts, and one that waits or trains is the session's; probes are in records/probes.ts, their zip in probe/file.ts.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { KindId } from '../../experiments/records/kind.ts';
import type { Annotation } from '../protocol/experiments.ts';
import type { LoadedOf, SummaryOf } from '../protocol/kept.ts';
import type { BasisTarget } from '../records/bases.ts';
import { summaryOf } from '../records/records.ts';
import { checkWords } from '../records/words.ts';
import type { LabParts } from '../work/parts.ts';
import { isProbe, REPORT } from './probe/mark.ts';

interface RepositoryPorts {
  lab(): Promise<LabParts>;
  /** The adapter parameters and the model that files are checked against. */
  target(): Promise<BasisTarget>;
  isProbing(id: string): boolean;
}

/** Of a zip, by their paths in it. */
type ArchiveFiles = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

/** Each throws SpecError where there is no such id. */
export interface Repository<K extends KindId> {
  /** Newest first. */
  list(): Promise<SummaryOf<K>[]>;
  load(id: string): Promise<LoadedOf<K>>;
  /** Throws SpecError for words that are too long. */
  annotate(id: string, changes: Annotation): Promise<SummaryOf<K>>;
  /** Throws SpecError for what is at work. */
  delete(id: string): Promise<void>;
  /** Everything kept of it as one zip, which `import` takes. */
  export(id: string): Promise<Blob>;
  /** The file that its zip is known by. */
  readonly mark: string;
  recognises(files: ArchiveFiles): boolean;
  /** Throws FormatError for what is damaged, before anything is kept. */
  import(files: ArchiveFiles, label: string): Promise<SummaryOf<K>>;
}

export type Repositories = { readonly [K in KindId]: Repository<K> };

export function createRepositories(ports: RepositoryPorts): Repositories {
  return { run: createRunRepository(ports), probe: createProbeRepository(ports) };
}

/** run-archive.ts's MANIFEST. */
const RUN_MARK = 'manifest.json';

function createRunRepository({ lab, target }: RepositoryPorts): Repository<'run'> {
  const records = async () => (await lab()).records;
  return {
    list: async () => (await (await records()).experiments()).map(summaryOf),
    async load(id) {
      const kept = await records();
      const record = await kept.experiment(id);
      return { record, runs: await kept.runs(record) };
    },
    annotate: async (id, changes) => summaryOf(await (await records()).annotate(id, changes)),
    delete: async (id) => (await lab()).session.delete(id),
    export: async (id) => (await records()).exportExperiment(id, await target()),
    mark: RUN_MARK,
    recognises: (files) => files.has(RUN_MARK),
    async import(files, label) {
      // Archives are read with the first that comes.
      const [{ readArchive }, { unpackExperiment }] = await Promise.all([
        import('../../storage/run-archive.ts'),
        import('../records/archive.ts'),
      ]);
      const archive = readArchive(files, label);
      const own = await target();
      return summaryOf(
        await (await records()).importExperiment(await unpackExperiment(archive.files, label, own), own),
      );
    },
  };
}

/** Probes are packed and read with the first that is. */
const probeFiles = () => import('./probe/file.ts');

function createProbeRepository({ lab, isProbing }: RepositoryPorts): Repository<'probe'> {
  const probes = async () => (await lab()).records.probes;
  return {
    list: async () => (await probes()).list(),
    load: async (id) => (await probes()).load(id),
    async annotate(id, changes) {
      const { interrupted: _, ...words } = checkWords(changes);
      return (await probes()).change(id, words);
    },
    async delete(id) {
      if (isProbing(id)) throw new SpecError('This probe is running.', 'Stop it first.');
      await (await probes()).delete(id);
    },
    export: async (id) => (await probeFiles()).writeProbe(await (await probes()).load(id)),
    mark: REPORT,
    recognises: isProbe,
    import: async (given, label) => (await probes()).add(await (await probeFiles()).readProbe(given, label)),
  };
}
