// The device side of a rollout: a ragged batch of rows with a key/value cache that can be prefilled, decoded token by token, and
// appended to. It handles tokens, cache rows and random keys; episode-batch.ts decides when a turn ends and what follows it.
// A row is one sequence; its slot is its index in every buffer. Rows may have different lengths, but a step advances all by
// one token, so their positions are uploaded only when rows join or leave.

import { type DeviceBuffer, type FloatArray, readFloats, readUints } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import { layersOf } from '../layer-types.ts';
import type { ActivationCache } from '../passes/activation-cache.ts';
import { qkvWidth } from '../passes/decoding.ts';
import { gatherInto, scatterInto, takeCache } from '../passes/key-values.ts';
import { type KeyValues, type LayerContext, rowMeta } from '../passes/layer.ts';
import { type SharedPrefixes, sharedPrefixes } from '../passes/prefixes.ts';
import { endsOf, throughLayers, throughStep } from './pass.ts';
import {
  type Appended,
  type RowLayout,
  type RowPlace,
  type RowsSettings,
  rolloutLengths,
  rolloutRows,
} from './places.ts';
import { type Alike, PrefixSharing, throughDistinctRows } from './prefix-sharing.ts';
import { RolloutStates, type SharedRun } from './states.ts';

const NONE = 0xffffffff;

export class RolloutRows {
  private readonly kvDim: number;
  private readonly promptFrom = new Map<number, number>();
  /** Number of cache rows of the prompts. */
  private readonly promptRows: number;
  /** The prompts' distinct prefixes: the rows that the prefill computes. */
  private readonly shared: SharedPrefixes;
  /** Number of rows of the largest pass. */
  private readonly most: number;
  /** Keys and values of each layer with attention. */
  private readonly cache = new Map<number, { k: DeviceBuffer; v: DeviceBuffer }>();
  /** The linear layers' states, in place of keys and values. */
  private readonly states: RolloutStates | null;
  private readonly keys: DeviceBuffer;
  private readonly moreEnds: Uint32Array;
  private readonly done: DeviceBuffer;
  private readonly tokens: DeviceBuffer;
  private readonly logps: DeviceBuffer;
  private readonly next: DeviceBuffer;
  private layout: RowLayout | null = null;
  /** Null unless sequences share a prompt and the device is the CPU, where reading tokens back is free. */
  private readonly alike: PrefixSharing | null;
  private readonly activations: ActivationCache | null;
  /** Whether steps are decoded in fewer calls. */
  private readonly isFused: boolean;
  /** Row of each slot's last token in `activations`; −2 if it is not kept. */
  private readonly nodes: number[] = [];
  /** Number of rows that were not computed because they equal others. */
  saved = 0;
  /** Steps decoded since the layout was set. */
  private steps = 0;

  constructor(
    private readonly ctx: LayerContext,
    private readonly settings: RowsSettings,
  ) {
    const { arena, config } = ctx;
    const { prompts, promptOf, room, maxNew, grows, kvCache = 'f32' } = settings;
    const count = promptOf.length;
    const isShared = new Set(promptOf).size < count;
    this.alike = isShared && ctx.device.kind === 'cpu' ? new PrefixSharing(promptOf) : null;
    this.activations = this.alike && !grows && !config.layerTypes ? (settings.activations ?? null) : null;
    this.kvDim = config.kvHeads * config.headDim;
    this.isFused =
      !this.alike && ctx.device.fuses?.(kvCache === 'f16' ? 'cache_heads_f16' : 'cache_heads', count) === true;
    // The cache holds all prompts end to end, then `room` rows for each sequence.
    let promptRows = 0;
    for (const p of new Set(promptOf)) {
      this.promptFrom.set(p, promptRows);
      promptRows += prompts[p].length;
    }
    this.promptRows = promptRows;
    this.shared = sharedPrefixes([...this.promptFrom.keys()].map((p) => prompts[p]));
    this.most = rolloutRows(this.prefilled, count, grows ? room : 0);
    this.activations?.open(config, this.prefilled + count * maxNew);
    const cacheRows = promptRows + count * room;
    for (const layer of layersOf(config, 'full_attention'))
      this.cache.set(layer, {
        k: takeCache(arena, `cache${layer}.k`, cacheRows * this.kvDim, kvCache),
        v: takeCache(arena, `cache${layer}.v`, cacheRows * this.kvDim, kvCache),
      });
    this.states = RolloutStates.of(ctx, this.shared, count);
    // The kernel takes two end tokens as parameters; further ones are stored after the keys.
    this.moreEnds = Uint32Array.from(settings.endTokens.slice(2));
    this.keys = arena.take('roll.keys', count * 2 + this.moreEnds.length, 'u32');
    this.done = arena.put('roll.done', new Uint32Array(count));
    this.tokens = arena.take('roll.tokens', count * maxNew, 'u32');
    this.logps = arena.take('roll.logps', count * maxNew);
    this.next = arena.take('roll.next', count, 'u32');
    // Scratch is allocated for the largest pass at once, since growing it later would add the arena's slack.
    for (const [name, length] of rolloutLengths(config, this.most)) arena.take(`roll.${name}`, length);
    for (const name of ['ids', 'pos']) arena.take(`roll.${name}`, this.most, 'u32');
    arena.take('roll.ranges', this.most * 4, 'u32');
    arena.take('roll.cacheRow', grows ? this.most : count, 'u32');
    if (this.isFused) {
      arena.take('roll.both', 2 * count, 'u32');
      arena.take('roll.qkv', count * qkvWidth(config));
    }
  }

  /** Number of prompt tokens that go through the model. */
  get prefilled(): number {
    return this.shared.rows.length;
  }

  /** Runs each distinct prompt prefix once and samples the first token of every slot. `keys` [slots] are those of the first turn. */
  prefill(keys: readonly (readonly [number, number])[]): void {
    const { arena, device } = this.ctx;
    const { prompts, promptOf } = this.settings;
    const { promptRows, kvDim, shared } = this;
    const distinct = [...this.promptFrom];
    device.upload(this.keys, Uint32Array.from([...keys.flat(), ...this.moreEnds]));
    const ids = Uint32Array.from(shared.rows, ({ of, index }) => prompts[distinct[of][0]][index]);
    const pos = Uint32Array.from(shared.rows, ({ index }) => index);
    // The cache holds every prompt in full; a shared row attends to the keys of the first prompt it belongs to.
    const ranges = new Uint32Array(shared.rows.length * 4);
    shared.rows.forEach(({ of, index }, row) => {
      const from = distinct[of][1];
      ranges.set([0, 0, from, from + index + 1], row * 4);
    });
    const index = arena.put('roll.prompt', Uint32Array.from(shared.rowOf.flat()));
    const ends = distinct.map(([p], i) => shared.rowOf[i][prompts[p].length - 1]);
    const activations = this.activations?.hasRoom(ids.length) ? this.activations : null;
    const into = (layer: number, k: DeviceBuffer, v: DeviceBuffer) => {
      const into = this.cache.get(layer)!;
      gatherInto(device, { src: k, index, dst: into.k, rows: promptRows, dim: kvDim });
      gatherInto(device, { src: v, index, dst: into.v, rows: promptRows, dim: kvDim });
      return into;
    };
    const rowOf = new Map(distinct.map(([p], i) => [p, i]));
    const runs = this.states?.prefill(promptOf.map((p) => rowOf.get(p)!));
    const x = endsOf(this.ctx, ends, { ids, pos, ranges }, into, { most: promptOf.length, runs, activations });
    activations?.prompts(
      shared,
      distinct.map(([p]) => prompts[p]),
    );
    const last = activations && ends.map((row) => activations.rows - ids.length + row);
    for (const [slot, p] of promptOf.entries()) this.nodes[slot] = last?.[rowOf.get(p)!] ?? -2;
    this.first(x, [...promptOf.keys()], (slot) => rowOf.get(promptOf[slot])!);
  }

  /** Begins a turn, whose random numbers are counted from 0 with its own key. It takes effect with `append`. */
  begin(slot: number, key: readonly [number, number]): void {
    this.ctx.device.upload(this.keys, Uint32Array.from(key), slot * 2);
    this.ctx.device.upload(this.done, new Uint32Array(1), slot);
  }

  /** Runs tokens through the model into the rows' cache, in pieces of bounded size, and samples one token after each row's last.
   *  `setLayout` must follow. */
  append(parts: readonly Appended[]): void {
    const { arena } = this.ctx;
    const { promptOf } = this.settings;
    for (const { slot } of parts) this.alike?.part(slot);
    const all = parts.flatMap(({ slot, at, tokens }) =>
      tokens.map((id, i) => ({ slot, id, index: at + i, isLast: i === tokens.length - 1 })),
    );
    for (let from = 0; from < all.length; from += this.most) {
      const piece = all.slice(from, from + this.most);
      const rows = piece.length;
      const ids = Uint32Array.from(piece, ({ id }) => id);
      const pos = Uint32Array.from(piece, ({ slot, index }) => this.promptLength(slot) + index);
      const ranges = new Uint32Array(rows * 4);
      piece.forEach(({ slot, index }, row) => {
        ranges.set([...this.promptRange(slot), this.ownRow(slot), this.ownRow(slot) + index + 1], row * 4);
      });
      const cacheRow = arena.put(
        'roll.cacheRow',
        Uint32Array.from(piece, ({ slot, index }) => this.ownRow(slot) + index),
      );
      const ends = piece.flatMap(({ isLast }, row) => (isLast ? [row] : []));
      const runs = this.states?.move(runsOfSlots(piece.map(({ slot }) => slot)));
      const into = this.into(cacheRow, rows, 0);
      const x = endsOf(this.ctx, ends, { ids, pos, ranges }, into, { most: promptOf.length, runs });
      const rowOf = new Map(ends.map((row, i) => [piece[row].slot, i]));
      if (ends.length > 0) this.first(x, [...rowOf.keys()], (slot) => rowOf.get(slot)!);
    }
    this.layout = null;
  }

  /** Sets the rows that the next steps decode, in this order. `last`: each row's last sampled token, if the order on the device
   *  differs. */
  setLayout(rows: readonly RowPlace[], last: Uint32Array | null): void {
    const { arena, device } = this.ctx;
    if (last) device.upload(this.next, last);
    const ranges = new Uint32Array(rows.length * 4);
    rows.forEach(({ slot, fed }, row) => {
      ranges.set([...this.promptRange(slot), this.ownRow(slot), this.ownRow(slot) + fed], row * 4);
    });
    const numbers = (label: string, of: (place: RowPlace) => number) =>
      arena.put(`roll.${label}`, Uint32Array.from(rows, of));
    const pos = Uint32Array.from(rows, ({ slot, fed }) => this.promptLength(slot) + fed);
    const both = rows.flatMap(({ slot, fed }, row) => [pos[row], this.ownRow(slot) + fed]);
    this.layout = {
      of: rows.map(({ slot }) => slot),
      places: { pos, ranges },
      meta: rowMeta(arena, { pos, ranges }, 'roll'),
      slots: numbers('slots', ({ slot }) => slot),
      starts: numbers('starts', ({ sampled }) => sampled),
      cacheRow: numbers('cacheRow', ({ slot, fed }) => this.ownRow(slot) + fed),
      both: this.isFused ? arena.put('roll.both', Uint32Array.from(both)) : null,
    };
    this.steps = 0;
  }

  /** Decodes one token for every row of the layout. */
  async step(): Promise<void> {
    const { of, places, meta, slots, starts, cacheRow, both } = this.layout!;
    const shift = this.steps++;
    const into = this.into(cacheRow, meta.rows, shift);
    const ids = this.alike ? await readUints(this.ctx.device, this.next, 0, of.length) : null;
    const alike = ids && this.alike!.feed(of, ids);
    this.saved += alike ? of.length - alike.firstOf.length : 0;
    const computed = alike?.firstOf.length ?? of.length;
    const runs = this.states?.move(runsOfRows(of, alike));
    const at = { shift, grow: shift + 1, ...(runs ? { runs } : {}) };
    const activations = this.activations?.hasRoom(computed) ? this.activations : null;
    const cache = both && { places: both, of: (layer: number) => this.cache.get(layer)! };
    const x = cache
      ? throughStep(this.ctx, { ...meta, ...at }, this.next, { cache, keyValues: into })
      : alike
        ? throughDistinctRows(this.ctx, alike, { ids, ...places }, at, into, this.settings.promptOf.length, activations)
        : throughLayers(this.ctx, { ...meta, ...at }, this.next, into, this.ctx.config.layers, activations);
    for (const [row, slot] of of.entries())
      this.nodes[slot] =
        activations && ids ? activations.addToken(this.nodes[slot], ids[row], alike?.rowOf[row] ?? row) : -2;
    if (activations) activations.rows += computed;
    this.head(x, meta.rows, slots, starts, shift);
  }

  /** [slots] 1 if the turn has sampled an end token. */
  ended(): Promise<Uint32Array> {
    return readUints(this.ctx.device, this.done, 0, this.settings.promptOf.length);
  }

  /** [slots, maxNew] Sampled tokens of each row's turn so far. */
  async sampledTokens(): Promise<{ tokens: Uint32Array; logps: FloatArray }> {
    const { device } = this.ctx;
    const n = this.settings.promptOf.length * this.settings.maxNew;
    const [tokens, logps] = await Promise.all([
      readUints(device, this.tokens, 0, n),
      readFloats(device, this.logps, 0, n),
    ]);
    return { tokens, logps };
  }

  private promptLength(slot: number): number {
    return this.settings.prompts[this.settings.promptOf[slot]].length;
  }

  private promptRange(slot: number): [number, number] {
    const from = this.promptFrom.get(this.settings.promptOf[slot])!;
    return [from, from + this.promptLength(slot)];
  }

  /** Cache row of a slot's first token after the prompt. */
  private ownRow(slot: number): number {
    return this.promptRows + slot * this.settings.room;
  }

  /** Writes keys and values to their cache rows and lets attention read from the cache. */
  private into(cacheRow: DeviceBuffer, rows: number, shift: number): KeyValues {
    const { device } = this.ctx;
    const dim = this.kvDim;
    return (layer, k, v) => {
      const own = this.cache.get(layer)!;
      scatterInto(device, { src: k, index: cacheRow, dst: own.k, rows, dim, shift });
      scatterInto(device, { src: v, index: cacheRow, dst: own.v, rows, dim, shift });
      return own;
    };
  }

  /** Samples the first token of these slots' turns; rowOf(slot) is the row of x that predicts it. */
  private first(x: DeviceBuffer, slots: readonly number[], rowOf: (slot: number) => number): void {
    const { arena, device, config } = this.ctx;
    const [rows, d] = [slots.length, config.hiddenSize];
    // The buffer has room for all slots, so that it never has to grow.
    const dst = arena.take('roll.first', this.settings.promptOf.length * d);
    const index = arena.put('roll.last', Uint32Array.from(slots, rowOf));
    ops.gatherRows(device, { src: x, index, dst, rows, dim: d });
    const starts = arena.put('roll.starts', new Uint32Array(rows));
    this.head(dst, rows, arena.put('roll.slots', Uint32Array.from(slots)), starts, 0);
  }

  /** hidden [rows, d] → one new token per row. */
  private head(hidden: DeviceBuffer, rows: number, slots: DeviceBuffer, starts: DeviceBuffer, t: number): void {
    const { arena, device, config, weights } = this.ctx;
    const { maxNew, temperature, endTokens } = this.settings;
    const { hiddenSize: d, vocab } = config;
    const normed = arena.take('roll.normed', rows * d);
    const rstd = arena.take('roll.rstd', rows);
    const w = weights.get('model.norm.weight');
    ops.rmsnorm(device, { x: hidden, w, y: normed, rstd, rows, dim: d, eps: config.rmsEps });
    const logits = arena.take('roll.logits', rows * vocab);
    weights.head.stepLogits(arena, normed, rows, logits);
    const [endA = NONE, endB = NONE] = endTokens;
    const { keys, done, tokens, logps, next } = this;
    const further = { ends: this.moreEnds.length, endsAt: this.settings.promptOf.length * 2 };
    const settings = { maxNew, temperature, endA, endB, padToken: endTokens[0] ?? 0, ...further };
    ops.sample(device, { logits, slots, keys, done, tokens, logps, next, starts, rows, vocab, t, ...settings });
  }
}

/** Runs of appended rows: consecutive rows of one slot are one run. */
function runsOfSlots(slots: readonly number[]): SharedRun[] {
  const runs: SharedRun[] = [];
  for (const [row, slot] of slots.entries()) {
    const last = runs.at(-1);
    if (last?.slots[0] === slot) last.to = row + 1;
    else runs.push({ from: row, to: row + 1, slots: [slot] });
  }
  return runs;
}

/** Runs of a decoding step: one per computed row, with the slots that share it. */
function runsOfRows(of: readonly number[], alike: Alike | null): SharedRun[] {
  if (!alike) return of.map((slot, row) => ({ from: row, to: row + 1, slots: [slot] }));
  const slots = alike.firstOf.map((): number[] => []);
  for (const [row, slot] of of.entries()) slots[alike.rowOf[row]].push(slot);
  return slots.map((own, row) => ({ from: row, to: row + 1, slots: own }));
}
