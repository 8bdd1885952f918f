// The flag that selects which part of a model's text is judged, shared by every command in which a model answers.
import { THINKING } from '../thinking.ts';
import { oneOf } from './args.ts';

export const THINKING_FLAG = oneOf(
  THINKING,
  'Whether what stands in <think>…</think> is judged: strip (the answer alone) or keep (all). strip where absent and the model’s chat template knows thoughts, else keep.',
  null,
);
