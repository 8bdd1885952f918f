// `svd`: factors are kept by method, found again, and checked; progress shows the time left; a stop keeps finished factors.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCommand } from '../testing/call.ts';
import { svd } from './svd.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svd-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function call(argv: string[], signal = new AbortController().signal, onLine?: (text: string) => void) {
  const all = ['--device', 'cpu', '--cache', join(folder, 'kept'), ...argv];
  const { code, text, notes } = await callCommand(svd, all, { root, signal, ...(onLine && { onLine }) });
  return { code, printed: text, notes: notes.join('\n') };
}

interface Report {
  modules: { module: string; dOut: number; dIn: number; rank: number; error: number; found: boolean }[];
}

describe('svd of the embedded model', () => {
  it('stops on Ctrl-C and goes on from what is kept', async () => {
    const stop = new AbortController();
    const lines: string[] = [];
    const work = call([], stop.signal, (line) => {
      lines.push(line);
      if (/^singular vectors 2\d%/.test(line)) stop.abort();
    });
    await expect(work).rejects.toThrow(StoppedError);
    expect(lines[0]).toMatch(/^singular vectors 0% {2}model\.layers\.0\.self_attn\.q_proj$/);
    expect(lines.at(-1)).toMatch(/ {2}ETA \d+ s$/);
    const kept = await readdir(join(folder, 'kept'));
    expect(kept.length).toBeGreaterThan(3);
    const { code, notes } = await call([]);
    expect(code).toBe(0);
    expect(notes).toContain(`${kept.length} of 28 Linears were in ${join(folder, 'kept')}`);
  });

  it('by blocks has files and errors of its own', async () => {
    const { code, printed } = await call(['--method', 'blocks', '--json']);
    const { modules } = JSON.parse(printed) as Report;
    expect([code, modules.length, modules.some(({ found }) => found)]).toEqual([0, 28, false]);
    for (const { rank, dOut, dIn, error } of modules) {
      expect(rank).toBe(Math.min(dOut, dIn));
      expect(error).toBeLessThan(5e-6);
    }
    expect((await readdir(join(folder, 'kept'))).filter((name) => name.includes('.blocks.'))).toHaveLength(28);
    const again = JSON.parse((await call(['--method', 'blocks', '--json'])).printed) as Report;
    expect(again.modules.map(({ found: _, ...rest }) => rest)).toEqual(modules.map(({ found: _, ...rest }) => rest));
    expect(again.modules.every(({ found }) => found)).toBe(true);
  });

  it('fails, naming the Linear and a way out, where kept factors do not give the weights back', async () => {
    const kept = join(folder, 'kept');
    const { modules } = JSON.parse((await call(['--json'])).printed) as Report;
    const [name] = (await readdir(kept)).filter((file) => !file.includes('.blocks.')).sort();
    const bytes = await readFile(join(kept, name));
    // These bytes are the last row of Vh.
    for (let at = bytes.length - 256; at < bytes.length; at += 4) bytes.writeFloatLE(0.5, at);
    await writeFile(join(kept, name), bytes);
    const { code, printed, notes } = await call(['--json']);
    const found = (JSON.parse(printed) as Report).modules;
    const bad = found.filter(({ error }, i) => error !== modules[i].error);
    expect([code, bad.length]).toEqual([1, 1]);
    expect(bad[0].error).toBeGreaterThan(1e-5);
    expect(notes).toContain(`1 of 28 Linears have an error above 1e-5`);
    expect(notes).toContain(bad[0].module);
    expect(notes).toMatch(/--method blocks or --device cpu/);
  });
});
