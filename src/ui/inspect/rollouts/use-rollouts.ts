// Hooks over store/rollouts/source.ts: heads of the chosen span, texts of one step, tokens of one group, each loaded when needed.
import { useEffect, useMemo, useRef, useState } from 'react';
import type { RolloutRecord } from '../../../experiments/records/events.ts';
import type { RolloutHead } from '../../../lab/protocol/rollout-index.ts';
import type { RolloutRun } from '../../../store/rollouts/runs.ts';
import type { RunSteps } from '../../../store/rollouts/source.ts';
import { type AlignedTokens, alignTokens } from '../../../store/rollouts/tokens.ts';
import { useLabActions } from '../../lab-context.ts';

const NONE: RolloutHead[] = [];

/** The old heads stay while new ones load. */
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

/** Reads the labels of these runs when they come on show. */
export function useLabels(runs: readonly { id: string }[]): void {
  const lab = useLabActions();
  const ids = useSame(runs.map(({ id }) => id));
  useEffect(() => {
    if (ids.length > 0) void lab.openLabelling().then((labelling) => labelling.readLabels(ids));
  }, [lab, ids]);
}

/** Texts of a step; null while they load. */
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
      // A failed read leaves the group waiting; the next scroll asks again.
      () => {},
    );
    return () => {
      current = false;
    };
  }, [rolloutSource, runId, step, isHere]);
  return here ?? (loaded?.key === key ? loaded.rollouts : null);
}

/** Each scored rollout's tokens by turn, or null if a turn's log-probabilities do not fit its text. Loads nothing unless `wanted`. */
export function useTokens(
  rollouts: readonly RolloutRecord[],
  run: RolloutRun | undefined,
  wanted: boolean,
): ReadonlyMap<RolloutRecord, AlignedTokens[] | null> {
  const { rolloutSource } = useLabActions();
  const [tokens, setTokens] = useState<ReadonlyMap<RolloutRecord, AlignedTokens[] | null>>(new Map());
  const model = run?.record?.modelSha256;
  useEffect(() => {
    if (!wanted || run === undefined) return;
    let current = true;
    const scored = rollouts.filter(({ turns }) => turns.every(({ logprobs }) => logprobs !== null));
    if (scored.length === 0) return;
    const turns = scored.flatMap((rollout) => rollout.turns);
    const cut =
      model === undefined
        ? Promise.resolve(turns.map(({ tokens }) => tokens?.map((text) => ({ text, tokens: 1 })) ?? null))
        : rolloutSource.pieces(
            turns.map(({ completion }) => completion),
            model,
          );
    cut.then(
      (cuts) => {
        if (!current) return;
        const aligned = turns.map(({ logprobs }, i) => alignTokens(cuts[i], logprobs));
        const first = scored.map((_, i) => scored.slice(0, i).reduce((sum, rollout) => sum + rollout.turns.length, 0));
        const ofRollout = scored.map((rollout, i) => aligned.slice(first[i], first[i] + rollout.turns.length));
        const whole = ofRollout.map((own) => (own.every((one) => one !== null) ? own : null));
        setTokens(new Map(scored.map((rollout, i) => [rollout, whole[i]])));
      },
      () => {},
    );
    return () => {
      current = false;
    };
  }, [rolloutSource, rollouts, run, model, wanted]);
  return tokens;
}

/** The value once it has not changed for `milliseconds`. */
export function useSettled<T>(value: T, milliseconds: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}

/** Keeps the same array object while its JSON is the same. */
export function useSame<T>(list: T[]): T[] {
  const key = JSON.stringify(list);
  const kept = useRef({ key, list });
  return useMemo(() => {
    if (kept.current.key !== key) kept.current = { key, list };
    return kept.current.list;
  }, [key, list]);
}

/** Least time between two redraws of the same value, in milliseconds. */
const PERIOD = 800;

/** The newest value, updated at most once per `PERIOD`, so that redraws leave time for input; a change after a pause is shown at once. */
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
