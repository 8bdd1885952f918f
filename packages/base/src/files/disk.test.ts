// Tests that an error of the file system becomes a sentence with the file's name, and no partial file remains.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LabError, StorageError } from '../errors.ts';
import { clearParts, diskError, makeFolder, writeWhole } from './disk.node.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'disk-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));
const at = (...names: string[]) => join(root, ...names);

const refused = (code: string) => Object.assign(new Error(code), { code, syscall: 'open', path: '/a/b' });

describe('the disk', () => {
  it.each(['ENOSPC', 'EDQUOT', 'EACCES', 'EROFS', 'ENOENT', 'EIO', 'ESTALE'])('reports %s in a sentence', (code) => {
    const error = diskError(refused(code), '/out/x') as LabError;
    expect(error).toBeInstanceOf(StorageError);
    expect(error.message).toMatch(new RegExp(`^/out/x cannot be written: .+ \\(${code}\\)\\.$`));
    expect(error.remedy.length).toBeGreaterThan(20);
  });

  it('leaves other errors unchanged', () => {
    for (const error of [new TypeError('x'), new LabError('a', 'b'), Object.assign(new Error('x'), { code: 'ERR_X' })])
      expect(diskError(error)).toBe(error);
  });

  it('creates folders, and fails without looping if none can be created', async () => {
    await makeFolder(at('a', 'b', 'c'));
    await makeFolder(at('a', 'b', 'c'));
    expect(existsSync(at('a', 'b', 'c'))).toBe(true);
    writeFileSync(at('file'), '');
    await expect(makeFolder(at('file', 'x', 'y'))).rejects.toThrow(/file.*ENOTDIR|EEXIST/);
    await expect(makeFolder(at('file'))).rejects.toThrow(/EEXIST/);
  });

  // Node's own recursive mkdir would never end on this path.
  it.skipIf(process.platform !== 'linux')('ends below /proc', async () => {
    await expect(makeFolder('/proc/none/deeper')).rejects.toThrow(
      /^\/proc\/none\/deeper cannot be written: .*\(ENOENT\)\.$/,
    );
    await expect(writeWhole('/proc/none/deeper/a', 'x')).rejects.toBeInstanceOf(StorageError);
  });

  it('writes complete files, keeps the previous one on request, and cleans up after a failure', async () => {
    await writeWhole(at('deep', 'a'), 'one');
    await writeWhole(at('deep', 'a'), 'two', at('deep', 'a-previous'));
    expect(readFileSync(at('deep', 'a'), 'utf8')).toBe('two');
    expect(readFileSync(at('deep', 'a-previous'), 'utf8')).toBe('one');
    mkdirSync(at('deep', 'folder', 'x'), { recursive: true });
    await expect(writeWhole(at('deep', 'folder'), 'three')).rejects.toBeInstanceOf(StorageError);
    expect(readdirSync(at('deep'))).toEqual(['a', 'a-previous', 'folder']);
  });

  it('removes partial files of ended processes, and no others', async () => {
    const { pid: gone } = spawnSync(process.execPath, ['-e', '']);
    mkdirSync(at('below'));
    for (const name of [`.a.${gone}.part`, `.b.${process.ppid}.part`, `.c.${process.pid}.part`, 'd.part', 'e'])
      writeFileSync(at('below', name), 'x');
    await clearParts(root);
    expect(readdirSync(at('below'))).toEqual([`.b.${process.ppid}.part`, `.c.${process.pid}.part`, 'd.part', 'e']);
  });
});
