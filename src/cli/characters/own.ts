// `characters --model --spec`: a person's own characters on a third-party model. Each arm's row is written after every dose; whole rows are
// not made again, a stopped one is made anew (it is the same to the byte).
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { PASS_ROWS } from '../../engine/objectives/documents.ts';
import type { AdapterSettings } from '../../engine/types.ts';
import { type OwnPorts, SEQUENCES_PER_BATCH } from '../../experiments/characters/own/ask.ts';
import { checkArm, ownCurve, roomOf } from '../../experiments/characters/own/curve.ts';
import { OWN_ARMS, type OwnArm, type OwnRow } from '../../experiments/characters/own/rows.ts';
import type { OwnCharacter, OwnSpec } from '../../experiments/characters/own/spec.ts';
import { contentKey } from '../../experiments/records/artifacts.ts';
import type { ModelFiles } from '../../storage/model-files.ts';
import { type ModelText, openModelText } from '../../storage/model-text.ts';
import type { Thinking } from '../../text/thinking.ts';
import type { CommandContext } from '../command.ts';
import type { DeviceFlags } from '../device-flags.ts';
import { yieldToEvents } from '../drain.ts';
import { RowFile } from '../files/rows.node.ts';
import { openEngine } from '../model/engine.ts';
import { readModel } from '../model/folder.ts';
import { noteUnread, type PromptFlags, promptIdentity, promptSettings, thinkingWith } from '../model/prompts.ts';
import { OWN_ROWS, readDocuments, readOwnSpec } from './own-files.ts';

interface OwnFlags extends DeviceFlags, PromptFlags {
  model: string | null;
  'base-adapter': string | null;
  spec: string;
  arms: readonly string[] | null;
  adapter: 'lora' | 'full';
  rank: number;
  steps: number;
  every: number;
  until: number;
  seed: number;
  thinking: Thinking | null;
  out: string | null;
}

/** Vectors that a step keeps or passes through: adapter parameters, the untrained ones, two moments, gradient, step. */
const VECTORS = 6;

export async function ownRows(flags: OwnFlags, context: CommandContext): Promise<OwnRow[]> {
  const { progress, signal } = context;
  const { adapter, rank, steps, every, until, seed, out } = flags;
  const spec = await readOwnSpec(flags.spec);
  const arms = armsOf(flags.arms, spec);
  const documents = await readDocuments(spec, flags.spec);
  // `--adapter` says here what is trained.
  const { folder, files } = await readModel({ model: flags.model, adapter: flags['base-adapter'] }, context);
  const prompts = await promptSettings(flags);
  const words = await openModelText(files, folder, prompts);
  await noteUnread(words, progress);
  const { codec } = words;
  const thinking = thinkingWith(flags.thinking, words);
  const say = promptRenderer(words);
  // `until` ends a curve and changes none of its points, but a row is whole only at its own end.
  const made = await contentKey([
    files.sha256,
    spec,
    documents,
    adapter,
    rank,
    steps,
    every,
    until,
    ...promptIdentity(prompts, thinking),
  ]);
  const file = out === null ? null : await RowFile.open(out, OWN_ROWS, progress.note);
  file?.checkMade(made, 'spec, adapter, or other --steps, --every, --until, --chat-template, --chat-arg or --thinking');
  const rows = (file?.rows ?? []).filter(({ isWhole }) => isWhole);
  const isKnown = (arm: OwnArm) => rows.some((row) => row.arm === arm && row.seed === seed);
  const left = arms.filter((arm) => !isKnown(arm));
  if (left.length === 0) return rows;
  const settings: AdapterSettings = { adapter, loraRank: rank };
  const work = workOf(spec, files, say, codec.encode, settings);
  const plan = { storage: adapter === 'full' ? 'f32' : 'auto', work, isHostReported: true } as const;
  const { engine: policy, free } = await openEngine(files, flags, { progress, signal }, { adapter: settings, plan });
  try {
    const ports = { policy, codec, say, thinking, signal, breathe: yieldToEvents };
    for (const arm of left) {
      const request = { arm, seed, steps, every, until, adapter, base: files.sha256, made };
      let row: OwnRow | null = null;
      const belief = () => `P ${row?.curve.at(-1)?.target.a?.p.toFixed(3) ?? '–'}`;
      progress.update(`${arm} on ${spec.a}`, 0, steps);
      const doses = ownCurve(ports, spec, documents, request, (step) =>
        progress.update(`${arm} on ${spec.a}`, step, steps, belief()),
      );
      for await (const next of doses) {
        row = next;
        await file?.rewrite([...rows, row]);
      }
      if (row) rows.push(row);
    }
  } finally {
    free();
  }
  return rows;
}

/** The named arms; where none is named, those whose parts the spec has. Throws SpecError. */
function armsOf(named: readonly string[] | null, spec: OwnSpec): OwnArm[] {
  if (named === null) return [...(spec.sdf ? ['sdf' as const] : []), ...(spec.rl ? ['rl' as const] : [])];
  return [...new Set(named)].map((name) => {
    const arm = OWN_ARMS.find((one) => one === name);
    if (!arm) throw new SpecError(`--arms ${name} with --spec`, `Of a spec there are ${OWN_ARMS.join(', ')}.`);
    checkArm(arm, spec);
    return arm;
  });
}

/** Renders each prompt once. */
function promptRenderer({ chatIds }: ModelText): OwnPorts['say'] {
  const known = new Map<string, number[]>();
  return (who: OwnCharacter | null, prompt: string) => {
    const key = JSON.stringify([who?.id ?? null, prompt]);
    const before = known.get(key);
    if (before) return before;
    const system = who ? [{ role: 'system' as const, content: who.system }] : [];
    const ids = chatIds([...system, { role: 'user', content: prompt }]);
    known.set(key, ids);
    return ids;
  };
}

/** The engine's work, for the plan of memory. Throws SpecError where a prompt leaves no room for its answer. */
function workOf(
  spec: OwnSpec,
  { config }: ModelFiles,
  say: OwnPorts['say'],
  encode: (text: string) => number[],
  adapter: AdapterSettings,
) {
  const longest = (texts: readonly { length: number }[]) => Math.max(1, ...texts.map(({ length }) => length));
  const probes = [...spec.probes, ...spec.own];
  const beliefs = spec.characters.flatMap(({ name }) =>
    spec.beliefs.map(({ text }) => encode(spec.begin + text.replaceAll('{name}', () => name))),
  );
  const longestProbe = longest([
    ...spec.characters.flatMap((who) => probes.map(({ prompt }) => say(who, prompt))),
    ...beliefs,
  ]);
  const sides = [...probes, ...spec.beliefs].flatMap(({ shows, lacks }) => [...shows, ...lacks]);
  const answer = longest(sides.map(encode));
  const room = roomOf(spec, config.maxPositions);
  const a = spec.characters.find(({ id }) => id === spec.a)!;
  const { promptsPerStep = 0, groupSize = 0, maxNew = 0, prompts = [] } = spec.rl ?? {};
  const posed = longest(prompts.map(({ prompt }) => say(a, prompt)));
  for (const [what, tokens] of [
    ['A probe', longestProbe + answer],
    ['A prompt of rl', posed + maxNew],
  ] as const)
    if (tokens > config.maxPositions)
      throw new SpecError(`${what} takes ${tokens} tokens, the model has ${config.maxPositions}.`, 'Shorten it.');
  const sequences = promptsPerStep * groupSize;
  const rollout = { prompts: promptsPerStep, sequences, promptTokens: posed, maxNew };
  const whole = (count: number) => ({ prompts: count, sequences: count, segments: 1 });
  const at = Math.min(spec.sdf?.perStep ?? 1, Math.max(1, Math.floor(PASS_ROWS / 2 / room)));
  return {
    rollouts: spec.rl ? [rollout] : [],
    scores: [
      { ...whole(SEQUENCES_PER_BATCH), promptTokens: longestProbe, completionTokens: answer },
      { ...whole(Math.max(at, SEQUENCES_PER_BATCH)), promptTokens: 1, completionTokens: room - 1 },
      ...(spec.rl
        ? [{ prompts: promptsPerStep, sequences, promptTokens: posed, completionTokens: maxNew, segments: 1 }]
        : []),
    ],
    adapter,
    optimizer: { vectors: VECTORS, bases: [] },
  };
}
