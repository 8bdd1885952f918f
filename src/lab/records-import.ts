// A dropped zip: an experiment that another lab exported, a probe, or a teacher pool with one file per prompt.
import { FormatError } from '../lib/errors.ts';
import { hasManifest, LIMITS, readArchive, unzipChecked } from '../storage/run-archive.ts';
import { isProbe, readProbe } from './probe-file.ts';
import type { Imported } from './protocol.ts';
import { type BasisTarget, type Records, summaryOf } from './records.ts';
import { unpackExperiment } from './records-archive.ts';
import { readPoolFiles } from './records-pools.ts';

const POOL_FILE = /\.jsonl(\.gz)?$/;

/** Throws FormatError for anything else, before anything is kept. */
export async function importArchive(
  records: Records,
  file: Blob,
  name: string,
  target: BasisTarget,
): Promise<Imported> {
  if (file.size > LIMITS.archiveBytes)
    throw new FormatError(
      `${name} has ${file.size} bytes; ${LIMITS.archiveBytes} are allowed.`,
      'Take a smaller archive.',
    );
  const files = unzipChecked(new Uint8Array(await file.arrayBuffer()), name);
  if (hasManifest(files)) {
    const archive = readArchive(files, name);
    const record = await records.importExperiment(await unpackExperiment(archive.files, name, target), target);
    return { kind: 'experiment', summary: summaryOf(record) };
  }
  if (isProbe(files)) {
    return { kind: 'probe', record: await records.probes.add(await readProbe(files, name)) };
  }
  const names = [...files.keys()];
  if (names.length > 0 && names.every((entry) => POOL_FILE.test(entry))) {
    const parts = names.sort().map((entry) => ({ name: entry, file: new Blob([files.get(entry)!]) }));
    return { kind: 'pool', report: await records.pools.importFile(await readPoolFiles(parts), name) };
  }
  throw new FormatError(
    `${name} is neither an exported run nor a teacher pool nor a probe.`,
    'A run’s archive has a manifest.json, a probe’s a report.json; a pool’s holds .jsonl or .jsonl.gz files alone.',
  );
}
