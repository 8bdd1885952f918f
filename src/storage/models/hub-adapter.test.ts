// Tests an adapter on the Hub: two files of one commit, the tensors fetched once by ranges and checked against the Hub's hash.
import { describe, expect, it } from 'vitest';
import { fileSha256 } from '../sources.ts';
import { hubAdapterName, openHubAdapter } from './hub-adapter.ts';
import { options, server, withHub } from './testing/hub.ts';
import { lfs, plain } from './testing/hub-server.ts';

withHub();

const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => i % 251);
const commit = () =>
  server.commit('lab/hacker', {
    'adapter_config.json': plain('{"peft_type": "LORA"}'),
    'adapter_model.safetensors': lfs(bytes),
    'README.md': plain('nothing of it is read'),
  });

describe('an adapter of the Hub', () => {
  it('is fetched once, by ranges, with progress reports', async () => {
    commit();
    const seen: number[] = [];
    const onBytes = (done: number, total: number) => void seen.push(done, total);
    const source = await openHubAdapter('lab/hacker', 'main', { ...options(), onBytes });
    expect(source.label).toBe('lab/hacker');
    expect(await (await source.read('adapter_config.json'))!.text()).toBe('{"peft_type": "LORA"}');
    expect(await source.read('README.md')).toBeNull();
    const [one, other] = [
      await source.read('adapter_model.safetensors'),
      await source.read('adapter_model.safetensors'),
    ];
    expect(other).toBe(one);
    expect(await fileSha256(one!)).toBe(await fileSha256(new Blob([bytes])));
    expect(seen).toEqual([bytes.length, bytes.length]);
    expect(server.asked.every(({ url }) => !url.endsWith('README.md'))).toBe(true);
  });

  it('is refused if its bytes differ from the Hub’s hash', async () => {
    commit();
    const source = await openHubAdapter('lab/hacker', 'main', options());
    server.fail('adapter_model.safetensors', { kind: 'corrupt' });
    await expect(source.read('adapter_model.safetensors')).rejects.toThrow(/another sha-256 than the Hub says/);
  });

  it('may have a revision in its name', () => {
    expect(hubAdapterName('lab/hacker')).toEqual({ repo: 'lab/hacker', revision: 'main' });
    expect(hubAdapterName('lab/hacker@checkpoint-20')).toEqual({ repo: 'lab/hacker', revision: 'checkpoint-20' });
    for (const path of ['hacker', './lab/hacker', '/lab/hacker', 'a/b/c', 'lab/hacker@'])
      expect(hubAdapterName(path)).toBeNull();
  });
});
