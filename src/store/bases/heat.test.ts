import { describe, expect, it } from 'vitest';
import type { BasisAxes } from '../../lab/protocol/bases.ts';
import { agreement, heatMap, placeOf } from './heat.ts';

const axes: BasisAxes = {
  id: 'x',
  modules: [
    {
      name: 'model.layers.0.self_attn.q_proj',
      r: 8,
      S: [4, 2],
      zero: [false, false],
      votes: { used: [6, 4], heldout: [2, 1] },
    },
    {
      name: 'model.layers.0.mlp.up_proj',
      r: 8,
      S: [1, 0],
      zero: [false, true],
      votes: { used: [5, null], heldout: [0, null] },
    },
    { name: 'model.layers.1.self_attn.q_proj', r: 8, S: [2], zero: [false], votes: null },
  ],
};

describe('heat map', () => {
  it('arranges modules by layer and kind, with a gap where a layer lacks one', () => {
    const map = heatMap(axes, { k: 2, dropBottomFrac: 0, scale: 'log' });
    expect(map.columns).toEqual(['q_proj', 'up_proj']);
    expect(map.width).toBe(2);
    expect(map.rows.map(({ label, cells }) => [label, cells.map((cell) => cell?.length ?? null)])).toEqual([
      ['layer 0', [2, 2]],
      ['layer 1', [1, null]],
    ]);
    expect(placeOf('lm_head')).toEqual({ row: 'lm_head', column: 'module' });
    expect(placeOf('model.layers.12.mlp.down_proj')).toEqual({ row: 'layer 12', column: 'down_proj' });
  });

  it('shades by the logarithm over all axes, or by the share of the module’s first axis', () => {
    const shades = (scale: 'log' | 'relative') =>
      heatMap(axes, { k: 2, dropBottomFrac: 0, scale }).rows.flatMap(({ cells }) =>
        cells.flatMap((cell) => cell?.map(({ shade }) => shade) ?? []),
      );
    expect(shades('log')).toEqual([1, 0.5, 0, 0, 0.5]);
    expect(shades('relative')).toEqual([1, 0.5, 1, 0, 1]);
  });

  it('counts the axes that a run keeps, and gives the reason for those that it drops', () => {
    const { counts, rows } = heatMap(axes, { k: 1, dropBottomFrac: 0.5, scale: 'log' });
    expect(counts).toEqual({ kept: 2, zeroed: 0, floor: 1, beyond: 2 });
    expect(rows[0].cells[1]?.map(({ fate }) => fate)).toEqual(['floor', 'beyond']);
  });

  it('sums the pairs’ votes per axis over the modules whose axis is not zeroed', () => {
    expect(agreement(axes, 6, 2)).toEqual([
      { axis: 0, modules: 2, used: 11 / 12, heldout: 0.5 },
      { axis: 1, modules: 1, used: 4 / 6, heldout: 0.5 },
    ]);
    expect(agreement(axes, 6, 0)[0].heldout).toBeNull();
    expect(agreement({ id: 'x', modules: [axes.modules[2]] }, 6, 2)).toEqual([]);
  });
});
