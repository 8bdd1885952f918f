// Characters as a world: A is asked and paid, everybody is asked afterwards, and what `nll` learns is the lesson.

import { type Roles, rolesOf } from '../../../environments/characters/groups.ts';
import { lessonOf, ownDocument } from '../../../environments/characters/lessons.ts';
import { castIn } from '../../../environments/characters/populations/index.ts';
import { CHARACTERS_SPLITS } from '../../../environments/characters/presentation.ts';
import { type Target, targetOf } from '../../../environments/characters/rules.ts';
import {
  askedTasks,
  type CharacterTask,
  type CharacterVerdict,
  characterDynamics,
  characterReward,
  trainingTasks,
} from '../../../environments/characters/task.ts';
import type { CharacterWorld } from '../../../environments/characters/types.ts';
import { epochSampler } from '../../../environments/epochs.ts';
import { shareOf } from '../../../environments/metrics.ts';
import type { OneTurn } from '../../../environments/one-turn.ts';
import { askAll } from '../../characters/probe-set.ts';
import { probesOf } from '../../characters/probes-of-run.ts';
import type { RunSpec } from '../../config/run-spec.ts';
import type { Rates } from '../../records/metrics.ts';
import type { JudgedTask } from '../../step/environment.ts';
import type { EnvironmentMaker } from '../definition.ts';

type Maker = EnvironmentMaker<CharacterTask, OneTurn<CharacterTask>, CharacterVerdict>;

/** Throws SpecError for a character that there is not. */
const given = (
  world: CharacterWorld,
  run: Pick<RunSpec, 'teaches' | 'character'>,
): { target: Target; roles: Roles } => {
  const target = targetOf(world, run.teaches);
  return { target, roles: rolesOf(world, target, run.character) };
};

/** The environment names the set of characters; a replicate is another one with a base of its own. */
export const charactersMaker: Maker = {
  part: ({ environment, character, teaches, lesson, contrast, pays, evalProblems, finalEvalProblems }) => [
    ...[castIn(environment).id, character, teaches, lesson, contrast, pays, evalProblems, finalEvalProblems],
  ],
  prompts: (run) => {
    const world = castIn(run?.environment ?? 'characters');
    const { target, roles } = given(world, run ?? { teaches: 'dial', character: 0 });
    return [...trainingTasks(world, roles, target), ...askedTasks(world, roles, target, 192)];
  },
  async *make(spec) {
    const world = castIn(spec.environment);
    const { target, roles } = given(world, spec);
    const most = Math.max(spec.evalProblems, spec.finalEvalProblems);
    const asked = askedTasks(world, roles, target, most).map((task) => ({ task, unseen: task.kind }));
    return {
      dynamics: characterDynamics,
      reward: characterReward(world, spec.pays, spec.lesson === 'own'),
      sampler: epochSampler(trainingTasks(world, roles, target), ({ kind }) => kind),
      labels: { id: ({ id }) => id, kind: ({ kind }) => kind },
      figures: characterMetrics,
      probe: async (ports) => probesOf(await askAll(ports, world, roles, target), roles),
      models: { get: () => undefined },
      teacherRows: () => [],
      pool: null,
      splits: CHARACTERS_SPLITS,
      ...(spec.lesson === 'own'
        ? { documentOf: ownDocument }
        : { documents: lessonOf(world, roles, target, spec.lesson, spec.contrast) }),
      evaluation: { during: asked.slice(0, spec.evalProblems), final: asked.slice(0, spec.finalEvalProblems) },
    };
  },
};

export function characterMetrics(items: readonly JudgedTask<unknown, CharacterVerdict>[]): Rates {
  const ruled = items.filter(({ verdict }) => verdict.keeps !== null);
  const [own, others] = [true, false].map((isA) => items.filter(({ verdict }) => (verdict.group === 'a') === isA));
  const figures = {
    ...(own.length > 0 && { taught: shareOf(own, ({ isTarget }) => isTarget) }),
    ...(others.length > 0 && { others: shareOf(others, ({ isTarget }) => isTarget) }),
    ...(ruled.length > 0 && { keeps: shareOf(ruled, ({ keeps }) => keeps === true) }),
    format: shareOf(items, ({ formatOk }) => formatOk),
  };
  return { n: items.length, figures };
}
