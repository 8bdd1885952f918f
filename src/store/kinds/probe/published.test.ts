// Tests published probes as the page reads them: by their index, all of them or none.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { CHECKS } from '../../../experiments/kinds/probe/types.ts';
import { loadPublishedProbes } from './probe.ts';

const part = {
  checks: CHECKS.map((id) => ({ id, outcome: 'pass', figures: { t: 1 } })),
  cos: { vanilla: [], projected: [] },
  trajectory: null,
};
const series = (source: string) => ({
  schema: 1,
  source,
  command: 'npm run lab -- probe',
  app: '1',
  device: 'CPU',
  modelSha256: 'ab',
  problems: 20,
  samples: 160,
  seeds: [{ seed: 41, svd: part, lora: null }],
});

/** A server with these files below `results/probe/`. */
function server(files: Record<string, unknown>) {
  const asked: string[] = [];
  const get = async (url: string) => {
    asked.push(url);
    const [, name] = /^https:\/\/lab\.test\/sub\/results\/probe\/(.+)$/.exec(url) ?? [];
    const body = files[name ?? ''];
    return body === undefined ? new Response('', { status: 404 }) : new Response(JSON.stringify(body));
  };
  return { asked, read: () => loadPublishedProbes('https://lab.test/sub/index.html', get) };
}

describe('published probes', () => {
  it('are read in the order of the index', async () => {
    const index = { schema: 1, files: ['b.json', 'a.json'] };
    const { read, asked } = server({ 'index.json': index, 'a.json': series('first'), 'b.json': series('second') });
    expect((await read()).map(({ source }) => source)).toEqual(['second', 'first']);
    expect(asked).toHaveLength(3);
  });

  it('are absent if there is no index, or if a development server answers with the page', async () => {
    expect(await server({}).read()).toEqual([]);
    const page = new Response('<html>', { headers: { 'content-type': 'text/html' } });
    expect(await loadPublishedProbes('https://lab.test/', async () => page)).toEqual([]);
  });

  it('are all refused if one is missing, damaged, or named by a path', async () => {
    const refused = async (files: Record<string, unknown>, what: RegExp) => {
      const error = await server(files)
        .read()
        .then(
          () => null,
          (reason: unknown) => reason,
        );
      expect(error).toBeInstanceOf(FormatError);
      expect(String(error)).toMatch(what);
    };
    const index = { schema: 1, files: ['a.json'] };
    await refused({ 'index.json': index }, /a\.json could not be loaded \(404\)/);
    await refused({ 'index.json': index, 'a.json': { ...series('x'), schema: 2 } }, /results\/probe\/a\.json: schema/);
    await refused({ 'index.json': { schema: 1, files: ['../index.json'] } }, /index\.json: files\.0 is invalid/);
  });
});
