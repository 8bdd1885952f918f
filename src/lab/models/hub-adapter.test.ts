// Tests an adapter by its id on the Hub, through the worker's own handlers, from a local server with the Hub's HTTP interface: only its two
// files are fetched, the loaded model is then named after both and answers differently; an adapter that cannot be applied leaves the model
// unchanged.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { linearShape } from '../../engine/weight-names.ts';
import { HubServer, lfs, plain } from '../../storage/models/testing/hub-server.ts';
import { writeSafetensors } from '../../storage/safetensors-write.ts';
import { TEST_MODEL } from '../testing/lab.ts';
import { closeTestWorkers, openTestWorker } from '../testing/worker.ts';

let hub: HubServer;
beforeEach(async () => {
  hub = await new HubServer().start();
});
afterEach(async () => {
  closeTestWorkers();
  await hub.stop();
});

const MODULE = 'model.layers.0.self_attn.q_proj';
const config = (base: string) =>
  plain(
    JSON.stringify({
      peft_type: 'LORA',
      r: 2,
      lora_alpha: 2,
      target_modules: ['q_proj'],
      base_model_name_or_path: base,
    }),
  );
function tensors(width: number): Uint8Array {
  const [dOut, dIn] = linearShape(TEST_MODEL, 'q_proj');
  const tensor = (shape: [number, number], at: number) =>
    ({
      dtype: 'F32',
      shape,
      data: Float32Array.from({ length: shape[0] * shape[1] }, (_, i) => Math.sin(i + at)),
    }) as const;
  return writeSafetensors(
    new Map([
      [`base_model.model.${MODULE}.lora_A.weight`, tensor([2, dIn + width], 1)],
      [`base_model.model.${MODULE}.lora_B.weight`, tensor([dOut, 2], 5)],
    ]),
  ) as Uint8Array;
}

it('is folded into the loaded model, and nothing else is fetched', async () => {
  const others = { 'README.md': plain('read by nobody'), 'optimizer.bin': lfs(new Uint8Array(1000)) };
  hub.commit('lab/hacker', {
    'adapter_config.json': config('m'),
    'adapter_model.safetensors': lfs(tensors(0)),
    ...others,
  });
  hub.commit('lab/other', { 'adapter_config.json': config('m'), 'adapter_model.safetensors': lfs(tensors(3)) });
  const worker = await openTestWorker();
  const before = worker.equipment.current!.model;
  const adapt = (repo: string | null) =>
    worker.ask('adaptModel', {
      task: 'a',
      adapter: repo === null ? null : { kind: 'hub', repo, revision: 'main', endpoint: hub.endpoint },
    });

  const adapted = await adapt('lab/hacker');
  expect(adapted).toMatchObject({
    id: `${before.id}+lab--hacker`,
    adapter: { r: 2, modules: 1, scale: 1, base: 'm', folder: 'lab/hacker' },
  });
  expect(adapted.sha256).not.toBe(before.sha256);
  const fetched = hub.asked.map(({ url }) => url).filter((url) => url.includes('/resolve/'));
  expect(new Set(fetched.map((url) => url.split('/').at(-1)))).toEqual(
    new Set(['adapter_config.json', 'adapter_model.safetensors']),
  );
  const told = worker.events.flatMap((event) => (event.type === 'model' && event.inBytes ? [event.what] : []));
  expect(told).toContain('fetching the adapter');

  await expect(adapt('lab/other')).rejects.toThrow(/lora_A of .*q_proj/);
  await expect(adapt('lab/none')).rejects.toThrow(/lab\/none/);
  expect(worker.equipment.current!.model.id).toBe(adapted.id);
  expect((await adapt(null)).sha256).toBe(before.sha256);
});
