// Tests claims in a folder: one holder at a time, however many try at once; a vanished holder loses its claim, which is decided by
// unchanged heartbeats and not by wall clocks.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Silence } from './claims.ts';
import { folderClaims } from './folder.node.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'claims-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const TOKEN = 'a'.repeat(32);
/** Writes a claim as another process would leave it. */
function held(id: string, holder: { pid: number; host: string }, beat = '3 7') {
  writeFileSync(join(root, id), `${JSON.stringify({ token: TOKEN, worker: 'other', began: null, ...holder })}\n`);
  writeFileSync(join(root, `${id}.${TOKEN}.beat`), beat);
}

describe('silence', () => {
  it('is over one lease after the last change, by the observer’s clock', () => {
    const silence = new Silence(100);
    expect(silence.isOver('a', '1', 1e6)).toBe(false);
    expect(silence.isOver('a', '1', 1e6 + 99)).toBe(false);
    expect(silence.isOver('a', '2', 1e6 + 150)).toBe(false);
    expect(silence.isOver('a', '2', 1e6 + 249)).toBe(false);
    expect(silence.isOver('a', '2', 1e6 + 250)).toBe(true);
  });
});

describe('a claim', () => {
  it('goes to one of many concurrent workers, and after its release to the next', async () => {
    const all = Array.from({ length: 8 }, () => folderClaims(root));
    const won = (await Promise.all(all.map((claims) => claims.claim('run')))).filter((claim) => claim !== null);
    expect(won).toHaveLength(1);
    won[0].at(12);
    expect(await folderClaims(root).claim('run')).toBeNull();
    await won[0].release();
    expect(readdirSync(root)).toEqual([]);
    const next = await folderClaims(root).claim('run');
    expect(next?.id).toBe('run');
    await next?.release();
  });

  it('of an ended process on this machine is taken at once, and its step is reported', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    held('run', { pid, host: hostname() });
    expect(await folderClaims(root).holders()).toEqual([{ id: 'run', worker: 'other', step: 7, hasEnded: true }]);
    const lost: unknown[] = [];
    const both = [1, 2].map(() => folderClaims(root, { onLost: async (why) => void lost.push(why) }));
    const claims = (await Promise.all(both.map((one) => one.claim('run')))).filter((claim) => claim !== null);
    expect(claims).toHaveLength(1);
    expect(lost).toEqual([{ id: 'run', worker: 'other', step: 7, token: TOKEN }]);
    await claims[0].release();
  });

  it('of another machine is taken after a lease of silence, independently of wall clocks', async () => {
    held('run', { pid: 1, host: 'elsewhere' });
    let now = 0;
    const claims = folderClaims(root, { lease: 60_000, now: () => now });
    expect(await claims.claim('run')).toBeNull();
    // The holder's clock may be years off, since file times are never read.
    utimesSync(join(root, `run.${TOKEN}.beat`), new Date('2001-01-01'), new Date('2001-01-01'));
    now = 59_000;
    expect(await claims.claim('run')).toBeNull();
    writeFileSync(join(root, `run.${TOKEN}.beat`), '4 7');
    now = 61_000;
    expect(await claims.claim('run')).toBeNull();
    now = 120_999;
    expect(await claims.claim('run')).toBeNull();
    now = 121_000;
    const claim = await claims.claim('run');
    expect(claim).not.toBeNull();
    await claim?.release();
  });

  it('is held by beats while its process is busy, and reported as lost if another has it', async () => {
    const lease = 1500;
    const claim = await folderClaims(root, { lease }).claim('run');
    claim?.at(5);
    const [name] = readdirSync(root).filter((file) => file.endsWith('.beat'));
    const other = folderClaims(root, { lease });
    expect(await other.claim('run')).toBeNull();
    // Blocks the event loop for longer than a lease.
    for (const busy = performance.now() + lease + 200; performance.now() < busy; );
    expect(await other.claim('run')).toBeNull();
    expect(readFileSync(join(root, name), 'utf8').trim()).toMatch(/^\d+ 5$/);
    expect(claim?.isLost()).toBe(false);
    held('run', { pid: 1, host: 'elsewhere' });
    for (let tries = 0; tries < 500 && !claim?.isLost(); tries++) await setTimeout(20);
    expect(claim?.isLost()).toBe(true);
    await claim?.release();
    // A release does not touch another worker's files.
    expect(readdirSync(root).sort()).toEqual(['run', `run.${TOKEN}.beat`]);
  });

  it('of a running process is not taken', async () => {
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)']);
    try {
      held('run', { pid: child.pid as number, host: hostname() });
      expect(await folderClaims(root).claim('run')).toBeNull();
    } finally {
      child.kill();
    }
  });

  it('that is a broken link is refused at once', async () => {
    symlinkSync(join(root, 'nowhere'), join(root, 'run'));
    await expect(folderClaims(root).claim('run')).rejects.toThrow(/run is no file of the lab’s/);
  });

  it('that cannot be read can be taken after a lease', async () => {
    writeFileSync(join(root, 'run'), '{');
    let now = 0;
    const claims = folderClaims(root, { lease: 10, now: () => now });
    expect(await claims.claim('run')).toBeNull();
    now = 10;
    const claim = await claims.claim('run');
    expect(claim?.id).toBe('run');
    await claim?.release();
    await expect(claims.claim('../run')).rejects.toThrow(RangeError);
  });
});
