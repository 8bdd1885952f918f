// The worker's operations on stored records, the same for every kind. Experiments with their runs are in records.ts, and a waiting or
// running one belongs to the session; probes are in records/probes.ts, their zip in probe/file.ts.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { KindId } from '../../experiments/records/kind.ts';
import type { Annotation } from '../protocol/experiments.ts';
import type { LoadedOf, SummaryOf } from '../protocol/kept.ts';
import type { BasisTarget } from '../records/bases.ts';
import { summaryOf } from '../records/records.ts';
import { checkNotes } from '../records/user-notes.ts';
import type { LabParts } from '../work/parts.ts';
import { isProbe, REPORT } from './probe/mark.ts';

interface RepositoryPorts {
  lab(): Promise<LabParts>;
  /** The adapter parameters and the model that files are checked against. */
  target(): Promise<BasisTarget>;
  isProbing(id: string): boolean;
}

/** Files of a zip, by their paths in it. */
type ArchiveFiles = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

/** Methods with an id throw SpecError if it is unknown. */
export interface Repository<K extends KindId> {
  /** Lists the newest first. */
  list(): Promise<SummaryOf<K>[]>;
  load(id: string): Promise<LoadedOf<K>>;
  /** Throws SpecError for texts that are too long. */
  annotate(id: string, changes: Annotation): Promise<SummaryOf<K>>;
  /** Throws SpecError for a record in use. */
  delete(id: string): Promise<void>;
  /** The whole record as one zip, which `import` reads. */
  export(id: string): Promise<Blob>;
  /** The file that identifies its zip. */
  readonly mark: string;
  recognises(files: ArchiveFiles): boolean;
  /** Throws FormatError for damaged files, before anything is stored. */
  import(files: ArchiveFiles, label: string): Promise<SummaryOf<K>>;
}

export type Repositories = { readonly [K in KindId]: Repository<K> };

export function createRepositories(ports: RepositoryPorts): Repositories {
  return { run: createRunRepository(ports), probe: createProbeRepository(ports) };
}

/** Same as run-archive.ts's MANIFEST. */
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
      // The code that reads archives is loaded with the first one.
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

/** The code for probes' zips is loaded with the first one. */
const probeFiles = () => import('./probe/file.ts');

function createProbeRepository({ lab, isProbing }: RepositoryPorts): Repository<'probe'> {
  const probes = async () => (await lab()).records.probes;
  return {
    list: async () => (await probes()).list(),
    load: async (id) => (await probes()).load(id),
    async annotate(id, changes) {
      const { interrupted: _, ...words } = checkNotes(changes);
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
