// Runs of a packed batch's rows, as the kernels of linear layers take them (kernels/contract/delta.ts): a prompt
// is a run of rows, and each of its sequences is another run that starts from the prompt's state. State slots are in
// the order of the runs' rows, so that a prompt's slot is followed by those of its sequences.
import { NONE, RUN_WORDS } from '../../kernels/contract/delta.ts';
import type { DeviceBuffer } from '../../kernels/device.ts';
import type { Packed } from './packing.ts';

/** Runs of one kernel call, none of which starts from the state of another. */
export interface RunCall {
  count: number;
  runOff: number;
}

/** Runs of a pass on the device. */
export interface RunMeta {
  /** [runs, RUN_WORDS] */
  table: DeviceBuffer;
  /** Calls in forward order. */
  calls: readonly RunCall[];
  /** A layer's states S [slots, valueHeads, keyDim, valueDim], and the convolution's last input rows
   *  [slots, convWidth − 1, channels]. */
  statesOf(layer: number): { states: DeviceBuffer; past: DeviceBuffer };
}

/** Runs of a packed batch, prompts before their sequences: table [runs, RUN_WORDS], and the number of state slots. */
export function runsOf({ rows, ranges }: Pick<Packed, 'rows' | 'ranges'>): {
  table: Uint32Array;
  calls: RunCall[];
  slots: number;
} {
  const found: { from: number; to: number; parent: number; children: number }[] = [];
  const byFirstRow = new Map<number, number>();
  for (let row = 0; row < rows; row++) {
    const [prefixFrom, prefixTo, from] = ranges.subarray(row * 4, row * 4 + 3);
    if (row === from) {
      const parent = prefixTo > prefixFrom ? byFirstRow.get(prefixFrom)! : -1;
      if (parent >= 0) found[parent].children++;
      byFirstRow.set(row, found.length);
      found.push({ from: row, to: row, parent, children: 0 });
    }
    found[found.length - 1].to = row + 1;
  }
  const order = found.map((_, i) => i).sort((a, b) => level(found[a]) - level(found[b]) || a - b);
  const table = new Uint32Array(found.length * RUN_WORDS);
  for (const [i, slot] of order.entries()) {
    const { from, to, parent, children } = found[slot];
    table.set([from, to, parent < 0 ? NONE : parent, slot, children], i * RUN_WORDS);
  }
  const first = found.filter((run) => level(run) === 0).length;
  const calls = [
    { count: first, runOff: 0 },
    { count: found.length - first, runOff: first },
  ].filter(({ count }) => count > 0);
  return { table, calls, slots: found.length };
}

const level = ({ parent }: { parent: number }) => (parent < 0 ? 0 : 1);
