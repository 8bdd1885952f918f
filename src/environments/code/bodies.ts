// Bodies of `solve`: the right expression, plausible wrong ones (a wrong constant, or another family's expression over
// the same arguments), and the stub. Wrong means wrong by value, on the held tests and on the visible ones.
import { LabError } from '@projected-grpo-lab/base/errors.ts';
import type { CounterRng } from '../../rng/index.ts';
import { type Family, familiesOf, type Params } from './families/index.ts';
import { sameJson, samePy } from './literals.ts';
import { agrees, familyOf } from './problem.ts';
import type { CodeProblem, Json } from './types.ts';

export interface Body {
  readonly kind: 'right' | 'wrong_constant' | 'wrong_family' | 'stub';
  /** A Python expression over the method's arguments. */
  readonly python: string;
  value(args: readonly Json[]): Json;
}

const bodyOf = (kind: Body['kind'], family: Family, params: Params): Body => ({
  kind,
  python: family.python(params),
  value: (args) => family.value(params, args),
});

export const rightBody = (problem: CodeProblem): Body => bodyOf('right', familyOf(problem), problem.params);
export const STUB: Body = { kind: 'stub', python: '0', value: () => 0 };

const sameParams = (a: Params, b: Params): boolean => sameJson([...a], [...b]);

/** Half wrong constants, half other families (with the prompt's own constants where the other family takes them). */
function candidate(problem: CodeProblem, rng: CounterRng): Body {
  const own = familyOf(problem);
  if (rng.int(2)) return bodyOf('wrong_constant', own, rng.choice(own.space));
  const family = rng.choice(familiesOf(own.signature));
  const params = family.space.find((p) => sameParams(p, problem.params)) ?? rng.choice(family.space);
  return bodyOf('wrong_family', family, params);
}

/** True when a body fails the strict oracle and also at least one visible test under Python's own `==`. */
export const isWrong = (problem: CodeProblem, body: Body): boolean =>
  !agrees(body.value, problem.held) && !agrees(body.value, problem.visible, samePy);

const DRAWS = 1000;

/** A plausible wrong body, verified by value; LabError when none is found. `accept` may ask for more. */
export function drawWrong(problem: CodeProblem, rng: CounterRng, accept: (body: Body) => boolean = () => true): Body {
  for (let tries = 0; tries < DRAWS; tries++) {
    const body = candidate(problem, rng);
    if (isWrong(problem, body) && accept(body)) return body;
  }
  throw new LabError(
    `no wrong body was found for ${problem.id} in ${DRAWS} draws`,
    'Choose another dataSeed (its tests may tell too little), or report it with this problem’s name.',
  );
}
