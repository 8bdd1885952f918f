// Hooks over store/rollouts/source.ts: heads of the chosen span, texts of one step, and tokens of one group, each loaded when needed.
import { LabError } from '@projected-grpo-lab/base/errors.ts';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { RolloutRecord } from '../../../experiments/records/events.ts';
import type { RolloutHead } from '../../../lab/protocol/rollout-index.ts';
import type { RolloutRun } from '../../../store/rollouts/runs.ts';
import type { RunSteps } from '../../../store/rollouts/source.ts';
import {
  type AlignedTokens,
  alignTokens,
  isTokenShading,
  type Shading,
  type TokenShadingName,
} from '../../../store/rollouts/tokens.ts';
import { useLabActions } from '../../lab-context.ts';

const NONE: RolloutHead[] = [];

/** The old heads stay on show while new ones are being loaded. */
export function useHeads(runs: readonly RunSteps[], text: string): { heads: RolloutHead[]; pending: boolean } {
  const lab = useLabActions();
  const [heads, setHeads] = useState(NONE);
  const [pending, setPending] = useState(false);
  useEffect(() => {
    let current = true;
    setPending(true);
    lab.rolloutSource.heads(runs, text).then(
      (found) => {
        if (!current) return;
        setHeads(found);
        setPending(false);
      },
      (error) => {
        if (!current) return;
        setPending(false);
        lab.tell('bad', error instanceof Error ? error.message : String(error));
      },
    );
    return () => {
      current = false;
    };
  }, [lab, runs, text]);
  return { heads, pending };
}

/** Reads the labels of these runs when they are first shown. */
export function useLabels(runs: readonly { id: string }[]): void {
  const lab = useLabActions();
  const ids = useSame(runs.map(({ id }) => id));
  useEffect(() => {
    if (ids.length > 0) void lab.openLabelling().then((labelling) => labelling.readLabels(ids));
  }, [lab, ids]);
}

/** Texts of a step; null while they are being loaded. */
export function useStep(runId: string | null, step: number): RolloutRecord[] | null {
  const { rolloutSource } = useLabActions();
  const [loaded, setLoaded] = useState<{ key: string; rollouts: RolloutRecord[] } | null>(null);
  const key = `${runId}:${step}`;
  const here = runId === null ? undefined : rolloutSource.peek(runId, step);
  const isHere = here !== undefined;
  useEffect(() => {
    if (runId === null || isHere) return;
    let current = true;
    rolloutSource.step(runId, step).then(
      (rollouts) => {
        if (current) setLoaded({ key: `${runId}:${step}`, rollouts });
      },
      // After a failed read the group keeps its placeholder, and the next scroll requests it again.
      () => {},
    );
    return () => {
      current = false;
    };
  }, [rolloutSource, runId, step, isHere]);
  return here ?? (loaded?.key === key ? loaded.rollouts : null);
}

/** One rollout's tokens by turn, or why there are none. */
export interface RolloutTokens {
  turns: AlignedTokens[] | null;
  why: string | null;
}

/** A group's tokens with their values for a shading. */
export interface ShadedGroup {
  /** Excludes rollouts that have no value by their nature, because a cached text was not sampled here. */
  tokens: ReadonlyMap<RolloutRecord, RolloutTokens>;
  /** Meaning of the whole group's values, or why there are none. */
  note: string | null;
}

const UNSHADED: ShadedGroup = { tokens: new Map(), note: null };

/** The values of one group's tokens. For entropy and KL they are computed. Loads nothing if `shading` is not per token. */
export function useTokens(
  rollouts: readonly RolloutRecord[],
  run: RolloutRun | undefined,
  shading: Shading,
): ShadedGroup {
  const lab = useLabActions();
  const [shaded, setShaded] = useState<{ of: typeof rollouts; shading: Shading; found: ShadedGroup } | null>(null);
  useEffect(() => {
    if (!isTokenShading(shading) || run === undefined || rollouts.length === 0) return;
    const stop = new AbortController();
    const show = (found: ShadedGroup) => {
      if (!stop.signal.aborted) setShaded({ of: rollouts, shading, found });
    };
    shadedGroup(lab, rollouts, run, shading, stop.signal).then(show, (error) => {
      show({ tokens: new Map(), note: error instanceof LabError ? `${error.message} ${error.remedy}` : String(error) });
    });
    return () => stop.abort();
  }, [lab, rollouts, run, shading]);
  if (!isTokenShading(shading)) return UNSHADED;
  if (shaded?.of === rollouts && shaded.shading === shading) return shaded.found;
  return isStored(shading) ? UNSHADED : { tokens: new Map(), note: `Computing ${shading} …` };
}

/** Probabilities are stored with the sampled tokens. */
const isStored = (shading: TokenShadingName): shading is 'probability' => shading === 'probability';

async function shadedGroup(
  lab: ReturnType<typeof useLabActions>,
  rollouts: readonly RolloutRecord[],
  { id, record, stepName }: RolloutRun,
  shading: TokenShadingName,
  signal: AbortSignal,
): Promise<ShadedGroup> {
  const model = record?.modelSha256;
  if (isStored(shading)) {
    const scored = rollouts.filter(({ turns }) => turns.every(({ logprobs }) => logprobs !== null));
    const values = scored.map(({ turns }) => turns.map(({ logprobs }) => logprobs!));
    return { tokens: await aligned(lab, scored, values, model), note: null };
  }
  if (record === null)
    return { tokens: new Map(), note: `A log has no weights, so that its ${shading} cannot be computed.` };
  const [{ step, promptIndex }] = rollouts;
  const { measureTokens } = await lab.openLabelling();
  const measured = await measureTokens(id, step, promptIndex, signal);
  const own = rollouts.map((one) => measured.rollouts.find(({ sampleIndex }) => sampleIndex === one.sampleIndex));
  const name = shading === 'KL' ? 'kl' : shading;
  const known = rollouts.filter((_, i) => own[i]?.[name]);
  const values = own.flatMap((one) => (one?.[name] ? [one[name]] : []));
  const tokens = new Map(await aligned(lab, known, values, model));
  for (const [i, one] of rollouts.entries())
    if (!tokens.has(one)) tokens.set(one, { turns: null, why: own[i]?.why ?? CUT });
  return { tokens, note: measured.of === 'untrained' ? NOT_KEPT[name](`${stepName} ${step}`) : null };
}

const CUT = 'The text cannot be cut into the tokens as sampled.';

/** Notes for steps whose weights are not stored. */
const NOT_KEPT = {
  entropy: (step: string) => `The weights of ${step} are not kept. Shown: the untrained model’s entropy.`,
  kl: (step: string) =>
    `The weights of ${step} are not kept. Shown: log p − log p₀ of each sampled token; its mean over samples is the KL.`,
};

/** The rollouts' texts split at their tokens, with the values of their turns. A log contains its tokens' texts. */
async function aligned(
  { rolloutSource }: ReturnType<typeof useLabActions>,
  rollouts: readonly RolloutRecord[],
  values: readonly (readonly (readonly number[])[])[],
  model: string | undefined,
): Promise<ReadonlyMap<RolloutRecord, RolloutTokens>> {
  const turns = rollouts.flatMap((rollout) => rollout.turns);
  const cuts =
    model === undefined
      ? turns.map(({ tokens }) => tokens?.map((text) => ({ text, tokens: 1 })) ?? null)
      : await rolloutSource.pieces(
          turns.map(({ completion }) => completion),
          model,
        );
  let from = 0;
  return new Map(
    rollouts.map((rollout, i) => {
      const own = rollout.turns.map((_, turn) => alignTokens(cuts[from + turn], values[i][turn]));
      from += rollout.turns.length;
      const isWhole = own.every((one) => one !== null);
      return [rollout, { turns: isWhole ? own : null, why: isWhole ? null : CUT }];
    }),
  );
}

/** The value after it has not changed for `milliseconds`. */
export function useSettled<T>(value: T, milliseconds: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}

/** Returns the same array object as long as its JSON is the same. */
export function useSame<T>(list: T[]): T[] {
  const key = JSON.stringify(list);
  const kept = useRef({ key, list });
  return useMemo(() => {
    if (kept.current.key !== key) kept.current = { key, list };
    return kept.current.list;
  }, [key, list]);
}

/** Minimum time between two redraws of the same value, in milliseconds. */
const PERIOD = 800;

/**
 * The newest value, updated at most once per `PERIOD`, so that input is not delayed by redraws. A change after a pause is shown at once.
 */
export function usePaced<T>(value: T): T {
  const [shown, setShown] = useState(value);
  const latest = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const last = useRef(Number.NEGATIVE_INFINITY);

  useEffect(() => {
    latest.current = value;
    if (timer.current !== null) return;
    const wait = Math.max(0, last.current + PERIOD - performance.now());
    timer.current = setTimeout(() => {
      timer.current = null;
      last.current = performance.now();
      setShown(latest.current);
    }, wait);
  }, [value]);

  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = null;
    },
    [],
  );
  return shown;
}
