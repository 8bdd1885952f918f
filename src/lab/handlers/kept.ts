// What the worker does with requests about kept things, of whatever kind: a part of the table in handlers.ts. How each kind does it
// stands in the table of keepers.
import type { Keepers } from '../kinds/keeper.ts';
import type { ImportRequests, KeptEvent, KeptRequests } from '../protocol/kept.ts';
import type { LabParts } from './parts.ts';

export interface KeptHandlerPorts {
  lab(): Promise<LabParts>;
  keepers: Keepers;
  emit(event: KeptEvent): void;
}

type Requests = KeptRequests & ImportRequests;
type Handlers = { [Q in keyof Requests]: (params: Requests[Q]['params']) => Promise<Requests[Q]['result']> };

export function createKeptHandlers({ lab, keepers, emit }: KeptHandlerPorts): Handlers {
  return {
    'kept.list': ({ kind }) => keepers[kind].list(),
    'kept.load': ({ kind, id }) => keepers[kind].load(id),
    'kept.annotate': ({ kind, id, changes }) => keepers[kind].annotate(id, changes),
    async 'kept.delete'({ kind, id }) {
      await keepers[kind].delete(id);
      return null;
    },
    'kept.export': ({ kind, id }) => keepers[kind].export(id),
    async importArchive({ file, name }) {
      const { importArchive } = await import('../records/import.ts');
      const imported = await importArchive(keepers, (await lab()).records.pools, file, name);
      if (imported.kind !== 'pool') emit({ type: 'kept', kind: imported.kind, id: imported.summary.id });
      return imported;
    },
  };
}
