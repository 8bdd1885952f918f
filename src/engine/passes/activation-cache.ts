// Keeps the activations of a rollout's rows for scoring the sampled tokens. With the same weights, a row depends only on the tokens up to
// it, bit for bit, whether it was decoded or is in a packed batch (cached-rows.ts). Kept are all layers but the last, and that one's
// input, on the CPU for weights in f32. Rows beyond the room are computed again.
import type { Device, DeviceBuffer } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import { sum } from '../../stats/index.ts';
import type { Arena } from '../arena.ts';
import type { ModelConfig } from '../types.ts';
import {
  type ActivationName,
  activationWidths,
  type LayerActivations,
  type LayerContext,
  madeLengths,
} from './layer.ts';
import type { SharedPrefixes } from './prefixes.ts';

/** Most bytes of kept activations. */
const KEPT_BYTES = 96 * 2 ** 20;

/** Room relative to the rollout's rows: scoring adds rows that no rollout computed (a teacher's). */
const ROOM = 1.25;

/** Number of rows to make room for when a rollout has at most `rows`. */
export const cacheRoom = (config: ModelConfig, rows: number): number =>
  Math.min(Math.ceil(ROOM * rows), Math.floor(KEPT_BYTES / 4 / sum(cachedLengths(config, 1))));

/** Elements of each buffer with room for `room` rows. */
export function cachedLengths(config: ModelConfig, room: number): number[] {
  const x = room * config.hiddenSize;
  const layer = [x, ...madeLengths(config, room).map(([, length]) => length)];
  return [...Array.from({ length: config.layers - 1 }, () => layer).flat(), x];
}

export class ActivationCache {
  /** Number of rows kept so far. */
  rows = 0;
  room = 0;
  readonly last: number;
  private readonly device: Device;
  private readonly arena: Arena;
  private readonly widths: Record<ActivationName, number>;
  private readonly names: readonly ActivationName[];
  /** Row numbers, keyed by the preceding row (−1 for none) and the token. */
  private readonly known = new Map<string, number>();

  constructor({ device, arena, config }: LayerContext) {
    this.device = device;
    this.arena = arena;
    this.widths = activationWidths(config);
    this.names = madeLengths(config, 1).map(([name]) => name);
    this.last = config.layers - 1;
  }

  /** Allocates room for a rollout of at most `rows` rows. */
  open(config: ModelConfig, rows: number): void {
    this.room = cacheRoom(config, rows);
    for (let layer = 0; layer <= this.last; layer++) {
      this.buffer(layer, 'x');
      if (layer < this.last) for (const name of this.names) this.buffer(layer, name);
    }
  }

  /** The row of this token after row `before`, if it is kept. */
  find(before: number, token: number): number | undefined {
    return this.known.get(`${before} ${token}`);
  }

  private note(before: number, token: number, row: number): void {
    const key = `${before} ${token}`;
    if (!this.known.has(key)) this.known.set(key, row);
  }

  /** Registers the next rows as the prompts' distinct prefixes. */
  prompts({ rows, rowOf }: SharedPrefixes, prompts: readonly (readonly number[])[]): void {
    for (const [i, { of, index }] of rows.entries()) {
      const before = index === 0 ? -1 : this.rows + rowOf[of][index - 1];
      this.note(before, prompts[of][index], this.rows + i);
    }
    this.rows += rows.length;
  }

  /** Registers the i-th of the next rows as `token` after row `before`. Returns its row number, or −2 if its predecessor is not kept. */
  addToken(before: number, token: number, i: number): number {
    if (before < 0) return -2;
    this.note(before, token, this.rows + i);
    return this.rows + i;
  }

  hasRoom(rows: number): boolean {
    return this.rows + rows <= this.room;
  }

  /** Keeps the input of a layer for the next rows. */
  keepX(layer: number, x: DeviceBuffer, rows: number): void {
    this.keep(layer, 'x', x, rows);
  }

  /** Keeps a layer's activations, or only those that `of` names. */
  keepActs(layer: number, acts: LayerActivations, rows: number, of: readonly ActivationName[] = this.names): void {
    if (layer === this.last) return;
    for (const name of of) if (this.names.includes(name)) this.keep(layer, name, acts[name], rows);
  }

  /** Buffer of one activation of a layer, [room, …]. */
  buffer(layer: number, name: ActivationName): DeviceBuffer {
    return this.arena.take(`kept${layer}.${name}`, this.room * this.widths[name]);
  }

  private keep(layer: number, name: ActivationName, src: DeviceBuffer, rows: number): void {
    const width = this.widths[name];
    ops.copy(this.device, { src, dst: this.buffer(layer, name), n: rows * width, dstOff: this.rows * width });
  }
}
