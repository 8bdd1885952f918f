// The playground: the loaded model answers one prompt, as base and with a stored run's adapter parameters, with the same seed, and its
// tokens are shown as they come. Answers equal the lab's own rollouts and the output of `lab generate`.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { hackwardOf, steered } from '../../algorithms/steering.ts';
import { minus } from '../../algorithms/vectors.ts';
import type { Generated } from '../../engine/types.ts';
import { evaluationSet } from '../../environments/code/data.ts';
import { CODE_MODELS, type CodeProblem, type ProblemMode } from '../../environments/code/types.ts';
import { promptSettingsOf, thinkingIn } from '../../experiments/config/options/prompts.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import { turn } from '../../lib/turn.ts';
import type { ModelText } from '../../storage/model-text.ts';
import { answerText, TokenPieces } from '../../text/answer.ts';
import { readChatArgs } from '../../text/chat-args.ts';
import { checkPromptLength } from '../../text/prompt-length.ts';
import { judgedText, opensThoughtIn } from '../../text/thinking.ts';
import { isEquipped, type Opened, targetOf } from '../equipment/equipment.ts';
import { keptModel } from '../equipment/kept-model.ts';
import {
  MOST_ALPHA,
  type PlayAnswer,
  type PlayAsk,
  type PlayModel,
  type PlayRequest,
  type PlayRun,
} from '../protocol/playground.ts';
import type { BasisTrials } from '../work/basis-trials.ts';
import type { HandlerParts } from '../work/parts.ts';
import { writeAnswer } from './write.ts';

const PLAY_PROBLEMS = 24;

/** Held-out problems of one mode, from the evaluation set of the loaded model's environment. */
export function playProblems(mode: ProblemMode, model?: string): CodeProblem[] {
  const honest = mode === 'honest';
  const set = { modes: honest ? [] : [mode], honestShare: honest ? 1 : 0, count: PLAY_PROBLEMS };
  const families = Object.values(CODE_MODELS).find((own) => own.model === model)?.families;
  return evaluationSet({ ...set, families }).map(({ problem }) => problem);
}

export function createPlayHandlers({ lab, opened, equipped, gate, emit }: Omit<HandlerParts, 'target' | 'tasks'>) {
  /** The published run that was used last. */
  let trials: BasisTrials | null = null;

  /** The run's models; null if none of its parameters are used. */
  async function keptOf({ runId, published, models, steer }: PlayRequest, signal: AbortSignal) {
    const isOfRun = (model: PlayModel) => (model === 'steered' ? typeof steer?.along === 'string' : model !== 'base');
    if (!models.some(isOfRun)) return null;
    if (published) {
      trials ??= new (await import('../work/basis-trials.ts')).BasisTrials({ lab, equipped });
      return trials.models(published, signal);
    }
    const { records } = await lab();
    return keptModel(runId ?? '', records, (adapter) => equipped(adapter, signal), {
      missing: 'Choose another run, or ask the base.',
      other: 'Choose a run that was trained on this model, or load that one under Models.',
    });
  }

  /** Template of the conversation, for a stored run the one of its training. Warns of arguments that the template never reads. Throws SpecError
   *  for malformed arguments. */
  async function wordsFor(ask: PlayAsk, { text }: Opened, run: RunSpec | null): Promise<ModelText> {
    const args = ask.kind === 'chat' ? readChatArgs(ask.chatArgs ?? '', 'Template arguments') : {};
    if (Object.keys(args).length === 0) return text;
    const own = promptSettingsOf(run ?? {});
    const words = await text.withSettings({ ...own, args: { ...own.args, ...args } });
    const unread = await words.unread();
    if (unread) emit({ type: 'warning', message: unread });
    return words;
  }

  /** The adapter parameters of each requested model except the base. */
  async function paramsFor(
    { models, steer }: PlayRequest,
    kept: Awaited<ReturnType<typeof keptOf>>,
    { policy, model }: Opened,
  ): Promise<Partial<Record<PlayModel, Float32Array>>> {
    const params: Partial<Record<PlayModel, Float32Array>> = {};
    if (kept && models.includes('trained')) params.trained = kept.paramsOf('trained');
    if (kept && models.includes('deployed')) params.deployed = kept.paramsOf('deployed');
    if (models.includes('steered')) {
      if (!steer || !(Math.abs(steer.alpha) <= MOST_ALPHA))
        throw new SpecError(`α is ${steer?.alpha}.`, `Choose one from −${MOST_ALPHA} to ${MOST_ALPHA}.`);
      const { along, alpha } = steer;
      const initial = policy.initialAdapterParams;
      const total = () => kept!.paramsOf('trained');
      const direction =
        along === 'change'
          ? minus(total(), initial)
          : along === 'quarantine'
            ? minus(total(), kept!.paramsOf('deployed'))
            : hackwardOf(
                (await (await lab()).records.bases.open(along.basis, targetOf({ policy, model }))).raw,
                policy.adapterLayout,
              );
      params.steered = steered(initial, direction, alpha);
    }
    return params;
  }

  async function play(request: PlayRequest, signal: AbortSignal): Promise<PlayAnswer[]> {
    const { id, ask, models, seed, temperature } = request;
    const kept = await keptOf(request, signal);
    const isSteered = models.includes('steered');
    const open = kept?.equipped ?? (isSteered ? await equipped(undefined, signal) : await opened());
    const params = await paramsFor(request, kept, open);
    const { policy, codec, grader, model: loaded } = open;
    // Thoughts are not graded.
    const thinking = thinkingIn(kept?.spec ?? {}, open.text.knowsThinking) ?? 'keep';
    const judged = (text: string, prompt: readonly number[]) =>
      judgedText(text, thinking, opensThoughtIn(codec, prompt));
    const problem = ask.kind === 'problem' ? problemOf(loaded.id, ask.mode, ask.problemId) : null;
    const words = await wordsFor(ask, open, kept?.spec ?? null);
    const answers: PlayAnswer[] = [];
    await policy.apart(async () => {
      for (const model of models) {
        if (isEquipped(open)) policy.setAdapterParams(params[model] ?? policy.initialAdapterParams);
        const prompt = promptOf(ask, problem, model, { codec, text: words });
        const maxNew = roomFor(prompt, request.maxNew, loaded.config.maxPositions);
        const pieces = new TokenPieces(codec, prompt);
        let emitted = 0;
        const emitNew = ({ tokens: ids, logprobs }: Generated, isFinal: boolean) => {
          const tokens = pieces.next(ids, isFinal).map((text, i) => ({ text, logprob: logprobs[emitted + i] }));
          emitted = ids.length;
          if (tokens.length > 0) emit({ type: 'play', id, model, tokens });
        };
        const answer = await writeAnswer(policy, {
          prompt,
          seed,
          temperature,
          maxNew,
          endTokens: codec.endTokens,
          signal,
          onTokens: (soFar) => emitNew(soFar, false),
          // The CPU device never yields, so this lets messages in (a stop, the start of an experiment).
          breathe: turn,
        });
        emitNew(answer, true);
        const completion = answerText(codec, prompt, { ids: answer.tokens, ended: answer.ended });
        const grade = problem
          ? (await grader.grade([{ problem, completion: judged(completion, prompt) }], signal))[0]
          : null;
        answers.push({
          model,
          completion,
          ended: answer.ended,
          tokens: answer.tokens.length,
          read: prompt.length,
          grade,
        });
      }
    });
    return answers;
  }

  return {
    /** Runs whose adapter parameters the playground can fold in. */
    async playRuns() {
      const { records } = await lab();
      const { model } = await opened();
      const found: PlayRun[] = [];
      for (const experiment of await records.experiments()) {
        for (const run of await records.runs(experiment)) {
          const checkpoint = run.modelSha256 === model.sha256 ? await records.checkpoints.load(run.id) : null;
          if (!checkpoint) continue;
          found.push({
            runId: run.id,
            experimentId: experiment.id,
            preset: experiment.spec.preset,
            arm: run.spec.arm,
            seed: run.spec.seed,
            step: checkpoint.step,
            createdAt: run.createdAt,
            hasQuarantine: checkpoint.optimizer.hack.some((x) => x !== 0),
          });
        }
      }
      return found.sort((a, b) => b.createdAt - a.createdAt);
    },
    playProblems: async ({ mode }: { mode: ProblemMode }) => playProblems(mode, (await opened()).model.id),
    /** Resolves when all models have answered, between two steps of a running training; `play` events report each token. */
    play: (request: PlayRequest) => gate.answer(request.id, (signal) => play(request, signal)),
    /** Grades the user's own answer in the sandbox. */
    async gradeAnswer({ mode, problemId, completion }: { mode: ProblemMode; problemId: string; completion: string }) {
      const { grader, model } = await opened();
      return (await grader.grade([{ problem: problemOf(model.id, mode, problemId), completion }]))[0];
    },
  };
}

/** Token ids, including the markup. Throws FormatError if the model has no chat template, SpecError for an empty prompt. */
function promptOf(
  ask: PlayAsk,
  problem: CodeProblem | null,
  model: PlayModel,
  { codec, text }: Pick<Opened, 'codec' | 'text'>,
): number[] {
  if (problem) return codec.encodeChat(problem.prompt);
  if (ask.kind === 'chat') {
    const turns = ask.conversations[model] ?? [];
    checkPromptLength({ length: turns.reduce((sum, { text: words }) => sum + words.length, 0) }, 'The conversation');
    return text.chatIds(turns.map(({ role, text: content }) => ({ role, content })));
  }
  const start = ask.kind === 'text' ? ask.text : '';
  checkPromptLength(start, 'The text');
  const ids = codec.encodePrompt(start);
  if (ids.length > 0) return ids;
  throw new SpecError('The text is empty, and this model has no start token.', 'Write something.');
}

/** The requested number of new tokens, limited by the model's positions. */
function roomFor(prompt: readonly number[], maxNew: number, maxPositions: number): number {
  const room = maxPositions - prompt.length;
  if (room >= 1) return Math.min(room, maxNew);
  throw new SpecError(
    `The prompt has ${prompt.length} tokens; the model has ${maxPositions} positions.`,
    'Shorten the prompt, or begin a new conversation.',
  );
}

function problemOf(model: string, mode: ProblemMode, id: string): CodeProblem {
  const found = playProblems(mode, model).find((problem) => problem.id === id);
  if (found) return found;
  throw new SpecError(`There is no problem ${JSON.stringify(id)} of mode ${mode}.`, 'Choose one of the list.');
}
