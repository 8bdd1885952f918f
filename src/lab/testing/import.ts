// Import of a dropped zip without a worker: records and the model that files are checked against.

import * as dropped from '../kinds/import.ts';
import { createRepositories } from '../kinds/repositories.ts';
import type { Imported } from '../protocol/kept.ts';
import type { BasisTarget } from '../records/bases.ts';
import type { Records } from '../records/records.ts';
import type { LabParts } from '../work/parts.ts';

export function importArchive(records: Records, file: Blob, name: string, target: BasisTarget): Promise<Imported> {
  const repositories = createRepositories({
    lab: async () => ({ records }) as LabParts,
    target: async () => target,
    isProbing: () => false,
  });
  return dropped.importArchive(repositories, records.pools, file, name);
}
