// Tests a link's model named by its hash: every embedded model by its manifest, stored shards by their record.
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { EMBEDDED_MODELS } from '../../experiments/config/preset-in.ts';
import { loadModelFiles } from '../../storage/model-files.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { sha256 } from '../../storage/sources.ts';
import { modelNamed } from './named.ts';

const folder = (id: string) => diskSource(fileURLToPath(new URL(`../../../public/models/${id}`, import.meta.url)));

it('names every embedded model by the hash in its runs', async () => {
  for (const id of EMBEDDED_MODELS) {
    const { sha256: own } = await loadModelFiles(folder(id));
    expect(await modelNamed(own, folder, [])).toBe(id);
  }
});

it('names stored shards by the hash of all of them, not by a single one', async () => {
  const [a, b] = ['a'.repeat(64), 'b'.repeat(64)];
  const file = (path: string, hash: string) => ({ path, bytes: 1, sha256: hash });
  const files = [file('model-2-of-2.safetensors', b), file('model-1-of-2.safetensors', a), file('config.json', b)];
  const kept = [{ id: 'two', origin: { kind: 'folder' as const, name: 'two' }, files, complete: true, createdAt: 0 }];
  const whole = await sha256(new TextEncoder().encode(`${a}\n${b}`));
  expect(await modelNamed(whole, () => undefined, kept)).toBe('two');
  expect(await modelNamed(a, () => undefined, kept)).toBeNull();
});
