// Short instructions: prompts and verifiers of the run's flaw. What is drawn hangs on the run's settings, and the model must know the markup
// of the prompts, so that this environment has a maker of its own.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { INSTRUCTIONS_OPTIONS, INSTRUCTIONS_SPLITS } from '../../../environments/instructions/presentation.ts';
import { isShortHack, shortMetrics, shortReward } from '../../../environments/instructions/short/reward.ts';
import { shortTasks } from '../../../environments/instructions/short/tasks.ts';
import type { ShortSettings, ShortTask, ShortVerdict } from '../../../environments/instructions/short/types.ts';
import { type OneTurn, oneTurn } from '../../../environments/one-turn.ts';
import { END_OF_TURN, START_OF_TURN } from '../../../text/chatml.ts';
import type { PromptCodec } from '../../../text/types.ts';
import type { RunSpec } from '../../config/run-spec.ts';
import type { EnvironmentMaker } from '../definition.ts';
import { drawnMaker } from '../drawn.ts';
import { driftMeter } from './drift.ts';

const { flaw, flawForm, promptLanguage } = INSTRUCTIONS_OPTIONS.options;
/** Where no run is named: memory is planned for prompts as long as any. */
const DEFAULTS: ShortSettings = {
  flaw: flaw.default,
  flawForm: flawForm.default,
  promptLanguage: promptLanguage.default,
};

const settingsOf = ({ flaw, flawForm, promptLanguage }: RunSpec): ShortSettings => ({ flaw, flawForm, promptLanguage });

const drawnWith = (settings: ShortSettings) =>
  drawnMaker<ShortTask, OneTurn<ShortTask>, ShortVerdict, string>({
    dynamics: oneTurn<ShortTask>('instructions'),
    reward: () => shortReward(settings.flaw),
    figures: shortMetrics,
    splits: INSTRUCTIONS_SPLITS,
    draw: (part, count, dataSeed) => shortTasks(part, count, settings, dataSeed),
  });

export const instructionsMaker = {
  part: (spec) => [drawnWith(settingsOf(spec)).part(spec), settingsOf(spec)],
  prompts: (run) => drawnWith(run ? settingsOf(run) : DEFAULTS).prompts(run),
  async *make(spec, { codec }) {
    refuseMarkup(codec);
    const settings = settingsOf(spec);
    const measure = driftMeter(settings.promptLanguage === 'en' ? 'en' : 'zh', spec.dataSeed);
    return { ...(yield* drawnWith(settings).make(spec)), isHack: isShortHack, measure };
  },
} satisfies EnvironmentMaker<ShortTask, OneTurn<ShortTask>, ShortVerdict>;

/** Throws SpecError for a model to which the prompts' markup is mere text. */
function refuseMarkup(codec: PromptCodec): void {
  const unknown = [START_OF_TURN, END_OF_TURN].filter((token) => codec.encode(token).length !== 1);
  if (unknown.length > 0)
    throw new SpecError(
      `environment = instructions: the model’s tokenizer has no token ${unknown.join(', ')}`,
      'Take a chat model whose template has these (Qwen, MiniMind); prompts are written in that form.',
    );
}
