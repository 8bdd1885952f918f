// The worker's handlers for stored records of every kind: a part of the table in handlers.ts. The table of repositories contains the
// differences between kinds.

import type { KindId } from '../../experiments/records/kind.ts';
import type { Repositories, Repository } from '../kinds/repositories.ts';
import type { Annotation } from '../protocol/experiments.ts';
import type { HandlerParts } from '../work/parts.ts';

/** `K` ties each answer to the type of the requested kind. */
export function createKeptHandlers<K extends KindId = KindId>(
  repositories: {
    readonly [Kind in K]: Repository<Kind>;
  },
) {
  return {
    /** Lists the newest first. */
    'kept.list': ({ kind }: { kind: K }) => repositories[kind].list(),
    'kept.load': ({ kind, id }: { kind: K; id: string }) => repositories[kind].load(id),
    'kept.annotate': ({ kind, id, changes }: { kind: K; id: string; changes: Annotation }) =>
      repositories[kind].annotate(id, changes),
    /** Refused for a record in use. */
    async 'kept.delete'({ kind, id }: { kind: K; id: string }) {
      await repositories[kind].delete(id);
      return null;
    },
    /** The whole record as one zip. */
    'kept.export': ({ kind, id }: { kind: K; id: string }) => repositories[kind].export(id),
  };
}
export type KeptCalls<K extends KindId = KindId> = ReturnType<typeof createKeptHandlers<K>>;

export function createImportHandlers({ lab, emit }: HandlerParts, repositories: Repositories) {
  return {
    /** Imports a zip that kept.export made, or one with a teacher pool; its content decides which. */
    async importArchive({ file, name }: { file: Blob; name: string }) {
      const { importArchive } = await import('../kinds/import.ts');
      const imported = await importArchive(repositories, (await lab()).records.pools, file, name);
      if (imported.kind !== 'pool') emit({ type: 'kept', kind: imported.kind, id: imported.summary.id });
      return imported;
    },
  };
}
