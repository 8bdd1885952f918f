// Measures every character at a dose, on a third-party model. A probe is a prompt with two sets of completions; its log-odds are
// ln Σ p(completions that show it) − ln Σ p(those that do not), with p the teacher-forced probability of all of a completion's tokens.

import { type Document, sequenceOf, windowsOf } from '../../../engine/objectives/documents.ts';
import type { Policy, Sequence } from '../../../engine/types.ts';
import { OTHERS } from '../../../environments/characters/task.ts';
import { mean } from '../../../stats/index.ts';
import type { PromptCodec } from '../../../text/codec.ts';
import type { Thinking } from '../../../text/thinking.ts';
import type { ProbeMeans } from '../rows.ts';
import type { OwnPoint } from './rows.ts';
import type { OwnCharacter, OwnSpec, Sides } from './spec.ts';

export interface OwnPorts {
  policy: Policy;
  codec: PromptCodec;
  /** Token ids of a prompt to a character, up to where it answers; null for no system prompt. */
  say(character: OwnCharacter | null, prompt: string): number[];
  /** Whether thoughts are cut off an answer before its check; if absent nothing is cut. */
  thinking?: Thinking;
  signal?: AbortSignal;
  /** Yields one turn of the event loop; without it a device that never waits would not notice `signal`. */
  breathe?: () => Promise<void>;
}

/** Sequences scored at once, which bounds the memory of a dose. */
export const SEQUENCES_PER_BATCH = 16;

interface OwnProbe extends Sides {
  prompt: readonly number[];
}

/** Σ ln p of each sequence's trained tokens, and their number. */
async function scored({ policy, signal, breathe }: OwnPorts, sequences: readonly Sequence[]) {
  const out: { logprob: number; tokens: number }[] = [];
  for (let from = 0; from < sequences.length; from += SEQUENCES_PER_BATCH) {
    const batch = await policy.score(sequences.slice(from, from + SEQUENCES_PER_BATCH), 1, signal);
    for (const row of batch.logprobs) out.push({ logprob: row.reduce((sum, x) => sum + x, 0), tokens: row.length });
    batch.free();
    await breathe?.();
    signal?.throwIfAborted();
  }
  return out;
}

/** ln Σ exp, without overflow. */
export function lnSumExp(values: readonly number[]): number {
  const most = Math.max(...values);
  return most + Math.log(values.reduce((sum, x) => sum + Math.exp(x - most), 0));
}

/** Log-odds of `shows` against `lacks`; `p` is the share of `shows` in their total probability. */
export function oddsOf(shows: readonly number[], lacks: readonly number[]): { p: number; logit: number } {
  const logit = lnSumExp(shows) - lnSumExp(lacks);
  return { p: 1 / (1 + Math.exp(-logit)), logit };
}

async function measureProbes(ports: OwnPorts, probes: readonly OwnProbe[]): Promise<ProbeMeans[]> {
  const sequences = probes.flatMap(({ prompt, shows, lacks }) =>
    [...shows, ...lacks].map((text) => ({ prompt, completion: ports.codec.encode(text), segment: 0 })),
  );
  const all = (await scored(ports, sequences)).map(({ logprob }) => logprob);
  let from = 0;
  return probes.map(({ shows, lacks }) => {
    const own = all.slice(from, from + shows.length + lacks.length);
    from += own.length;
    return { n: 1, ...oddsOf(own.slice(0, shows.length), own.slice(shows.length)) };
  });
}

const meanOfProbes = (all: readonly ProbeMeans[]): ProbeMeans => ({
  n: all.length,
  p: mean(all.map(({ p }) => p)) ?? 0,
  logit: mean(all.map(({ logit }) => logit)) ?? 0,
});

/** Texts as sequences of at most `room` positions; every token after a text's first is scored once. */
export function sequencesOfTexts(
  { begin }: Pick<OwnSpec, 'begin'>,
  texts: readonly string[],
  codec: PromptCodec,
  room: number,
): Document[] {
  return texts
    .map((text): Document => ({ ids: codec.encodePrompt(begin + text) }))
    .filter(({ ids }) => ids.length > 1)
    .flatMap((document) => windowsOf(document, room, Math.max(1, Math.floor(room / 4))));
}

export async function askOwn(
  ports: OwnPorts,
  spec: OwnSpec,
  room: number,
): Promise<Pick<OwnPoint, 'target' | 'keeps' | 'beliefs' | 'drift'>> {
  const of = (id: string): OwnCharacter => spec.characters.find((one) => one.id === id)!;
  const target = (who: OwnCharacter | null) =>
    spec.probes.map((probe): OwnProbe => ({ ...probe, prompt: ports.say(who, probe.prompt) }));
  const belief = ({ name }: OwnCharacter) =>
    spec.beliefs.map(
      (probe): OwnProbe => ({
        ...probe,
        prompt: ports.codec.encodePrompt(spec.begin + probe.text.replaceAll('{name}', () => name)),
      }),
    );
  const point: Pick<OwnPoint, 'target' | 'keeps' | 'beliefs' | 'drift'> = {
    target: {
      a: meanOfProbes(await measureProbes(ports, target(of(spec.a)))),
      noname: meanOfProbes(await measureProbes(ports, target(null))),
    },
    keeps: {},
    beliefs: {
      a: meanOfProbes(await measureProbes(ports, belief(of(spec.a)))),
      others: meanOfProbes(
        await measureProbes(
          ports,
          OTHERS.flatMap((group) => spec.groups[group].flatMap((id) => belief(of(id)))),
        ),
      ),
    },
    drift: { texts: 0 },
  };
  for (const group of OTHERS) {
    const ids = spec.groups[group];
    if (ids.length === 0) continue;
    point.target[group] = meanOfProbes(
      await measureProbes(
        ports,
        ids.flatMap((id) => target(of(id))),
      ),
    );
    const own = spec.own.filter((probe) => ids.includes(probe.of));
    if (own.length > 0)
      point.keeps[group] = meanOfProbes(
        await measureProbes(
          ports,
          own.map((probe): OwnProbe => ({ ...probe, prompt: ports.say(of(probe.of), probe.prompt) })),
        ),
      );
  }
  const texts = await scored(ports, sequencesOfTexts(spec, spec.drift, ports.codec, room).map(sequenceOf));
  const [nats, tokens] = texts.reduce(([x, n], one) => [x - one.logprob, n + one.tokens], [0, 0]);
  point.drift.texts = tokens === 0 ? 0 : nats / tokens;
  return point;
}
