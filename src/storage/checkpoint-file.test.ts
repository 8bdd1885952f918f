import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { layOutAdapter } from '../engine/adapter-layout.ts';
import type { AdapterLayout } from '../engine/types.ts';
import { readCheckpointFile, writeCheckpointFile } from './checkpoint-file.ts';
import { bytesSource, SafetensorsFile } from './safetensors.ts';
import { type TensorToWrite, writeSafetensors } from './safetensors-write.ts';

const layout: AdapterLayout = {
  modules: [
    { name: 'model.layers.0.self_attn.q_proj', offset: 0, r: 3, dOut: 3, dIn: 4 },
    { name: 'model.layers.0.mlp.up_proj', offset: 3, r: 2, dOut: 5, dIn: 2 },
  ],
  total: 5,
};
const read = (bytes: Uint8Array) => readCheckpointFile(bytesSource(bytes), layout, 'run.safetensors');

describe('checkpoint file', () => {
  it('reads back both adapter parameters bit for bit', async () => {
    const adapterParams = {
      deltaS: new Float32Array([1, -0, 3e-40, 0.1, 5]),
      deltaSHack: new Float32Array([0, 1, 2, 3, 4]),
    };
    const back = await read(writeCheckpointFile(layout, adapterParams, { step: '10' }));
    expect(back.metadata).toMatchObject({ step: '10' });
    expect(Object.is(back.deltaS[1], -0)).toBe(true);
    expect(back.deltaS).toEqual(adapterParams.deltaS);
    expect(back.deltaSHack).toEqual(adapterParams.deltaSHack);
  });

  it('reads a missing δS_hack as zeros, and refuses a missing or misshapen module', async () => {
    const q: TensorToWrite = { dtype: 'F32', shape: [3], data: new Float32Array(3) };
    const up: TensorToWrite = { dtype: 'F32', shape: [2], data: new Float32Array([7, 8]) };
    const back = await read(
      writeSafetensors(
        new Map([
          ['δS/model.layers.0.self_attn.q_proj', q],
          ['δS/model.layers.0.mlp.up_proj', up],
        ]),
      ),
    );
    expect([...back.deltaS]).toEqual([0, 0, 0, 7, 8]);
    expect([...back.deltaSHack]).toEqual([0, 0, 0, 0, 0]);
    await expect(read(writeSafetensors(new Map([['δS/model.layers.0.self_attn.q_proj', q]])))).rejects.toThrow(
      /no tensor/,
    );
    await expect(
      read(
        writeSafetensors(
          new Map([
            ['δS/model.layers.0.self_attn.q_proj', up],
            ['δS/model.layers.0.mlp.up_proj', up],
          ]),
        ),
      ),
    ).rejects.toThrow(/shape \[2\], this model needs \[3\]/);
  });

  it('detects every flipped bit that changes the result, and opens a file without a hash', async () => {
    const adapterParams = {
      deltaS: new Float32Array([1, -0, 3e-40, 0.1, 5]),
      deltaSHack: new Float32Array([0, 1, 2, 3, 4]),
    };
    const whole = writeCheckpointFile(layout, adapterParams, { step: '10' });
    let refused = 0;
    for (let bit = 0; bit < 8 * whole.length; bit++) {
      const bytes = whole.slice();
      bytes[bit >> 3] ^= 1 << (bit & 7);
      const back = await read(bytes).catch((error: unknown) => error);
      if (back instanceof FormatError) refused++;
      // The flipped bits are in the key of the hash: the file then has no hash, and is otherwise unchanged.
      else expect(back).toMatchObject({ ...adapterParams, metadata: { step: '10' } });
    }
    expect(8 * whole.length - refused).toBeLessThan(8 * 'file_sha256'.length);
  });

  it('refuses NaN', async () => {
    const adapterParams = { deltaS: new Float32Array([0, 0, Number.NaN, 0, 0]), deltaSHack: new Float32Array(5) };
    await expect(read(writeCheckpointFile(layout, adapterParams))).rejects.toThrow(/element 2 of deltaS is NaN/);
  });

  it('stores A and B of a LoRA and of its quarantine as separate matrices', async () => {
    const lora = layOutAdapter(layout.modules, { adapter: 'lora', loraRank: 2 });
    const deltaS = Float32Array.from({ length: lora.total }, (_, i) => i + 1);
    const deltaSHack = deltaS.map((x) => -x);
    const bytes = writeCheckpointFile(lora, { deltaS, deltaSHack });
    const file = await SafetensorsFile.open(bytesSource(bytes), 'run.safetensors');
    expect([...file.tensors.keys()].map((name) => name.split('/')[0]).sort()).toEqual(
      ['lora_A', 'lora_A_hack', 'lora_B', 'lora_B_hack'].flatMap((name) => [name, name]),
    );
    // The vector of q has 2 × 4 elements of A, then 3 × 2 of B; that of up has 2 × 2, then 5 × 2.
    expect(file.info('lora_A/model.layers.0.self_attn.q_proj').shape).toEqual([2, 4]);
    expect(file.info('lora_B/model.layers.0.self_attn.q_proj').shape).toEqual([3, 2]);
    expect([...(await file.readF32('lora_B/model.layers.0.self_attn.q_proj'))]).toEqual([9, 10, 11, 12, 13, 14]);
    expect([...(await file.readF32('lora_A_hack/model.layers.0.mlp.up_proj'))]).toEqual([-15, -16, -17, -18]);
    const back = await readCheckpointFile(bytesSource(bytes), lora, 'run.safetensors');
    expect(back.deltaS).toEqual(deltaS);
    expect(back.deltaSHack).toEqual(deltaSHack);
    await expect(read(bytes)).rejects.toThrow(/δS\/model.layers.0.self_attn.q_proj/);
    const other = layOutAdapter(layout.modules, { adapter: 'lora', loraRank: 1 });
    await expect(readCheckpointFile(bytesSource(bytes), other, 'x')).rejects.toThrow(
      /shape \[2,4\], this model needs \[1,4\]/,
    );
  });
});
