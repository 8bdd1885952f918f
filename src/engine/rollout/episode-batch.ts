// Samples one batch of episodes together on one key/value cache. At intervals it checks which turns have ended: those rows leave the
// batch while their environments compute observations, and return with the observation appended. Nothing is prefilled twice, and a
// row's result depends neither on the other rows of the batch nor on when its environment answers. Without `act`, every episode is a
// single turn.
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { Acting } from '../episodes/acting.ts';
import { EpisodeRow, type SampledTokens } from '../episodes/row.ts';
import type { ActivationCache } from '../passes/activation-cache.ts';
import type { LayerContext } from '../passes/layer.ts';
import type { EpisodeRequest, Generated, GenerateRequest, RolloutWork, SampledEpisode, TurnBudgets } from '../types.ts';
import { RolloutRows } from './rows.ts';

/** Tokens between two checks for ended sequences: a read-back is free on the CPU but stalls a GPU. */
const LOOK_EVERY = { cpu: 1, webgpu: 16 } as const;
/** The interval while a listener follows the tokens, and on a software adapter, where stepping an ended row costs more than a check. */
const LOOK_SOON = { cpu: 1, webgpu: 4 } as const;

export type RolloutRequest = EpisodeRequest &
  Pick<GenerateRequest, 'onSampled' | 'isOver'> & { activations?: ActivationCache | null };

/** A range of the request's sequences, with listeners that receive the number of tokens sampled in it so far. */
interface RolloutPart {
  /** Sequences [from, to) of the request. */
  from: number;
  to: number;
  onTokens(done: number, running: number): void;
  breathe(done: number): Promise<void>;
}

export async function sampleBatch(
  ctx: LayerContext,
  request: RolloutRequest,
  { from, to, onTokens, breathe }: RolloutPart,
): Promise<{ episodes: SampledEpisode[]; work: RolloutWork }> {
  const { prompts, temperature, endTokens, signal, onSampled, isOver, act } = request;
  const looks = onSampled || isOver || ctx.device.isSoftware ? LOOK_SOON : LOOK_EVERY;
  // A recurrent state cannot be rewound, so an episode that continues must not have processed pad tokens.
  const lookEvery = act && ctx.config.delta ? 1 : looks[ctx.device.kind];
  const sequences = request.sequences.slice(from, to);
  const rows = sequences.map((own, slot) => new EpisodeRow(slot, from + slot, budgetsOf(request, own.maxNew)));
  const maxNew = Math.min(request.maxNew, request.maxTokens);
  const device = new RolloutRows(ctx, {
    prompts,
    promptOf: sequences.map(({ prompt }) => prompt),
    room: act ? request.maxTokens : maxNew,
    maxNew,
    temperature,
    endTokens,
    grows: act !== null,
    kvCache: request.kvCache,
    activations: request.activations,
  });
  const acting = new Acting<EpisodeRow, readonly number[] | null>();
  const work: RolloutWork = { prefilled: device.prefilled, decoded: 0, alike: 0, idle: 0 };

  device.prefill(sequences.map(({ key }) => key(0)));
  for (const row of rows) row.sampled = 1;
  let live = rows;
  let sampled = rows.length; // includes pads of turns that ended since the last check
  let hasLayout = false;
  let isMoved = false; // whether rows have joined or left since the last layout
  for (;;) {
    // Finds the turns that have ended.
    const areCut = live.every((row) => row.sampled === row.limit);
    let sampledTokens: SampledTokens | null = null;
    let left: readonly EpisodeRow[] = [];
    if (!areCut) {
      if (onSampled || isOver) {
        sampledTokens = await device.sampledTokens();
        const now = sampledTokens;
        const soFar = (row: EpisodeRow): Generated => row.currentTurn(now, maxNew, endTokens);
        onSampled?.(rows.map(soFar));
        if (isOver) left = live.filter((row) => isOver(row.episode, soFar(row)));
      }
      await breathe(sampled);
    }
    if (signal?.aborted && (act || !areCut)) throw new StoppedError();
    const ended = areCut ? null : await device.ended();
    const over = live.filter((row) => row.sampled === row.limit || ended?.[row.slot] || left.includes(row));
    if (over.length > 0) sampledTokens ??= await device.sampledTokens();
    for (const row of over) {
      const { turn, pads } = row.close(row.currentTurn(sampledTokens!, maxNew, endTokens));
      work.idle += pads;
      work.decoded -= pads;
      if (act) acting.start(row, () => act(row.episode, turn));
      else row.stop();
    }
    if (over.length > 0) {
      live = live.filter((row) => row.sampled > 0);
      isMoved = true;
      const running = live.length + acting.waiting;
      if (running > 0) onTokens(sampled, running);
      // Episodes whose environment answers at once return before the next steps.
      if (act) await breathe(sampled);
    }

    // Collects the observations that have arrived meanwhile.
    if (live.length === 0 && acting.waiting > 0) await acting.next(signal);
    const goingOn = acting
      .take()
      .filter(({ of, reply }) => of.goOn(reply))
      .map(({ of }) => of)
      .sort((a, b) => a.slot - b.slot);
    if (goingOn.length > 0) {
      for (const row of goingOn) device.begin(row.slot, sequences[row.slot].key(row.turn));
      const parts = goingOn.map((row) => row.unfed());
      device.append(parts);
      for (const { tokens, own } of parts) {
        work.prefilled += tokens.length - own;
        work.decoded += own;
      }
      live = [...live, ...goingOn].sort((a, b) => a.slot - b.slot);
      sampled += goingOn.length;
      isMoved = true;
      continue;
    }
    if (live.length === 0) {
      if (acting.waiting > 0) continue;
      break;
    }

    // Decodes until the next check, but not beyond any turn's limit.
    if (!hasLayout || isMoved) {
      let last: Uint32Array | null = null;
      if (isMoved) {
        // The last sampled tokens are uploaded in the new order of the rows.
        sampledTokens ??= await device.sampledTokens();
        const { tokens } = sampledTokens;
        last = Uint32Array.from(live, ({ slot, sampled }) => tokens[slot * maxNew + sampled - 1]);
      }
      device.setLayout(live, last);
      hasLayout = true;
      isMoved = false;
    }
    const steps = Math.min(lookEvery, ...live.map((row) => row.limit - row.sampled));
    for (let step = 0; step < steps; step++) await device.step();
    for (const row of live) {
      row.sampled += steps;
      row.fed += steps;
    }
    sampled += steps * live.length;
    work.decoded += steps * live.length;
  }
  return { episodes: rows.map((row) => row.result()), work: { ...work, alike: device.saved } };
}

/** The request's budgets, with a sequence's own limit of new tokens if it has one. */
function budgetsOf({ maxNew, maxTokens, maxTurns, firstTurn }: EpisodeRequest, own = maxNew): TurnBudgets {
  return { maxNew: own, maxTokens, maxTurns, firstTurn };
}
