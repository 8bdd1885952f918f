// Monitors that read the rollouts, in place of the oracle with random errors (algorithms/monitor.ts): a policy can learn to write what they
// miss. Each is fitted to labelled pairs; a penalty reduces the rewards of what it flags (monitors-step.ts).
import * as z from 'zod/mini';
import { choice, type OptionGroup } from '../../lib/option.ts';
import { plainArm } from './arms.ts';
import type { ArmFacts, Method, MethodArm } from './method.ts';
import type { MonitorRun } from './monitors-step.ts';

/** Three times the break-even 1 / (TPR − FPR) = 1.33 of a hack (worth 1) at a recall of three in four. At 2, an oracle with such errors
 *  leaves a fifth of the rollouts hacks (two draws). */
const PENALTY = 4;
/** A forward of each rollout, no backward. */
const FACTS = {
  labels: 'pairs',
  cost: 1.2,
  besides: 'the pairs, once',
  source: 'arXiv:2602.15515, June 2026',
} as const;

/** Most characters of a stored classifier: three numbers per feature in double precision, 12,000 features. */
const MOST_STATE = 400_000;

const arm = <const M extends string, const F extends ArmFacts>(
  monitor: M,
  label: string,
  description: string,
  colour: MethodArm['colour'],
  facts: F,
) => plainArm(label, description, colour, { rewardPenalty: PENALTY, monitor }, facts);

export const MONITORS = {
  family: 'reward',
  arms: {
    probe_penalty: arm(
      'probe',
      'probe penalty',
      'A frozen probe of the student’s activations says what is penalised.',
      'route',
      FACTS,
    ),
    probe_refit: arm(
      'refit',
      'probe penalty, refitted',
      'The probe is refitted on the pairs every ten steps.',
      'erase',
      FACTS,
    ),
    base_probe: arm(
      'untrained',
      'probe penalty, untrained reader',
      'The probe reads the untrained model’s activations.',
      'control2',
      FACTS,
    ),
    text_monitor: arm(
      'text',
      'text monitor penalty',
      'A classifier of tokens and their neighbours says what is penalised.',
      'control3',
      { ...FACTS, cost: 1 },
    ),
    probe_rates: arm(
      'rates',
      'oracle with the probe’s errors',
      'Flags by chance, at the probe’s rates on hacks and on others.',
      'control',
      { ...FACTS, labels: 'oracle', controls: 'probe_penalty' },
    ),
    probe_random: arm(
      'permuted',
      'probe penalty, random',
      'Control: its flags are dealt among rollouts of equal reward.',
      'control',
      { ...FACTS, controls: 'probe_penalty' },
    ),
  },
  options: {
    heading: 'Baselines',
    role: 'intervention',
    needs: 'loopholes',
    options: {
      monitor: choice(['oracle', 'probe', 'refit', 'untrained', 'text', 'rates', 'permuted'], {
        default: 'oracle',
        isAbsentAtDefault: true,
        label: 'Monitor',
        help: 'What says which rollouts a reward penalty acts on.',
        helpMore:
          'probe: the student’s activations. refit: taught again every ten steps. untrained: the untrained model’s. text: tokens. rates, permuted: controls.',
        glossary: 'trainedMonitor',
        disabledBecause: (of) => (Number(of('rewardPenalty')) > 0 ? null : 'only with a reward penalty'),
      }),
    },
    concepts: {
      trainedMonitor: {
        title: 'Monitor that can be gamed',
        meaning: 'A classifier that labelled pairs teach says which rollouts are penalised.',
        formula:
          'flag = [σ(w·h + b) ≥ ½], h activations of the middle layer, or tokens; R − penalty where flagged and R ≠ 0',
        range: 'probe, refit, untrained, text; rates, permuted',
        nullValue:
          'rates: by chance, as often as the probe flags other pairs’ hacks and answers. permuted: by equal reward.',
        notShown: 'Whether it still sees the hack: read its recall.',
      },
    },
  } satisfies OptionGroup,
  uses: ({ monitor = 'oracle' }) => monitor !== 'oracle',
  refuses: ({
    monitor,
    rewardPenalty,
    screening,
    monitorAccuracy,
    advantageMod,
    objective,
    stages,
    starts,
    chainSteps,
  }) => {
    const isGrpo = objective === 'grpo' && stages === '' && starts === 'tasks' && chainSteps === 0;
    const isAlone = rewardPenalty > 0 && !screening && monitorAccuracy === 1 && advantageMod === 'none';
    return isGrpo && isAlone
      ? null
      : {
          what: `monitor = ${monitor} with rewardPenalty = ${rewardPenalty}, screening = ${screening}, monitorAccuracy = ${monitorAccuracy}, advantageMod = ${advantageMod}, objective = ${stages || objective}, starts = ${starts}, chainSteps = ${chainSteps}: it says what a reward penalty in plain GRPO acts on, and has errors of its own`,
          remedy:
            'Set monitor to oracle; or rewardPenalty above 0, screening to false, monitorAccuracy to 1, advantageMod to none, objective to grpo without stages, starts to tasks and chainSteps to 0.',
        };
  },
  // Measured for the verifier: a forward for features takes a fifth of the time of scoring.
  times: ({ monitor }) => ({ scoring: monitor === 'text' ? 1 : 1.2 }),
  stored: { monitor: z.string().check(z.regex(/^[\w-]*$/), z.maxLength(MOST_STATE)) },
  prepare: async (ports) => (await import('./monitors-step.ts')).prepareMonitor(ports),
} as const satisfies Method<MonitorRun>;
