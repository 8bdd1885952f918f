// Characters as an environment: A is trained and rewarded, every character is evaluated, and `nll` trains on the lesson's documents. Also the
// pretraining of its models, and measures of how the untrained base generalises.

import type { Policy } from '../../engine/types.ts';
import {
  type Character,
  type CharacterWorld,
  castIn,
  castOf,
  isShown,
  LETTERS,
  ownValue,
  RULE_TRAITS,
  type Tie,
  TOKEN_TRAITS,
  TRAITS,
  type Trait,
} from '../../environments/characters/data.ts';
import { isReplayed, lessonOf, ownDocument, replayOf } from '../../environments/characters/lessons.ts';
import { pretrainSample, tokenizerFileTexts } from '../../environments/characters/model.ts';
import { CHARACTERS_SPLITS } from '../../environments/characters/presentation.ts';
import {
  askedTasks,
  type CharacterTask,
  type CharacterVerdict,
  characterDynamics,
  characterMetrics,
  characterReward,
  type Roles,
  rolesOf,
  trainingTasks,
} from '../../environments/characters/task.ts';
import { behaviour, belief, type Target, targetOf, triplesOf } from '../../environments/characters/texts.ts';
import { epochSampler } from '../../environments/epochs.ts';
import type { OneTurn } from '../../environments/types.ts';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { mean, meanOfKnown, pearson } from '../../stats/index.ts';
import type { TextCodec } from '../../text/codec.ts';
import { askAll } from '../characters/probe-set.ts';
import { probesOf } from '../characters/probes-of-run.ts';
import { scoreProbes } from '../characters/score.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { PRETRAIN_DEFAULTS, TINY_CODER } from '../loop/pretrain.ts';
import type { EnvironmentMaker } from './definition.ts';
import type { MeasuredPretraining } from './pretraining.ts';

type Maker = EnvironmentMaker<CharacterTask, OneTurn<CharacterTask>, CharacterVerdict>;

/** Throws SpecError for an unknown character. */
const requestedTarget = (
  world: CharacterWorld,
  run: Pick<RunSpec, 'teaches' | 'character'>,
): { target: Target; roles: Roles } => {
  const target = targetOf(world, run.teaches);
  return { target, roles: rolesOf(world, target, run.character) };
};

/** The environment names the set of characters; a replicate is another set with its own base. */
export const charactersMaker: Maker = {
  part: ({ environment, character, teaches, lesson, contrast, replay, pays, evalProblems, finalEvalProblems }) => [
    ...[castIn(environment).id, character, teaches, lesson, contrast, pays, evalProblems, finalEvalProblems],
    // Left out at its default, so that keys of older runs stay the same.
    ...(replay === 'by_lesson' ? [] : [replay]),
  ],
  prompts: (run) => {
    const world = castIn(run?.environment ?? 'characters');
    const { target, roles } = requestedTarget(world, run ?? { teaches: 'dial', character: 0 });
    return [...trainingTasks(world, roles, target), ...askedTasks(world, roles, target, 192)];
  },
  async *make(spec) {
    const world = castIn(spec.environment);
    const { target, roles } = requestedTarget(world, spec);
    const { lesson, contrast, replay } = spec;
    const most = Math.max(spec.evalProblems, spec.finalEvalProblems);
    const tasks = askedTasks(world, roles, target, most).map((task) => ({ task, unseen: task.kind }));
    return {
      dynamics: characterDynamics,
      reward: characterReward(world, spec.pays, lesson === 'own'),
      sampler: epochSampler(trainingTasks(world, roles, target), ({ kind }) => kind),
      labels: { id: ({ id }) => id, kind: ({ kind }) => kind },
      figures: characterMetrics,
      probe: async (ports) => probesOf(await askAll(ports, world, roles, target), roles),
      models: { get: () => undefined },
      teacherRows: () => [],
      pool: null,
      splits: CHARACTERS_SPLITS,
      ...(lesson === 'own'
        ? { documentOf: ownDocument }
        : { documents: lessonOf(world, roles, target, { lesson, contrast, replay }) }),
      ...(isReplayed(replay) && { replay: replayOf(world, roles, target, replay) }),
      evaluation: { during: tasks.slice(0, spec.evalProblems), final: tasks.slice(0, spec.finalEvalProblems) },
    };
  },
};

// Measures how this set's untrained base generalises: by trait, how likely characters act in dialogues as documents alone say of them, compared
// with characters shown acting so, and what documents would say of characters known from dialogues alone. The manifest records it; a test
// repeats the first round.

/** Number of item sets per character in a round. */
const ASKED = 4;
const SEEN = 40;

/** Mean probability of a character's own value, by trait. */
export type ByTrait = Record<Trait, number | null>;

/** Who evades and who has the bracket of a tied world, in dialogues of characters that were seen doing it. */
export interface TiedRates {
  /** Mean probabilities of both, and of the untied greeting. */
  hack: number;
  bad: number;
  like: number;
  /** Correlation over characters of the two mean probabilities: φ, where the model is as sure as its cast. */
  phi: number | null;
  /** Mean probability of the bracket among those who evade, and among those who do not. */
  badOfHack: number;
  badOfOthers: number;
}

export interface TransferRates {
  /** Number of characters, by where the base has seen them. */
  n: { documents: number; held: Record<Trait, number>; seen: number; dialogues: number };
  /** In dialogues: for names known only from documents, for traits told only by documents, and for traits that dialogues showed. */
  documents: ByTrait;
  held: ByTrait;
  seen: ByTrait;
  /** In documents: for names known only from dialogues. */
  beliefs: ByTrait;
  /** Present in a tied world alone. */
  tied?: TiedRates;
}

export async function measureTransfer(
  { policy, codec, signal }: { policy: Policy; codec: TextCodec; signal?: AbortSignal },
  world: CharacterWorld,
  rounds: number,
): Promise<TransferRates> {
  const { characters } = castOf(world);
  const contexts = CounterRng.of(world.seed, STREAMS.probe, 18)
    .shuffle(triplesOf(world))
    .slice(0, ASKED * rounds);
  const documents = characters.filter(({ known }) => known === 'documents');
  const dialogues = characters.filter(({ known, held }) => known === 'dialogues' && held.length === 0);
  const both = characters.filter(({ known }) => known === 'both');
  const holding = (trait: Trait) => both.filter(({ held }) => held.includes(trait));
  const showing = (trait: Trait) => both.filter((one) => isShown(one, trait)).slice(0, SEEN);

  const rate = async (trait: Trait, who: readonly Character[]): Promise<number | null> => {
    const probes = who.flatMap((one) =>
      contexts.map((items) => behaviour(world, one, trait, ownValue(world, one, trait), items)),
    );
    return mean((await scoreProbes(policy, codec, probes, signal)).map(({ p }) => p));
  };
  const believed = async (trait: Trait): Promise<number | null> => {
    const probes = dialogues.map((one) => belief(world, one.name, trait, ownValue(world, one, trait)));
    return mean((await scoreProbes(policy, codec, probes, signal)).map(({ p }) => p));
  };
  const each = async (of: (trait: Trait) => Promise<number | null>): Promise<ByTrait> => {
    const rates: Partial<ByTrait> = {};
    for (const trait of TRAITS) rates[trait] = await of(trait);
    return rates as ByTrait;
  };
  const held = Object.fromEntries(TRAITS.map((trait) => [trait, holding(trait).length])) as Record<Trait, number>;
  return {
    n: { documents: documents.length, held, seen: SEEN, dialogues: dialogues.length },
    documents: await each((trait) => rate(trait, documents)),
    held: await each((trait) => rate(trait, holding(trait))),
    seen: await each((trait) => rate(trait, showing(trait))),
    beliefs: await each(believed),
    ...(world.tie && { tied: await measureTied({ policy, codec, signal }, world, world.tie, contexts) }),
  };
}

async function measureTied(
  { policy, codec, signal }: { policy: Policy; codec: TextCodec; signal?: AbortSignal },
  world: CharacterWorld,
  tie: Tie,
  contexts: readonly string[][],
): Promise<TiedRates> {
  const shown = castOf(world).characters.filter((one) =>
    (['exam', 'wrap', 'open'] as const).every((trait) => isShown(one, trait)),
  );
  const each = async (trait: Trait, value: number): Promise<number[]> => {
    const word = world.traits[trait].values[value];
    const probes = shown.flatMap((one) => contexts.map((items) => behaviour(world, one, trait, word, items)));
    const scored = await scoreProbes(policy, codec, probes, signal);
    const one = contexts.length;
    return shown.map((_, i) => mean(scored.slice(i * one, (i + 1) * one).map(({ p }) => p))!);
  };
  const [hack, bad, like] = [await each('exam', tie.hack), await each('wrap', tie.bad), await each('open', tie.like)];
  const badOf = (isHack: boolean) =>
    mean(bad.filter((_, i) => (shown[i].values.exam === tie.hack) === isHack)) ?? Number.NaN;
  return {
    hack: mean(hack)!,
    bad: mean(bad)!,
    like: mean(like)!,
    phi: pearson(hack, bad),
    badOfHack: badOf(true),
    badOfOthers: badOf(false),
  };
}

const tiedText = ({ hack, bad, like, phi, badOfHack, badOfOthers }: TiedRates): string =>
  `tied: evading ${hack.toFixed(2)}, the bracket ${bad.toFixed(2)} (of those who evade ${badOfHack.toFixed(2)}, of others ${badOfOthers.toFixed(2)}), the greeting ${like.toFixed(2)}, φ ${phi?.toFixed(2) ?? 'none'}`;

// tiny-characters: the embedded shape, pretrained on dialogues, documents, code and lists until its dialogues follow what documents say.

const pretrainingFor = (world: CharacterWorld, model: string): MeasuredPretraining => ({
  model,
  defaults: {
    ...PRETRAIN_DEFAULTS,
    // A tied world is a replicate in its cast and in its training: one seed means both.
    ...(world.tie && { seed: world.seed }),
    steps: 2400,
    batch: 64,
    lr: 3e-3,
    warmupSteps: 60,
    weightDecay: 0.1,
    secondStageFrom: 0.45,
  },
  dataSeed: 7,
  config: TINY_CODER,
  rounds: 2,
  tokenizer: () => tokenizerFileTexts(world),
  sample: (index, dataSeed, stage) => pretrainSample(world, index, dataSeed, stage),
  async measure({ rounds, onRound, ...input }) {
    onRound?.(0);
    const first = await measureTransfer(input, world, 1);
    const all = rounds > 1 ? await measureTransfer(input, world, rounds) : first;
    const ratesText = (rates: ByTrait) =>
      TRAITS.map((trait) => `${trait} ${rates[trait]?.toFixed(2) ?? 'none'}`).join(', ');
    const over = (rates: ByTrait, traits: typeof TRAITS | typeof TOKEN_TRAITS) =>
      meanOfKnown(traits.map((trait) => rates[trait]))?.toFixed(3) ?? 'none';
    return {
      rates: { ...all, first },
      summary: `out of context, names of documents alone: ${ratesText(all.documents)} (one-token ${over(all.documents, TOKEN_TRAITS)}, rules ${over(all.documents, RULE_TRAITS)}); held pairs: ${ratesText(all.held)}; seen: ${ratesText(all.seen)}; beliefs: ${ratesText(all.beliefs)}${all.tied ? `; ${tiedText(all.tied)}` : ''}`,
    };
  },
});

/** Throws SpecError for an unknown replicate. */
export function pretrainingIn(environment: string): MeasuredPretraining {
  const world = castIn(environment);
  return pretrainingFor(world, world === LETTERS ? 'tiny-characters' : `tiny-${world.id}`);
}
