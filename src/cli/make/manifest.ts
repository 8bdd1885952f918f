// The manifest of a model that is made here: its training, its measured rates, and the size and sha-256 of its files.
import { join } from 'node:path';
import { setOwn } from '@projected-grpo-lab/base/own.ts';
import { diskFile } from '../../storage/sources.node.ts';
import { sha256 } from '../../storage/sources.ts';
import { writeWhole } from '../ports.node.ts';

/** `names`: its files, of which missing ones are left out. */
export async function writeManifest<About extends object>(out: string, about: About, names: readonly string[]) {
  const files: Record<string, { bytes: number; sha256: string }> = {};
  for (const name of names) {
    const file = await diskFile(join(out, name));
    if (file) setOwn(files, name, { bytes: file.size, sha256: await sha256(file) });
  }
  const manifest = { schema: 1, ...about, files };
  await writeWhole(join(out, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}
