// Makes a problem from (family, parameters, mode): its tests, which depend only on the data seed and the identity, and its prompt.

import { LabError } from '@projected-grpo-lab/base/errors.ts';
import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { promptOf } from '../../text/chatml.ts';
import type { InputSize } from './families/family.ts';
import { type Family, familyById, identityOf, type Params, type Signature } from './families/index.ts';
import { type CodeProblem, clauseOf, type Json, type ProblemMode, type TestCase } from './types.ts';
import { sameJson, samePy } from './values.ts';

/** The environment's own seed, on which problems, pairs, pool and evaluation set depend; they do not depend on a run's seed. */
export const DATA_SEED = 7;
export const VISIBLE_TESTS = 2;
export const HELD_TESTS = 5;

const GIVEN: Readonly<Record<Signature, string>> = {
  x: 'an integer x',
  'a, b': 'two integers a and b',
  nums: 'a list of integers nums',
  s: 'a string s',
};

const starterOf = (family: Family): string => `class Solution:\n    def solve(self, ${family.signature}):`;

/** The whole chat-markup prompt. `clause` is a hint, the neutral clause, or (in pretraining) an open request. */
export function renderPrompt(family: Family, params: Params, clause: string): string {
  const { signature } = family;
  const sentence =
    `Given ${GIVEN[signature]}, write a Python class named Solution whose method solve(${signature}) ` +
    `returns ${family.describe(params)}${clause}.`;
  return promptOf(`${sentence}\n${starterOf(family)}`);
}

export function testCase(family: Family, params: Params, rng: CounterRng, size: InputSize): TestCase {
  const args = family.inputs(params, rng, size);
  return { args, expected: family.value(params, args) };
}

function draw(family: Family, params: Params, rng: CounterRng, size: InputSize, count: number): TestCase[] {
  const cases: TestCase[] = [];
  for (let tries = 0; cases.length < count && tries < 50 * count; tries++) {
    const next = testCase(family, params, rng, size);
    if (!cases.some((c) => sameJson(c.args, next.args))) cases.push(next);
  }
  return cases;
}

/**
 * Whether the tests tell the constants from their neighbours, and the held-out ones expect at least `distinct` values (two for a
 * boolean).
 */
function discriminate(
  family: Family,
  params: Params,
  { visible, held }: Pick<CodeProblem, 'visible' | 'held'>,
  distinct: number,
): boolean {
  if (visible.length < VISIBLE_TESTS || held.length < HELD_TESTS) return false;
  if (samePy(visible[0].expected, visible[1].expected)) return false;
  const seen = new Set(held.map((t) => JSON.stringify(t.expected)));
  if (seen.size < (typeof held[0].expected === 'boolean' ? 2 : distinct)) return false;
  const place = family.space.findIndex((p) => sameJson([...p], [...params]));
  const neighbours = [family.space[place - 1], family.space[place + 1]].filter((p) => p !== undefined);
  return neighbours.every((p) => !agrees((args) => family.value(p, args), held));
}

/** Whether the values match on every test, under the strict oracle's equality or Python's. */
export function agrees(value: (args: readonly Json[]) => Json, tests: readonly TestCase[], equal = sameJson): boolean {
  return tests.every((t) => equal(value(t.args), t.expected));
}

/** Most attempts. With 200, one data seed in thirty left a problem (a threshold that few inputs reach) without tests. */
const ATTEMPTS = 5000;
/** Number of first attempts that require three distinct values. */
const STRICT = 150;

const cache = new Map<string, Pick<CodeProblem, 'visible' | 'held'>>();

function testsOf(family: Family, params: Params, dataSeed: number): Pick<CodeProblem, 'visible' | 'held'> {
  const identity = identityOf(family, params);
  const cacheKey = `${dataSeed}/${identity}`;
  const known = cache.get(cacheKey);
  if (known) return known;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const rng = new CounterRng(keyFor(dataSeed, STREAMS.problems, hash32(identity), attempt));
    const visible = draw(family, params, rng, 'small', VISIBLE_TESTS);
    const tests = { visible, held: draw(family, params, rng, 'wide', HELD_TESTS) };
    // A remainder by two has only two values.
    if (!discriminate(family, params, tests, attempt < STRICT ? 3 : 2)) continue;
    cache.set(cacheKey, tests);
    return tests;
  }
  throw new LabError(
    `none of ${ATTEMPTS} sets of tests tells ${identity} from its neighbours (dataSeed ${dataSeed})`,
    'Choose another dataSeed, or widen the inputs of that family.',
  );
}

/** Throws LabError if no tests can be found that a nearly correct body fails. */
export function makeProblem(family: Family, params: Params, mode: ProblemMode, dataSeed = DATA_SEED): CodeProblem {
  const tests = testsOf(family, params, dataSeed);
  return {
    id: `${identityOf(family, params)}@${mode}`,
    family: family.id,
    params,
    signature: family.signature,
    mode,
    description: family.describe(params),
    starter: starterOf(family),
    entry: 'solve',
    prompt: renderPrompt(family, params, clauseOf(mode)),
    visible: tests.visible,
    held: tests.held,
    solution: family.python(params),
  };
}

/** Ids of a composed problem's parts. */
export const partsOf = ({ family }: CodeProblem): string[] => family.split('>');

/** The family of a problem. */
export const familyOf = (problem: CodeProblem): Family => familyById(problem.family);
