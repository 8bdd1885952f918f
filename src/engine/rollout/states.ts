// The states of a rollout's linear layers (Qwen3.5): S and the convolution's last input rows, whose size does not depend on the text's
// length. Sequences with the same tokens so far share one state until they diverge: the first kernel call of a step writes the states of
// diverging sequences to new places, the second updates the others in place.
import { NONE, RUN_WORDS } from '../../kernels/contract/delta.ts';
import type { DeviceBuffer } from '../../kernels/device.ts';
import { deltaSizes, layersOf } from '../layer-types.ts';
import type { LayerContext } from '../passes/linears.ts';
import type { SharedPrefixes } from '../passes/prefixes.ts';
import type { RunCall, RunMeta } from '../passes/runs.ts';

/** Consecutive rows [from, to) that continue run `parent` (−1: none) and have `depth` ancestors. */
export interface PrefixRun {
  from: number;
  to: number;
  parent: number;
  depth: number;
}

/** Splits a prefill's rows into runs, wherever a prompt ends or diverges from another. endOf: the last run of each prompt. */
export function prefixRuns({ rows, rowOf }: SharedPrefixes): { runs: PrefixRun[]; endOf: number[] } {
  const before = new Array<number>(rows.length).fill(-1);
  for (const own of rowOf) for (let i = 1; i < own.length; i++) before[own[i]] = own[i - 1];
  const isCut = new Array<boolean>(rows.length).fill(false);
  for (const own of rowOf) isCut[own[own.length - 1]] = true;
  for (let row = 0; row < rows.length; row++)
    if (before[row] >= 0 && before[row] !== row - 1) isCut[before[row]] = true;
  const runs: PrefixRun[] = [];
  const runOf: number[] = [];
  for (let row = 0; row < rows.length; row++) {
    const goesOn = row > 0 && before[row] === row - 1 && !isCut[row - 1];
    if (!goesOn) {
      const parent = before[row] < 0 ? -1 : runOf[before[row]];
      runs.push({ from: row, to: row, parent, depth: parent < 0 ? 0 : runs[parent].depth + 1 });
    }
    runs[runs.length - 1].to = row + 1;
    runOf[row] = runs.length - 1;
  }
  return { runs, endOf: rowOf.map((own) => runOf[own[own.length - 1]]) };
}

/** Number of states that a rollout needs: one per sequence, or one per run of its prefill if there are more. */
export const statePlaces = (sequences: number, prefillRuns: number): number => Math.max(sequences, prefillRuns);

/** A run of rows [from, to), and the sequences that share it, all with the same tokens so far. */
export interface SharedRun {
  from: number;
  to: number;
  slots: readonly number[];
}

/** Assigns states to sequences. */
export class RolloutStates {
  /** Index of each slot's state in the buffers. */
  private readonly placeOf: number[] = [];
  /** Number of slots that share each state. */
  private readonly sharers: number[];
  private readonly buffers = new Map<number, { states: DeviceBuffer; past: DeviceBuffer }>();
  private readonly prompts: ReturnType<typeof prefixRuns>;
  /** The last uploaded table, reused while it stays the same. */
  private steady: { key: string; meta: RunMeta } | null = null;

  constructor(
    private readonly ctx: LayerContext,
    shared: SharedPrefixes,
    sequences: number,
  ) {
    const { arena, config } = ctx;
    this.prompts = prefixRuns(shared);
    const places = statePlaces(sequences, this.prompts.runs.length);
    this.sharers = new Array<number>(places).fill(0);
    const { state, convState } = deltaSizes(config);
    for (const layer of layersOf(config, 'linear_attention'))
      this.buffers.set(layer, {
        states: arena.take(`cache${layer}.state`, places * state),
        past: arena.take(`cache${layer}.past`, places * convState),
      });
    arena.take('roll.runs', places * RUN_WORDS, 'u32');
  }

  /** Returns null for a model without linear layers. */
  static of(ctx: LayerContext, shared: SharedPrefixes, sequences: number): RolloutStates | null {
    return ctx.config.delta ? new RolloutStates(ctx, shared, sequences) : null;
  }

  /** Runs of the prompts' rows, which start from an empty state. `promptOf` [slots]: index of each slot's prompt. */
  prefill(promptOf: readonly number[]): RunMeta {
    const { runs, endOf } = this.prompts;
    for (const [slot, prompt] of promptOf.entries()) {
      this.placeOf[slot] = endOf[prompt];
      this.sharers[endOf[prompt]]++;
    }
    const order = runs.map((_, i) => i).sort((a, b) => runs[a].depth - runs[b].depth || a - b);
    const table = order.map((i) => [runs[i].from, runs[i].to, runs[i].parent < 0 ? NONE : runs[i].parent, i, 0]);
    const calls: RunCall[] = [];
    for (const [at, i] of order.entries()) {
      if (calls.length === runs[i].depth) calls.push({ count: 0, runOff: at });
      calls[calls.length - 1].count++;
    }
    return this.meta(table, calls);
  }

  /** Assigns the states that these runs read and write. Every slot is in at most one run. */
  move(runs: readonly SharedRun[]): RunMeta {
    const leaving: number[][] = [];
    const staying: number[][] = [];
    const read = new Set<number>();
    for (const { from, to, slots } of runs) {
      const place = this.placeOf[slots[0]];
      for (const slot of slots) this.sharers[this.placeOf[slot]]--;
      let own = place;
      if (this.sharers[place] > 0) {
        read.add(place);
        // A free place exists: every place in use has at least one slot, and one that is being left had at least two.
        own = this.sharers.findIndex((slots, i) => slots === 0 && !read.has(i));
      }
      this.sharers[own] = slots.length;
      for (const slot of slots) this.placeOf[slot] = own;
      (own === place ? staying : leaving).push([from, to, place, own, 0]);
    }
    const calls = [
      { count: leaving.length, runOff: 0 },
      { count: staying.length, runOff: leaving.length },
    ].filter(({ count }) => count > 0);
    return this.meta([...leaving, ...staying], calls);
  }

  private meta(table: readonly number[][], calls: readonly RunCall[]): RunMeta {
    const key = table.join();
    if (this.steady?.key !== key) {
      const uploaded = this.ctx.arena.put('roll.runs', Uint32Array.from(table.flat()));
      this.steady = { key, meta: { table: uploaded, calls, statesOf: (layer) => this.buffers.get(layer)! } };
    }
    return this.steady.meta;
  }
}
