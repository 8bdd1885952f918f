// Import of a dropped zip: a record that another lab exported, or a teacher pool with one file per prompt.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { KINDS } from '../../experiments/kinds/kinds.ts';
import { KIND_IDS } from '../../experiments/records/kind.ts';
import { LIMITS, unzipChecked } from '../../storage/run-archive.ts';
import type { Imported } from '../protocol/kept.ts';
import { readPoolFiles } from '../records/pool-files.ts';
import type { PoolStore } from '../records/pools.ts';
import type { Repositories } from './repositories.ts';

const POOL_FILE = /\.jsonl(\.gz)?$/;

/** Throws FormatError for any other zip, before anything is stored. */
export async function importArchive(
  repositories: Repositories,
  pools: PoolStore,
  file: Blob,
  name: string,
): Promise<Imported> {
  if (file.size > LIMITS.archiveBytes)
    throw new FormatError(
      `${name} has ${file.size} bytes; ${LIMITS.archiveBytes} are allowed.`,
      'Use a smaller archive.',
    );
  const files = unzipChecked(new Uint8Array(await file.arrayBuffer()), name);
  // The table ties kind and summary together, which the compiler cannot follow through a variable.
  for (const kind of KIND_IDS)
    if (repositories[kind].recognises(files))
      return { kind, summary: await repositories[kind].import(files, name) } as Imported;
  const names = [...files.keys()];
  if (names.length > 0 && names.every((entry) => POOL_FILE.test(entry))) {
    const parts = names.sort().map((entry) => ({ name: entry, file: new Blob([files.get(entry)!]) }));
    return { kind: 'pool', report: await pools.importFile(await readPoolFiles(parts), name) };
  }
  const [first, ...others] = KIND_IDS.map((kind) => ({ label: KINDS[kind].label, mark: repositories[kind].mark }));
  throw new FormatError(
    `${name} is neither an exported ${first.label} nor a teacher pool${others.map(({ label }) => ` nor a ${label}`).join('')}.`,
    `A ${first.label}’s archive has a ${first.mark}${others.map(({ label, mark }) => `, a ${label}’s a ${mark}`).join('')}; a pool’s holds only .jsonl or .jsonl.gz files.`,
  );
}
