// What the worker does with requests about kept things, of whatever kind: a part of the table in handlers.ts. How each kind does it
// is in the table of repositories.

import type { KindId } from '../../experiments/records/kind.ts';
import type { Repositories, Repository } from '../kinds/repositories.ts';
import type { Annotation } from '../protocol/experiments.ts';
import type { HandlerParts } from '../work/parts.ts';

/** `K`: what is asked of a kept thing is answered as its kind has it. */
export function createKeptHandlers<K extends KindId = KindId>(
  repositories: {
    readonly [Kind in K]: Repository<Kind>;
  },
) {
  return {
    /** Newest first. */
    'kept.list': ({ kind }: { kind: K }) => repositories[kind].list(),
    'kept.load': ({ kind, id }: { kind: K; id: string }) => repositories[kind].load(id),
    'kept.annotate': ({ kind, id, changes }: { kind: K; id: string; changes: Annotation }) =>
      repositories[kind].annotate(id, changes),
    /** Refused for what is at work. */
    async 'kept.delete'({ kind, id }: { kind: K; id: string }) {
      await repositories[kind].delete(id);
      return null;
    },
    /** Everything kept of it, as one zip. */
    'kept.export': ({ kind, id }: { kind: K; id: string }) => repositories[kind].export(id),
  };
}
export type KeptCalls<K extends KindId = KindId> = ReturnType<typeof createKeptHandlers<K>>;

export function createImportHandlers({ lab, emit }: HandlerParts, repositories: Repositories) {
  return {
    /** A zip that kept.export made, or one with a teacher pool; which, its content says. */
    async importArchive({ file, name }: { file: Blob; name: string }) {
      const { importArchive } = await import('../kinds/import.ts');
      const imported = await importArchive(repositories, (await lab()).records.pools, file, name);
      if (imported.kind !== 'pool') emit({ type: 'kept', kind: imported.kind, id: imported.summary.id });
      return imported;
    },
  };
}
