// A dropped zip without a worker: records and the model that files are checked against.
import type { LabParts } from '../handlers/parts.ts';
import { createRepositories } from '../kinds/repositories.ts';
import type { Imported } from '../protocol/kept.ts';
import type { BasisTarget } from '../records/bases.ts';
import * as dropped from '../records/import.ts';
import type { Records } from '../records/records.ts';

export function importArchive(records: Records, file: Blob, name: string, target: BasisTarget): Promise<Imported> {
  const repositories = createRepositories({
    lab: async () => ({ records }) as LabParts,
    target: async () => target,
    isProbing: () => false,
  });
  return dropped.importArchive(repositories, records.pools, file, name);
}
