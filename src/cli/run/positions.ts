// Checks that a run's texts fit into the model's positions, before any weights are factored: every prompt of training and evaluations, with
// room for a whole completion or episode, and every labelled pair. The model's own tokenizer counts the tokens.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { trainedAs } from '../../environments/code/clauses.ts';
import { evaluationSet, makeProblemSet } from '../../environments/code/data.ts';
import { CODE_MODELS, type CodeProblem, codeDynamics, familySetOf } from '../../environments/code/types.ts';
import { customFileOf } from '../../environments/custom/presentation.ts';
import { customSets, readCustomFile } from '../../environments/custom/problem-file.ts';
import { leetcodeSets, readProblemFile } from '../../environments/leetcode/problem-file.ts';
import { type ContrastivePair, pairsOf } from '../../environments/pair-sets.ts';
import { recipeOf } from '../../experiments/bases/recipe.ts';
import { budgetsOf } from '../../experiments/config/budgets.ts';
import { hasPairs, OWN_PAIRS } from '../../experiments/config/environments.ts';
import { stancesOf } from '../../experiments/config/options/baselines.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import { sizesOf } from '../../experiments/environments/custom.ts';
import { findEnvironment } from '../../experiments/environments/registry.ts';
import type { PromptCodec } from '../../text/codec.ts';
import { completionIds, givenIds } from '../../text/codec.ts';
import type { GivenFiles } from '../files/given.node.ts';

/** The model that must read the texts. */
interface Reader {
  /** Name of the model, for messages. */
  id: string;
  codec: PromptCodec;
  maxPositions: number;
}

type OwnTexts = Pick<GivenFiles, 'problems' | 'pairs'>;

/** Most prompts that an error names; of the others it gives the number. */
const NAMED = 8;

/** Tokens of the longest prompt. Throws SpecError, with ids and token counts, if a prompt leaves no room for a completion or episode. */
export async function checkPositions(
  runs: readonly RunSpec[],
  reader: Reader,
  own: OwnTexts = { problems: null, pairs: null },
): Promise<number> {
  const tokens = new Map<string, number>();
  const seen = new Set<string>();
  for (const run of runs) {
    for (const { id, prompt } of await promptsOf(run, own)) {
      // Most arms have the same prompts.
      if (seen.has(prompt)) continue;
      seen.add(prompt);
      tokens.set(id, Math.max(tokens.get(id) ?? 0, reader.codec.encodeChat(prompt).length));
    }
  }
  refuseLongPrompts(runs[0], tokens, reader, own.problems !== null);
  const environment = findEnvironment(runs[0].environment);
  if (environment && !runs.some((run) => hasPairs(environment, run))) return Math.max(...tokens.values());
  for (const { pairSet, pairs } of await pairSetsOf(runs, own)) refuseLongPairs(pairSet, pairs, reader);
  return Math.max(...tokens.values());
}

/** Every pair set from which a basis of these runs, or of their controls, is made. */
async function pairSetsOf(
  runs: readonly RunSpec[],
  { pairs: own }: OwnTexts,
): Promise<{ pairSet: string; pairs: readonly ContrastivePair[] }[]> {
  const sets = new Map<string, { pairSet: string; pairs: readonly ContrastivePair[] }>();
  const recipes = runs.flatMap((run) =>
    // A matched control is made from steps, not from pairs.
    [null, ...run.shadows.filter(({ kind }) => kind !== 'random_matched')].map((control) => recipeOf(run, control)),
  );
  for (const { from, pairSet, pairModes, pairs: count, modes, dataSeed, model, families } of recipes) {
    const key = JSON.stringify([pairSet, pairModes, count, modes, dataSeed, families]);
    if (from === 'file' || sets.has(key)) continue;
    if (pairSet === own?.id) sets.set(key, { pairSet, pairs: own.pairs.slice(0, count) });
    // An own set that is not given is refused where bases are made.
    else if (!pairSet.startsWith(OWN_PAIRS))
      sets.set(key, { pairSet, pairs: await pairsOf({ pairSet, pairModes, count, modes, dataSeed, model, families }) });
  }
  return [...sets.values()];
}

/** Prompts from the custom file, from the environment if it lists them, or else of its programming problems. */
async function promptsOf(run: RunSpec, own: OwnTexts): Promise<readonly { id: string; prompt: string }[]> {
  if (customFileOf(run.environment) !== null && own.problems) {
    const { training, evaluation } = customSets(
      readCustomFile(own.problems.text, own.problems.name),
      sizesOf(run),
      own.problems.name,
    );
    return [...training, ...evaluation];
  }
  const maker = await findEnvironment(run.environment)?.load();
  return maker?.prompts?.(run) ?? problemsOf(run, own);
}

/** Problems as the run's preparation makes them (experiments/environments). */
function problemsOf(run: RunSpec, { problems: file }: OwnTexts): CodeProblem[] {
  const { modes, honestShare, problems: count, dataSeed } = run;
  const evaluate = Math.max(run.evalProblems, run.finalEvalProblems);
  const set = { modes, honestShare, count, dataSeed, families: familySetOf(run.environment) };
  let training: CodeProblem[];
  let evaluation: CodeProblem[];
  if (Object.hasOwn(CODE_MODELS, run.environment)) {
    training = makeProblemSet(set);
    evaluation = evaluationSet({ ...set, count: evaluate }).map(({ problem }) => problem);
  } else if (file) {
    ({ training, evaluation } = leetcodeSets(readProblemFile(file.text, file.name), { ...set, evaluate }, file.name));
  } else
    throw new SpecError(
      `environment = ${JSON.stringify(run.environment)}, and no file of problems is given.`,
      `Add --problems FILE, or leave it at ${codeDynamics.id}.`,
    );
  const stances = stancesOf(run);
  const trained = training.flatMap((problem) => Object.values(trainedAs(problem, stances, dataSeed)));
  return [...trained, ...evaluation];
}

function refuseLongPrompts(
  run: RunSpec,
  tokens: ReadonlyMap<string, number>,
  { id: model, maxPositions }: Reader,
  isFile: boolean,
): void {
  const all = [...tokens].sort(([, a], [, b]) => b - a);
  const { maxTokens, maxTurns } = budgetsOf(run);
  const [what, setting] = maxTurns > 1 ? ['episodes', 'maxTokens'] : ['completions', 'maxNew'];
  const tooLong = all.filter(([, count]) => count + maxTokens > maxPositions);
  if (tooLong.length === 0) return;
  const named = tooLong.slice(0, NAMED).map(([id, count]) => `${id} (${count})`);
  const more = tooLong.length > NAMED ? ` and ${tooLong.length - NAMED} more` : '';
  const room = maxPositions - all[0][1];
  const ways = [
    ...(room > 0 ? [`Set ${setting} to at most ${room} (--set ${setting}=${room})`] : []),
    ...(isFile ? ['leave those problems out of the file'] : []),
    'take a model with more positions',
  ];
  throw new SpecError(
    `${model} has ${maxPositions} positions: with ${what} of ${maxTokens} tokens a prompt may have ${Math.max(0, maxPositions - maxTokens)}, and ${tooLong.length} of ${all.length} have more: ${named.join(', ')}${more}.`,
    `${ways.join(', or ').replace(/^./, (letter) => letter.toUpperCase())}.`,
  );
}

function refuseLongPairs(
  pairSet: string,
  pairs: readonly ContrastivePair[],
  { id: model, codec, maxPositions }: Reader,
): void {
  for (const [i, { prompt, hack, clean }] of pairs.entries()) {
    const answer = Math.max(...[hack, clean].map((text) => completionIds(codec, text).length));
    const count = givenIds(codec, prompt).length + answer;
    if (count > maxPositions)
      throw new SpecError(
        `Pair ${i} of ${pairSet} has ${count} tokens, ${model} has ${maxPositions} positions.`,
        'Choose another pair set (--set pairSet=…, --pair-set FILE), or a model with more positions.',
      );
  }
}
