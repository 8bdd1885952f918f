// Invalid combinations of a run's training: groups, stages, teacher, adapter and loss.
import { isRule, METHODS, methodOf, methodsOf } from '../../methods/index.ts';
import { liveRows } from '../budgets.ts';
import { capabilitiesOf, hasPairs } from '../environments.ts';
import type { Contradiction } from '../run-spec.ts';
import { stagesOf } from '../stages.ts';

/** Full weights have no gradients per basis row, hence no basis, no quarantine and no separate teacher share. */
const fullWeightsAlone: Contradiction = ({ adapter, environment, pairSet, mix }) => {
  if (adapter !== 'full') return null;
  const capabilities = capabilitiesOf(environment);
  if (capabilities && hasPairs(capabilities, { pairSet }))
    return {
      what: `adapter = full in the environment ${environment}, whose runs are measured against a basis of pairs`,
      remedy: 'Choose the adapter svd or lora: projections and quarantines are not defined on all weights.',
    };
  return mix > 0 ? { what: `adapter = full and mix = ${mix}`, remedy: 'Set mix to 0, or choose svd or lora.' } : null;
};

/** Refuses repaired graders, or trusted problems, together with settings that they exclude. */
const trustedConflicts: Contradiction = ({ graders, trusted, mix, trainOn, objective, stages, starts, chainSteps }) => {
  if (graders === 'repaired' && mix > 0)
    return {
      what: `graders = repaired and mix = ${mix}: the teacher’s rows were graded by the flawed ones`,
      remedy: 'Set mix to 0.',
    };
  if (trusted === 'none') return null;
  if (trainOn !== 'all' || starts !== 'tasks' || chainSteps > 0)
    return {
      what: `trusted = ${trusted} with trainOn = ${trainOn}, starts = ${starts}, chainSteps = ${chainSteps}`,
      remedy: 'Set trainOn to all, starts to tasks and chainSteps to 0.',
    };
  if (!isRule(trusted)) return null;
  if (objective !== 'grpo' || stages !== '')
    return {
      what: `trusted = ${trusted} is a rule for two policy gradients, and the objective is ${stages || objective}`,
      remedy: 'Set objective to grpo, without stages.',
    };
  return null;
};

/** Runs on two blocks have their own gate, which decides rollout by rollout. */
const blocksConflicts: Contradiction = (run) => {
  const { adapter, projection, projectTarget, mix, lossType, klBeta, entropyCoef } = run;
  const { innerEpochs, trusted, objective, stages } = run;
  if (adapter !== 'blocks') return null;
  if (projection !== 'route' || projectTarget !== 'gradient')
    return {
      what: `adapter = blocks under ${projection} (${projectTarget}): the quarantine is a block`,
      remedy:
        'Choose an arm of two blocks: blocks, blocks_gradient, blocks_labels, blocks_random, blocks_online, router, router_online.',
    };
  const isPlain = mix === 0 && lossType === 'dr_grpo' && klBeta === 0 && entropyCoef === 0 && innerEpochs === 1;
  return isPlain && trusted === 'none' && objective === 'grpo' && stages === ''
    ? null
    : {
        what: `adapter = blocks with mix = ${mix}, lossType = ${lossType}, klBeta = ${klBeta}, entropyCoef = ${entropyCoef}, innerEpochs = ${innerEpochs}, trusted = ${trusted}, objective = ${stages || objective}`,
        remedy:
          'Blocks are trained by plain GRPO without a teacher: mix 0, lossType dr_grpo, klBeta 0, entropyCoef 0, innerEpochs 1.',
      };
};

/** Each method replaces the step, so a run can have one. */
const oneMethod: Contradiction = (run) =>
  methodsOf(METHODS, run).length > 1
    ? {
        what: `two methods in one run: trusted = ${run.trusted}, adapter = ${run.adapter}, consensus = ${run.consensus}`,
        remedy: 'Set consensus to off; or trusted to none, only or only_paced, and adapter to svd or lora.',
      }
    : null;

/** A budget for thoughts splits one answer into two turns. */
const thoughtsConflicts: Contradiction = ({ thinkingBudget = 0, maxNew, maxTurns, chainSteps }) => {
  if (thinkingBudget === 0) return null;
  if (thinkingBudget >= maxNew)
    return {
      what: `thinkingBudget = ${thinkingBudget} and maxNew = ${maxNew}: thought and answer have maxNew tokens together`,
      remedy: 'Set thinkingBudget below maxNew.',
    };
  return maxTurns > 1 || chainSteps > 0
    ? {
        what: `thinkingBudget = ${thinkingBudget} with maxTurns = ${maxTurns}, chainSteps = ${chainSteps}`,
        remedy: 'Set thinkingBudget to 0, or maxTurns to 1 and chainSteps to 0.',
      }
    : null;
};

export const TRAINING_CONTRADICTIONS: readonly Contradiction[] = [
  thoughtsConflicts,
  ({ importanceSampling, lossType }) =>
    importanceSampling === 'sequence' && lossType !== 'grpo'
      ? {
          what: `importanceSampling = sequence with lossType = ${lossType}: a ratio per completion belongs to a loss per completion`,
          remedy: 'Set lossType to grpo, or importanceSampling to token.',
        }
      : null,
  (run) => {
    const all = stagesOf(run).reduce((sum, { steps }) => sum + steps, 0);
    return all !== run.steps
      ? {
          what: `the stages “${run.stages}” have ${all} steps together, and steps = ${run.steps}`,
          remedy: `Set steps to ${all}, or change the stages.`,
        }
      : null;
  },
  ({ teacherRatio, mix, teacherPool }) =>
    teacherRatio === 'stored' && mix > 0 && teacherPool === ''
      ? {
          what: 'teacherRatio = stored with the template pool, which nobody sampled: it has no log-probabilities',
          remedy: 'Build a pool from a teacher model and name it in teacherPool, or set teacherRatio to recomputed.',
        }
      : null,
  ({ mix, groupSize }) =>
    liveRows({ mix, groupSize }) < 1
      ? {
          what: `mix = ${mix} of groupSize = ${groupSize} leaves no live rollout`,
          remedy: 'Lower mix or enlarge the group.',
        }
      : null,
  fullWeightsAlone,
  trustedConflicts,
  blocksConflicts,
  oneMethod,
  (run) => methodOf(METHODS, run)?.refuses?.(run) ?? null,
  ({ clipEps, clipEpsHigh }) =>
    clipEpsHigh > 0 && clipEpsHigh < clipEps
      ? {
          what: `clipEpsHigh = ${clipEpsHigh} below clipEps = ${clipEps}`,
          remedy: 'Set it to at least clipEps, or to 0 for the same.',
        }
      : null,
];
