// How runs are kept: as experiments, in records.ts; one that waits or trains is the session's.
import { summaryOf } from '../../records/records.ts';
import type { Repository, RepositoryPorts } from '../repository.ts';

/** run-archive.ts's MANIFEST. */
const MARK = 'manifest.json';

export function createRunRepository({ lab, target }: RepositoryPorts): Repository<'run'> {
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
    mark: MARK,
    recognises: (files) => files.has(MARK),
    async import(files, label) {
      // Archives are read with the first that comes.
      const [{ readArchive }, { unpackExperiment }] = await Promise.all([
        import('../../../storage/run-archive.ts'),
        import('../../records/archive.ts'),
      ]);
      const archive = readArchive(files, label);
      const own = await target();
      return summaryOf(
        await (await records()).importExperiment(await unpackExperiment(archive.files, label, own), own),
      );
    },
  };
}
