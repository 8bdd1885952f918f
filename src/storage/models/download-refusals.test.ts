// Error messages when a model cannot be downloaded: refused by the Hub, no network or no room, or unsupported by the lab.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it, vi } from 'vitest';
import { HubError } from '../errors.ts';
import { StorageError } from '../kv.ts';
import { type DownloadOptions, downloadModel } from './download.ts';
import { get, options, server, TINY, tiny, WEIGHTS, waits, withHub } from './testing/hub.ts';
import { plain } from './testing/hub-server.ts';
import { MemoryModelStore } from './testing/memory.ts';
import { sharded } from './testing/models.ts';

withHub();

describe('a refusal', () => {
  const refusal = async (more: DownloadOptions = {}, repo = TINY, revision = 'main') => {
    const store = new MemoryModelStore();
    const error = await downloadModel(store, repo, revision, options(more)).catch((caught) => caught);
    expect(error).toHaveProperty('remedy');
    expect(await store.list()).toEqual([]);
    return error;
  };

  it('names a missing repository or revision', async () => {
    expect(await refusal({}, 'lab/none')).toMatchObject({ status: 401, message: /no such public repository/ });
    const token = 'hf_other';
    expect(await refusal({ accessToken: token }, 'lab/none')).toMatchObject({ status: 404 });
    const revision = await refusal({}, TINY, 'v9');
    expect(revision).toMatchObject({ status: 404 });
    expect(revision.message).toMatch(/no such revision/);
  });

  it('names what a gated or private model requires, and never the token', async () => {
    server.gate(TINY, { gated: true });
    const stranger = await refusal();
    expect(stranger).toBeInstanceOf(HubError);
    expect(stranger.message).toMatch(/gated, and it needs an access token \(status 401/);
    const other = await refusal({ accessToken: 'hf_otherSecret' });
    expect(other.message).toMatch(/gated, and this access token has no right to it \(status 403/);
    expect(`${other.message}${other.remedy}${other.stack}`).not.toMatch(/otherSecret/);
    const store = new MemoryModelStore();
    expect((await get(store, { accessToken: 'hf_accepted' })).complete).toBe(true);
    // The token goes to the Hub, but not to the host to which it redirects.
    expect(server.asked.filter(({ isCdn }) => isCdn).every(({ authorization }) => authorization === null)).toBe(true);
    expect(server.asked.filter(({ isCdn }) => !isCdn).some(({ authorization }) => authorization !== null)).toBe(true);
    expect(JSON.stringify(await store.list())).not.toMatch(/hf_/);
    server.gate(TINY, { gated: false, token: 'hf_owner' });
    expect((await refusal({ accessToken: 'hf_other' })).message).toMatch(
      /access token is refused, or there is no such/,
    );
  });

  it('explains Firefox’s failure after a redirect of a request with a token', async () => {
    server.gate(TINY, { gated: true });
    vi.stubGlobal('location', { href: 'http://localhost/' });
    waits.length = 0;
    const asked: string[] = [];
    // Firefox 153 behaves like this if the second host does not answer OPTIONS; it was tested with two servers.
    const firefox: typeof fetch = async (input, init) => {
      const response = await fetch(input, { ...init, redirect: 'manual' });
      if (response.status < 300 || response.status > 399) return response;
      asked.push(init?.redirect ?? 'follow');
      if (init?.redirect !== 'manual') throw new TypeError('NetworkError when attempting to fetch resource.');
      return Object.defineProperty(new Response(null), 'type', { value: 'opaqueredirect' });
    };
    const error = await refusal({ accessToken: 'hf_accepted', fetch: firefox });
    vi.unstubAllGlobals();
    expect(error.message).toMatch(/redirects to another host for .*with an access token Firefox asks that host/);
    expect(error.remedy).toMatch(/Chrome, Edge or Safari/);
    expect([asked, waits]).toEqual([['follow', 'manual', 'follow', 'manual'], [500]]);
  });

  it('follows a wait as long as the server asks, up to a limit', async () => {
    const store = new MemoryModelStore();
    server.apiFaults.push({ kind: 'status', status: 429, retryAfter: '7' });
    await get(store);
    expect(waits).toEqual([7000]);
    server.apiFaults.push({ kind: 'status', status: 429, retryAfter: '3600' });
    const busy = await refusal();
    expect(busy).toBeInstanceOf(HubError);
    expect(busy).toMatchObject({ status: 429 });
    expect(busy.message).toMatch(/accepts no more requests from here for now \(status 429, and asks to wait 3600 s\)/);
    server.apiFaults.push(...Array.from({ length: 6 }, () => ({ kind: 'status', status: 502 }) as const));
    expect((await refusal()).message).toMatch(/answered with status 502 for the Hub, 6 times in a row/);
  });

  it('reports a missing network', async () => {
    const { endpoint } = server;
    await server.stop();
    const offline = await refusal({ endpoint });
    expect(offline).toBeInstanceOf(HubError);
    expect(offline).toMatchObject({ status: null });
    expect(offline.message).toMatch(/127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)/);
    expect(waits).toEqual([500, 1000]);
  });

  it('covers sizes beyond any model’s: a file of 10^15 bytes, a text of gigabytes, endless metadata', async () => {
    server.claimed.set(WEIGHTS, 1e15);
    expect((await refusal()).message).toMatch(/"model\.safetensors" is said to have [\d,.]+ \w+\.$/);
    server.claimed.clear();
    server.commit('lab/sharded', { ...tiny, 'model.safetensors.index.json': plain('{}') });
    server.claimed.set('model.safetensors.index.json', 2 ** 33);
    expect((await refusal({}, 'lab/sharded')).message).toMatch(/index\.json is said to have 8589934592 bytes/);
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 2 ** 20;
        controller.enqueue(new Uint8Array(2 ** 20));
      },
    });
    const pouring = await refusal({ fetch: async () => new Response(endless) });
    expect(pouring).toBeInstanceOf(HubError);
    expect(pouring.message).toMatch(/more than 33554432 bytes of metadata/);
    expect(sent).toBeLessThan(2 ** 26);
    const first = { type: 'file', path: 'a', size: 1, oid: '0'.repeat(40) };
    const pages: typeof fetch = async (url) => {
      if (!String(url).includes('/tree/'))
        return Response.json({ _id: '1', id: TINY, sha: '0'.repeat(40), lastModified: '2026-01-01' });
      const headers = { link: `<${server.endpoint}/api/models/${TINY}/tree/x?cursor=1>; rel="next"` };
      return Response.json(
        Array.from({ length: 10_000 }, () => first),
        { headers },
      );
    };
    expect((await refusal({ fetch: pages })).message).toMatch(/has more than 100000 files/);
  });

  it('names an endpoint that is not a Hub', async () => {
    const page = () => Promise.resolve(new Response('<html>Welcome</html>'));
    expect((await refusal({ fetch: page })).message).toMatch(/its metadata cannot be understood/);
    const odd = () => Promise.resolve(Response.json({ sha: 'short', lastModified: 0 }));
    expect((await refusal({ fetch: odd })).message).toMatch(/its metadata cannot be understood \(sha: /);
  });

  it('comes before anything but headers is fetched if there is no room', async () => {
    const store = new MemoryModelStore({ room: 1_000_000 });
    const full = await get(store).catch((error) => error);
    expect(full).toBeInstanceOf(StorageError);
    expect(full.message).toBe('lab/tiny-coder needs 1.73 MB more, and there is room for 1.00 MB.');
    expect(await store.list()).toEqual([]);
    expect(server.served.get(WEIGHTS)).toBe(128 * 2 ** 10);
  });

  it('says why a model is not supported', async () => {
    const { [WEIGHTS]: _, ...unsafe } = tiny;
    server.commit('lab/bin', unsafe);
    expect((await refusal({}, 'lab/bin')).message).toMatch(
      /neither model\.safetensors nor .*, only pytorch_model\.bin/,
    );
    server.commit('lab/mamba', { ...tiny, 'config.json': plain('{"model_type": "mamba"}') });
    expect((await refusal({}, 'lab/mamba')).message).toMatch(/mamba/);
    const { 'model-00002-of-00003.safetensors': __, ...short } = sharded();
    server.commit('lab/short', short);
    expect((await refusal({}, 'lab/short')).message).toMatch(
      /names "model-00002-of-00003\.safetensors", which is not there/,
    );
  });

  it.each([
    ['../x', 'main'],
    ['a/b/c', 'main'],
    ['a b', 'main'],
    ['a..b/c', 'main'],
    ['a/b', ''],
    ['a/b', '../main'],
  ])('of the name %j at %j', async (repo, revision) => {
    expect(await refusal({}, repo, revision)).toBeInstanceOf(SpecError);
    expect(server.asked).toEqual([]);
  });

  it('names a malformed endpoint or token', async () => {
    for (const endpoint of ['hub', 'ftp://hub', 'https://me:secret@hub', 'https://hub/?x']) {
      const error = await refusal({ endpoint });
      expect(error).toBeInstanceOf(SpecError);
      expect(error.message).not.toMatch(/secret/);
    }
    const error = await refusal({ accessToken: 'sk-Secret' });
    expect(error).toBeInstanceOf(SpecError);
    expect(`${error.message}${error.remedy}`).not.toMatch(/Secret/);
  });
});
