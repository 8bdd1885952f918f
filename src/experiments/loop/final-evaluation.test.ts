// Tests which adapter parameters each name of the final table stands for.
import { afterEach, describe, expect, it } from 'vitest';
import { layRows } from '../../algorithms/basis.ts';
import type { OptimizerState } from '../../algorithms/optimizer.ts';
import type { AdapterLayout } from '../../engine/types.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import type { Device } from '../../kernels/device.ts';
import { DeviceBases } from '../bases/bases.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { finalModels } from './final-evaluation.ts';

const layout: AdapterLayout = {
  modules: [
    { name: 'a', offset: 0, r: 2, dOut: 2, dIn: 2 },
    { name: 'b', offset: 2, r: 2, dOut: 2, dIn: 2 },
  ],
  total: 4,
};
const optimizer = {
  total: Float32Array.of(8, 7, 6, 5),
  hack: Float32Array.of(1, 0, 2, 0),
  shadows: { no_gate: Float32Array.of(0, 3, 0, 0), random_V: Float32Array.of(0, 0, 0, 4) },
} as unknown as OptimizerState;

let device: Device | undefined;
afterEach(() => device?.destroy());

async function modelsOf(spec: Pick<RunSpec, 'projection'>): Promise<Record<string, number[]>> {
  device = await createCpuDevice();
  // The run's own basis covers each module's first adapter parameter, the controls' basis its second.
  const [own, other] = [0, 1].map((axis) => {
    const row = Float32Array.of(0, 0);
    row[axis] = 1;
    return layRows(layout, [[row], [row]]);
  });
  const controls = (['no_gate', 'random_V'] as const).map((id) => ({
    spec: { id, gate: 'one_sided' } as unknown as RunSpec['shadows'][number],
    basis: other,
  }));
  const bases = new DeviceBases(device, layout, { own, shadows: controls });
  const models = await finalModels(optimizer, spec as RunSpec, bases, new Float32Array(layout.total));
  return Object.fromEntries(models.map(([name, adapterParams]) => [name, Array.from(adapterParams)]));
}

describe('the models of a finished run', () => {
  it('under route: the trained parameters, those without each quarantine, and the base steered by their part in V', async () => {
    expect(await modelsOf({ projection: 'route' })).toEqual({
      total: [8, 7, 6, 5],
      deployed: [7, 7, 4, 5],
      no_gate: [8, 4, 6, 5],
      random_V: [8, 7, 6, 1],
      steered_base: [7, 0, 4, 0],
    });
  });

  it.each(['none', 'erase'] as const)('under %s: the trained parameters alone', async (projection) => {
    expect(await modelsOf({ projection })).toEqual({ total: [8, 7, 6, 5] });
  });
});
