// The flag that says what of a model's text is judged, of every command that has a model answer.
import { THINKING } from '../thinking.ts';
import { oneOf } from './args.ts';

export const THINKING_FLAG = oneOf(
  THINKING,
  'Whether what stands in <think>…</think> is judged: strip (the answer alone) or keep (all). strip where absent and the model’s chat template knows thoughts, else keep.',
  null,
);
