// What the worker does with requests about kept things, of whatever kind: a part of the table in handlers.ts. How each kind does it
// is in the table of repositories.

import type { Repositories } from '../kinds/repositories.ts';
import type { ImportRequests, KeptRequests } from '../protocol/kept.ts';
import type { HandlersOf } from '../protocol/protocol.ts';
import type { HandlerParts } from '../work/parts.ts';

export function createKeptHandlers(
  { lab, emit }: HandlerParts,
  repositories: Repositories,
): HandlersOf<KeptRequests & ImportRequests> {
  return {
    'kept.list': ({ kind }) => repositories[kind].list(),
    'kept.load': ({ kind, id }) => repositories[kind].load(id),
    'kept.annotate': ({ kind, id, changes }) => repositories[kind].annotate(id, changes),
    async 'kept.delete'({ kind, id }) {
      await repositories[kind].delete(id);
      return null;
    },
    'kept.export': ({ kind, id }) => repositories[kind].export(id),
    async importArchive({ file, name }) {
      const { importArchive } = await import('../kinds/import.ts');
      const imported = await importArchive(repositories, (await lab()).records.pools, file, name);
      if (imported.kind !== 'pool') emit({ type: 'kept', kind: imported.kind, id: imported.summary.id });
      return imported;
    },
  };
}
