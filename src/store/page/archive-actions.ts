// Files that are exported and imported whole: zips of kept entries, teacher pools as JSON lines, and files dropped on the page.

import type { KindId } from '../../experiments/records/kind.ts';
import type { SummaryOf } from '../../lab/protocol/kept.ts';
import type { PoolFormat, PoolReport } from '../../lab/protocol/protocol.ts';
import type { KnownFile } from '../../lib/file-kind.ts';
import type { StoreContext } from '../context.ts';
import type { createKeptActions } from '../kept/actions.ts';
import type { KindPorts } from '../kinds/kinds.ts';
import { KEPT_ON_PAGE } from '../kinds/kinds.ts';
import { attempt } from '../notices.ts';

/** Throws nothing: what cannot be read (a folder, a missing file) is of unknown kind. */
async function kindOf(file: File): Promise<KnownFile> {
  const { fileKind, HEAD_BYTES } = await import('../../lib/file-kind.ts');
  const head = await file
    .slice(0, HEAD_BYTES)
    .arrayBuffer()
    .catch(() => null);
  return head ? fileKind(new Uint8Array(head)) : { kind: 'unknown', name: 'a file that cannot be read' };
}

interface ArchiveParts {
  kept: ReturnType<typeof createKeptActions>;
  refreshBases(): Promise<void>;
  dropBasis(file: File): Promise<void>;
  pairs: { importFile(file: File): Promise<void>; refresh(): Promise<void> };
  /** Opens a table of the person's among the data sets. */
  openTable(file: File): Promise<void>;
  /** Returns whether the log could be read. */
  openLog(file: File): Promise<boolean>;
  ports: KindPorts;
}

export function createArchiveActions(
  { client, notices, undoableDelete }: StoreContext,
  { kept, refreshBases, dropBasis, pairs, openTable, openLog, ports }: ArchiveParts,
) {
  async function importArchive(file: File): Promise<void> {
    const waiting = notices.tell('info', `Reading ${file.name} …`);
    const imported = await attempt(notices, client.request('importArchive', { file, name: file.name }));
    notices.dismiss(waiting);
    // An experiment brings its bases and pools along.
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

  /** Sorts files by their first bytes; a name decides only between kinds that bytes cannot tell apart. */
  async function dropFiles(files: readonly File[]): Promise<void> {
    const known = await Promise.all(files.map(async (file) => ({ file, ...(await kindOf(file)) })));
    const isPool = ({ file, kind }: (typeof known)[number]) =>
      kind === 'jsonl' || kind === 'gzip' || (kind === 'json' && /\.jsonl$/i.test(file.name));
    const pools = known.filter(isPool).map(({ file }) => file);
    if (pools.length > 0) await importPool(pools);
    for (const { file, kind, name } of known) {
      if (pools.includes(file)) continue;
      if (kind === 'log') await openLog(file);
      else if (kind === 'table') await openTable(file);
      else if (kind === 'zip') await importArchive(file);
      else if (kind === 'json') await pairs.importFile(file);
      // A damaged file has no known first bytes: its reader says what is wrong with it.
      else if (kind === 'safetensors' || (kind === 'unknown' && /\.safetensors$/i.test(file.name)))
        await dropBasis(file);
      else
        notices.tell('bad', `${file.name} was not imported: this is ${name}.`, {
          remedy:
            'The lab reads a basis (.safetensors), an exported run or probe (.zip), a teacher pool (.jsonl, .jsonl.gz), labelled pairs (.json), a log of Inspect (.eval, .json), and a model’s folder.',
        });
    }
  }

  return {
    dropFiles,
    importPool,

    /** The run's rollouts as a log of Inspect. */
    exportLog: (runId: string) => attempt(notices, client.request('exportLog', { runId, file: 'eval' })),

    loadPool: ({ id }: PoolReport) => attempt(notices, client.request('loadPool', { id })),

    exportPool: ({ id }: PoolReport, format: PoolFormat) =>
      attempt(notices, client.request('exportPool', { id, format })),
  };
}
