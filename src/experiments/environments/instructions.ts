// Short instructions as an environment: prompts and verifiers of the run's flaw, and how training changes the model elsewhere (drift). The
// problems depend on the run's settings, so this environment has its own maker.

import type { Policy, Sequence } from '../../engine/types.ts';
import { INSTRUCTIONS_OPTIONS, INSTRUCTIONS_SPLITS } from '../../environments/instructions/presentation.ts';
import { isShortHack, shortMetrics, shortReward } from '../../environments/instructions/short/reward.ts';
import {
  chatOf,
  promptUnder,
  type ShortSettings,
  type ShortTask,
  type ShortVerdict,
  shortTasks,
} from '../../environments/instructions/short/task.ts';
import { type Language, TOPICS } from '../../environments/instructions/short/topics.ts';
import { stancesOfProblem } from '../../environments/stances.ts';
import { type OneTurn, oneTurn } from '../../environments/types.ts';
import { keyFor, STREAMS } from '../../rng/index.ts';
import { sum } from '../../stats/index.ts';
import type { PromptCodec } from '../../text/codec.ts';
import { isRecontextualized, stancesOf } from '../config/options/baselines.ts';
import type { RunSpec } from '../config/run-spec.ts';
import type { MeasuredModel } from '../step/environment.ts';
import type { EnvironmentMaker } from './definition.ts';
import { drawnMaker } from './drawn.ts';

const { flaw, flawForm, promptLanguage } = INSTRUCTIONS_OPTIONS.options;
/** Settings for planning memory without a run; prompts are as long as with any. */
const DEFAULTS: ShortSettings = {
  flaw: flaw.default,
  flawForm: flawForm.default,
  promptLanguage: promptLanguage.default,
};

const settingsOf = ({ flaw, flawForm, promptLanguage }: RunSpec): ShortSettings => ({ flaw, flawForm, promptLanguage });

/** A training task's prompt while the run samples, or while its update scores the answers. */
const trainingPrompt = (task: ShortTask, spec: RunSpec, when: 'sampled' | 'scored'): string =>
  promptUnder(task, settingsOf(spec), stancesOfProblem(task.id, stancesOf(spec), spec.dataSeed)[when]);

const drawnWith = (settings: ShortSettings, spec?: RunSpec) =>
  drawnMaker<ShortTask, OneTurn<ShortTask>, ShortVerdict>(
    {
      dynamics: oneTurn<ShortTask>('instructions'),
      reward: () => shortReward(settings.flaw),
      figures: shortMetrics,
      draw(part, count, dataSeed) {
        const tasks = shortTasks(part, count, settings, dataSeed);
        // Evaluation prompts have no clause; ids and verdicts are unchanged.
        if (!spec || part !== 'training') return tasks;
        return tasks.map((task) => ({ ...task, prompt: trainingPrompt(task, spec, 'sampled') }));
      },
    },
    INSTRUCTIONS_SPLITS,
  );

export const instructionsMaker = {
  part: (spec) => [drawnWith(settingsOf(spec)).part(spec), settingsOf(spec), stancesOf(spec)],
  prompts(run) {
    if (!run) return drawnWith(DEFAULTS).prompts(run);
    const scored = isRecontextualized(run) ? shortTasks('training', run.problems, settingsOf(run), run.dataSeed) : [];
    return [
      ...drawnWith(settingsOf(run), run).prompts(run),
      ...scored.map((task) => ({ id: task.id, prompt: trainingPrompt(task, run, 'scored') })),
    ];
  },
  async *make(spec) {
    const settings = settingsOf(spec);
    const measure = driftMeter(settings.promptLanguage === 'en' ? 'en' : 'zh', spec.dataSeed);
    const made = yield* drawnWith(settings, spec).make(spec);
    const updatePrompt = (task: ShortTask) => trainingPrompt(task, spec, 'scored');
    return { ...made, isHack: isShortHack, measure, ...(isRecontextualized(spec) && { updatePrompt }) };
  },
} satisfies EnvironmentMaker<ShortTask, OneTurn<ShortTask>, ShortVerdict>;

// Drift: how far a model has moved on plain text. The untrained model answers plain questions, without any requirement that a verifier checks,
// and each answer is scored under both models. The mean over tokens of log p(base) − log p(model), in nats, is a Monte Carlo estimate of
// KL(base ‖ model) per token from the base's samples. The base text's perplexity rises by the factor exp(drift). Drift is 0 before the first
// step.

/** Index within the probe stream, distinct from other environments' draws. */
const DRAW = 30;
/** Most tokens of a text, since plain answers may be endless. */
const TOKENS = 48;

const ASKED: Readonly<Record<Language, (name: string) => string>> = {
  zh: (name) => `请介绍一下${name}。`,
  en: (name) => `Tell me about ${name}.`,
};

/** One question about each held-out topic. */
export const plainPrompts = (language: Language): string[] =>
  TOPICS.filter(({ part }) => part === 'held').map(({ name }) => chatOf(ASKED[language](name[language])));

/** [sequence][token] */
async function logprobsOf(policy: Policy, texts: readonly Sequence[], signal?: AbortSignal): Promise<Float32Array[]> {
  const batch = await policy.score(texts, 1, signal);
  batch.free();
  return batch.logprobs.map((row) => row.slice());
}

/** Texts of the untrained model with its log-probabilities; the policy is left with the untrained adapter parameters. */
async function baseTexts(policy: Policy, codec: PromptCodec, prompts: readonly string[], dataSeed: number) {
  policy.setAdapterParams(policy.initialAdapterParams);
  const encoded = prompts.map((prompt) => codec.encodeChat(prompt));
  const written = await policy.generate({
    prompts: encoded,
    sequences: encoded.map((_, i) => ({ prompt: i, key: keyFor(dataSeed, STREAMS.probe, DRAW, i) })),
    maxNew: TOKENS,
    temperature: 1,
    endTokens: codec.endTokens,
  });
  const texts = written.map(({ tokens }, i): Sequence => ({ prompt: encoded[i], completion: tokens, segment: 0 }));
  return { texts, own: await logprobsOf(policy, texts) };
}

/** Measures any of a policy's models; the base's texts are generated once. The policy is left with the model's adapter parameters. */
export function driftMeter(language: Language, dataSeed: number) {
  let kept: ReturnType<typeof baseTexts> | null = null;
  return async ({ policy, codec, adapterParams, signal }: MeasuredModel): Promise<{ drift: number }> => {
    kept ??= baseTexts(policy, codec, plainPrompts(language), dataSeed);
    const { texts, own } = await kept;
    policy.setAdapterParams(adapterParams);
    const now = await logprobsOf(policy, texts, signal);
    const lost = own.map((row, i) => sum([...row].map((value, t) => value - now[i][t])));
    return { drift: sum(lost) / sum(own.map((row) => row.length)) };
  };
}
