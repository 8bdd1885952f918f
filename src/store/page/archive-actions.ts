// Files that are exported and imported as a whole: zip archives of stored entries, teacher pools as JSON lines, and files that are dropped
// on the page.

import type { KindId } from '../../experiments/records/kind.ts';
import type { SummaryOf } from '../../lab/protocol/kept.ts';
import type { PoolFormat, PoolReport } from '../../lab/protocol/protocol.ts';
import type { StoreContext } from '../context.ts';
import type { createKeptActions } from '../kept/actions.ts';
import type { KindPorts } from '../kinds/kinds.ts';
import { KEPT_ON_PAGE } from '../kinds/kinds.ts';
import { attempt } from '../notices.ts';
import type { Readers, Sent } from './dropped-files.ts';

interface ArchiveParts {
  kept: ReturnType<typeof createKeptActions>;
  refreshBases(): Promise<void>;
  dropBasis(file: File): Promise<void>;
  pairs: { importFile(file: File): Promise<void>; refresh(): Promise<void> };
  /** Readers of files that few visits use. */
  readers: Pick<Readers, 'table' | 'log' | 'problems' | 'sweep'>;
  ports: KindPorts;
}

export function createArchiveActions(
  { client, notices, undoableDelete }: StoreContext,
  { kept, refreshBases, dropBasis, pairs, readers, ports }: ArchiveParts,
) {
  async function importArchive(file: File): Promise<void> {
    const waiting = notices.tell('info', `Reading ${file.name} …`);
    const imported = await attempt(notices, client.request('importArchive', { file, name: file.name }));
    notices.dismiss(waiting);
    // An experiment's archive contains its bases and pools.
    if (imported) for (const kind of ['basis', 'pool']) undoableDelete.keepKind(kind);
    if (imported?.kind === 'pool') reportPool(imported.report);
    else if (imported) {
      reportKept(imported);
      await Promise.all([refreshBases(), pairs.refresh()]);
    }
    await kept.refresh();
  }

  async function importPool(files: readonly File[]): Promise<void> {
    const named = files.map((file) => ({ file, name: file.name }));
    const report = await attempt(notices, client.request('importPool', { files: named }));
    if (report) {
      undoableDelete.keep(`pool:${report.id}`);
      reportPool(report);
    }
    await kept.refresh();
  }

  function reportKept<K extends KindId>({ kind, summary }: { kind: K; summary: SummaryOf<K> }): void {
    const { message, action = null } = KEPT_ON_PAGE[kind].imported(summary, ports);
    notices.tell('good', message, { action });
  }

  function reportPool({ rows, problems }: PoolReport): void {
    notices.tell('good', `A teacher pool of ${rows} rows for ${problems} prompts was imported.`);
  }

  /** Sends each file to the matching reader and names the reader. A file without a reader is identified and refused. */
  async function dropFiles(files: readonly File[]): Promise<Sent[]> {
    const { sendDropped } = await import('./dropped-files.ts');
    return sendDropped(files, {
      archive: importArchive,
      pool: importPool,
      basis: dropBasis,
      pairs: pairs.importFile,
      refuse: (message, remedy) => notices.tell('bad', message, { remedy }),
      ...readers,
    });
  }

  return {
    dropFiles,
    importPool,

    /** The run's rollouts as an Inspect log. */
    exportLog: (runId: string) => attempt(notices, client.request('exportLog', { runId, file: 'eval' })),

    loadPool: ({ id }: PoolReport) => attempt(notices, client.request('loadPool', { id })),

    exportPool: ({ id }: PoolReport, format: PoolFormat) =>
      attempt(notices, client.request('exportPool', { id, format })),
  };
}
