// Tests that a folder has one writer at a time; a killed process's lock is reported and taken over, another machine's is not.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { holdFolder, InUseError, LOCK, whileHeld } from './lock.node.ts';

let root: string;
let notes: string[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'lock-'));
  notes = [];
});
afterEach(() => rmSync(root, { recursive: true, force: true }));
const hold = (folder = root) => holdFolder(folder, (line) => void notes.push(line));
const left = (holder: object | string) =>
  writeFileSync(join(root, LOCK), typeof holder === 'string' ? holder : JSON.stringify(holder));
const since = '2026-01-01T00:00:00.000Z';

describe('a folder', () => {
  it('has one writer at a time, whom an error names to the next; then it is free and empty', async () => {
    const release = await hold();
    expect(JSON.parse(readFileSync(join(root, LOCK), 'utf8'))).toMatchObject({ pid: process.pid, host: hostname() });
    const refused = await hold().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InUseError);
    expect((refused as InUseError).message).toContain(`process ${process.pid} on ${hostname()}`);
    await release();
    expect(readdirSync(root)).toEqual([]);
    await (await hold())();
    expect(notes).toEqual([]);
  });

  it('is locked by one of several simultaneous attempts, even after an abandoned lock', async () => {
    left({ pid: spawnSync(process.execPath, ['-e', '']).pid, host: hostname(), began: null, since });
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => hold()));
    const [won, ...others] = all.filter(({ status }) => status === 'fulfilled');
    expect([won?.status, others.length]).toEqual(['fulfilled', 0]);
    expect(notes).toHaveLength(1);
  });

  it('is unlocked if the work fails, and removed if it was created for that work', async () => {
    const made = join(root, 'new');
    const failing = whileHeld(
      made,
      () => {},
      async () => {
        expect(existsSync(join(made, LOCK))).toBe(true);
        throw new Error('broken');
      },
    );
    await expect(failing).rejects.toThrow('broken');
    expect(existsSync(made)).toBe(false);
  });
});

describe('a lock', () => {
  it('of an ended process is reported and taken over', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    left({ pid, host: hostname(), began: null, since });
    await (await hold())();
    expect(notes).toEqual([`${root} was left locked by process ${pid}, which has ended; it is taken over.`]);
    expect(readdirSync(root)).toEqual([]);
  });

  it('of a running process is respected, unless the process number was reused', async () => {
    const other = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)']);
    try {
      left({ pid: other.pid, host: hostname(), began: null, since });
      await expect(hold()).rejects.toThrow(`process ${other.pid} on ${hostname()}`);
      if (process.platform !== 'linux') return;
      left({ pid: other.pid, host: hostname(), began: '1', since });
      await (await hold())();
      left({ pid: process.pid, host: hostname(), began: '1', since });
      await (await hold())();
      expect(notes).toHaveLength(2);
    } finally {
      other.kill();
    }
  });

  it('of another machine is respected, and the error names the file to delete', async () => {
    left({ pid: 1, host: 'elsewhere.example', began: null, since });
    const refused = (await hold().catch((error: unknown) => error)) as InUseError;
    expect(refused.message).toContain('process 1 on elsewhere.example');
    expect(refused.remedy).toContain(join(root, LOCK));
    expect(existsSync(join(root, LOCK))).toBe(true);
  });

  it.skipIf(process.platform === 'win32')('that is a pipe or a broken link is refused at once', async () => {
    spawnSync('mkfifo', [join(root, LOCK)]);
    await expect(hold()).rejects.toThrow(/lab-lock is no file of the lab’s/);
    rmSync(join(root, LOCK));
    symlinkSync(join(root, 'nowhere'), join(root, LOCK));
    await expect(hold()).rejects.toThrow(/lab-lock is no file of the lab’s/);
  });

  it('that cannot be read is reported and taken over', async () => {
    for (const damaged of ['', '{"pid":', '{"pid":-1}', 'x'.repeat(100_000)]) {
      left(damaged);
      await (await hold())();
    }
    expect(notes).toHaveLength(4);
    expect(notes[0]).toContain('by a file that cannot be read');
  });
});
