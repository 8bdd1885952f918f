// `download` against a server on this machine that speaks the Hub's HTTP: the folder is a model folder, a second call fetches nothing, a
// stopped one is continued, and other folders are left alone.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HubError } from '../../storage/errors.ts';
import { loadModelFiles } from '../../storage/model-files.ts';
import { type HubFiles, HubServer } from '../../storage/models/testing/hub-server.ts';
import { tinyCoder } from '../../storage/models/testing/models.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { helpText } from '../args.ts';
import { callCommand } from '../testing/call.ts';
import { download } from './download.ts';

const TINY = 'lab/tiny-coder';
let root: string;
let tiny: HubFiles;
let server: HubServer;
beforeAll(async () => {
  tiny = await tinyCoder();
});
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'download-'));
  server = await new HubServer().start();
  server.commit(TINY, tiny);
  process.env.HF_ENDPOINT = server.endpoint;
});
afterEach(async () => {
  await server.stop();
  await rm(root, { recursive: true, force: true });
});
afterAll(() => {
  delete process.env.HF_ENDPOINT;
  delete process.env.HF_TOKEN;
});

/** The printed text, and the lines on stderr. */
async function call(argv: string[], signal = new AbortController().signal, onLine?: (line: string) => void) {
  const { code, text, notes } = await callCommand(download, argv, { root, signal, ...(onLine && { onLine }) });
  expect(code).toBe(0);
  return { printed: text, notes: notes.join('\n') };
}

describe('download', () => {
  it('makes a folder that the other commands load, and says what is in it', async () => {
    const { printed, notes } = await call([TINY, '--json']);
    const said = JSON.parse(printed);
    const folder = join(root, '.cache/models/lab--tiny-coder');
    expect(said).toMatchObject({ repo: TINY, revision: 'main', folder });
    expect(said.fetchedBytes).toBe(said.files.reduce((sum: number, { bytes }: { bytes: number }) => sum + bytes, 0));
    const files = await loadModelFiles(diskSource(folder));
    expect(files.parameters).toBe(said.parameters);
    expect(said.files.at(-1)).toMatchObject({ path: 'model.safetensors', sha256: files.sha256 });
    expect(notes).toMatch(/layers of width \d+, 0\.9 M parameters; commit [0-9a-f]{40}\./);
    expect(notes).toMatch(/1\.73 MB; .* are free/);

    server.forget();
    const again = await call([TINY]);
    expect(again.printed).toMatch(/model\.safetensors {2}1\.71 MB\n.*lab--tiny-coder \(was here already\)$/);
    expect(server.served.get('model.safetensors') ?? 0).toBeLessThanOrEqual(128 * 2 ** 10);
  });

  it('stopped, keeps what came; the same command fetches the rest', async () => {
    const out = join(root, 'my model');
    const stop = new AbortController();
    const stopped = call([TINY, '--out', out], stop.signal, (line) => {
      if (line.startsWith('model.safetensors  18.1 kB of 1.73 MB')) stop.abort(new StoppedError());
    });
    await expect(stopped).rejects.toThrow(StoppedError);
    await expect(stopped).rejects.toHaveProperty('remedy', 'Start it again: it continues where it stopped.');
    expect(await readdir(out)).toContain('tokenizer.json');
    server.forget();
    const said = JSON.parse((await call([TINY, '--out', out, '--json'])).printed);
    expect(said).toMatchObject({ folder: out, fetchedBytes: tiny['model.safetensors'].bytes.length });
    expect(server.served.has('tokenizer.json')).toBe(false);
    expect(await readFile(join(out, 'model.safetensors'))).toHaveLength(tiny['model.safetensors'].bytes.length);
  });

  it('leaves folders of others, and of other models, alone', async () => {
    const out = join(root, 'taken');
    await mkdir(out);
    await writeFile(join(out, 'config.json'), '{}');
    await expect(call([TINY, '--out', out])).rejects.toThrow(/holds other files \(config\.json\)/);
    await expect(call([TINY, '--out', join(out, 'config.json')])).rejects.toThrow(SpecError);
    expect(await readFile(join(out, 'config.json'), 'utf8')).toBe('{}');
    await call([TINY, '--out', join(root, 'mine')]);
    server.commit('lab/other', tiny);
    await expect(call(['lab/other', '--out', join(root, 'mine')])).rejects.toThrow(
      /holds another model, lab\/tiny-coder/,
    );
  });

  it('takes revision, endpoint and token, and passes refusals on', async () => {
    const other = await new HubServer().start();
    try {
      const commit = other.commit('lab/elsewhere', tiny, 'v2');
      other.gate('lab/elsewhere', { gated: true });
      const argv = ['lab/elsewhere', '--endpoint', other.endpoint, '--json'];
      await expect(call(argv)).rejects.toThrow(/no such revision/);
      await expect(call([...argv, '--revision', 'v2'])).rejects.toThrow(HubError);
      process.env.HF_TOKEN = 'hf_accepted';
      const { printed, notes } = await call([...argv, '--revision', 'v2']);
      expect(JSON.parse(printed)).toMatchObject({ commit, folder: join(root, '.cache/models/lab--elsewhere--v2') });
      expect(printed + notes).not.toMatch(/hf_accepted/);
    } finally {
      delete process.env.HF_TOKEN;
      await other.stop();
    }
  });

  it('explains itself', () => {
    const help = helpText(download.usage);
    for (const word of ['REPO', '--revision', '--out', '--endpoint', 'HF_ENDPOINT', 'HF_TOKEN', '--json']) {
      expect(help).toContain(word);
    }
  });
});
