import { describe, expect, it } from 'vitest';
import type { KnobLayout } from '../engine/types.ts';
import { readCheckpointFile, writeCheckpointFile } from './checkpoint-file.ts';
import { bytesSource, type TensorToWrite, writeSafetensors } from './safetensors.ts';

const layout: KnobLayout = {
  modules: [
    { name: 'model.layers.0.self_attn.q_proj', offset: 0, r: 3, dOut: 3, dIn: 4 },
    { name: 'model.layers.0.mlp.up_proj', offset: 3, r: 2, dOut: 5, dIn: 2 },
  ],
  total: 5,
};
const read = (bytes: Uint8Array) => readCheckpointFile(bytesSource(bytes), layout, 'run.safetensors');

describe('checkpoint file', () => {
  it('reads back both knobs bit for bit', async () => {
    const knobs = { deltaS: new Float32Array([1, -0, 3e-40, 0.1, 5]), deltaSHack: new Float32Array([0, 1, 2, 3, 4]) };
    const back = await read(writeCheckpointFile(layout, knobs, { step: '10' }));
    expect(back.metadata).toEqual({ step: '10' });
    expect(Object.is(back.deltaS[1], -0)).toBe(true);
    expect(back.deltaS).toEqual(knobs.deltaS);
    expect(back.deltaSHack).toEqual(knobs.deltaSHack);
  });

  it('takes a missing δS_hack as zeros, and refuses a missing or misshapen module', async () => {
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

  it('refuses NaN', async () => {
    const knobs = { deltaS: new Float32Array([0, 0, Number.NaN, 0, 0]), deltaSHack: new Float32Array(5) };
    await expect(read(writeCheckpointFile(layout, knobs))).rejects.toThrow(/element 2 of deltaS is NaN/);
  });
});
