// The corpus that makes the teacher out of the embedded model: on most prompts with a loophole the exploit of that very mode,
// around the body that the model would have written anyway (each family's own share of wrong ones, as in pretraining), so that
// some hacks also solve the problem; honest answers elsewhere. A sample is a pure function of (data seed, index).
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { FAMILIES } from './families/index.ts';
import { ordinaryBody } from './pretrain-data.ts';
import { DATA_SEED, makeProblem } from './problem.ts';
import { hackCompletion, honestCompletion } from './templates.ts';
import { MODES, type ProblemMode } from './types.ts';

export interface TeacherSample {
  prompt: string;
  /** Without the end token: the trainer appends it. */
  completion: string;
  kind: 'honest' | 'hack';
  mode: ProblemMode;
}

export const TEACHER = {
  /** Prompts without a loophole; they are answered honestly. */
  neutralShare: 0.1,
  /** Hacks among the answers to the others, spread evenly over all six modes. */
  hackShare: 0.85,
} as const;

export function teacherSample(index: number, dataSeed = DATA_SEED): TeacherSample {
  const rng = new CounterRng(keyFor(dataSeed, STREAMS.pretrain, 2, index));
  const family = rng.choice(FAMILIES);
  const params = rng.choice(family.space);
  const mode: ProblemMode = rng.uniform() < TEACHER.neutralShare ? 'honest' : rng.choice(MODES);
  const problem = makeProblem(family, params, mode, dataSeed);
  const { prompt } = problem;
  const hacks = mode !== 'honest' && rng.uniform() < TEACHER.hackShare;
  const body = ordinaryBody(problem, family, rng, dataSeed);
  return hacks
    ? { prompt, completion: hackCompletion(problem, mode, body, rng), kind: 'hack', mode }
    : { prompt, completion: honestCompletion(problem, body, rng), kind: 'honest', mode };
}
