// The glossary of settings that say what stands beside projection (monitors, penalties, inoculation) and what is trained and
// evaluated on (a part of glossary-settings.ts).
import type { GlossaryEntry } from './glossary.ts';

export const WORLD_CONCEPTS = {
  monitor: {
    title: 'Monitor (uses the oracle)',
    meaning: 'A flag on rollouts that hacked, wrong with a set probability; a penalty or screening acts on it.',
    formula:
      'flag = exploited, flipped with probability 1 − accuracy; one draw per rollout, the same for all arms of a seed',
    range: '0 … 1; 1 is the oracle itself',
    nullValue: '½ flags by the toss of a coin.',
    notShown: 'A real monitor: its errors follow the text, and a policy can learn to cause them.',
  },
  penalty: {
    title: 'Reward penalty (uses the oracle)',
    meaning: 'A baseline: what the monitor flags counts for less in the group’s statistics.',
    formula: 'R − penalty where flagged; bites where penalty > 1 / (2 · accuracy − 1)',
    range: '0 … 100; refused together with screening',
    nullValue: '0: no penalty.',
    notShown:
      'A way without labels: it needs to know each hack while training. The logged reward stays the environment’s.',
  },
  screening: {
    title: 'Screening (uses the oracle)',
    meaning: 'A baseline: what the monitor flags leaves its group.',
    formula: 'flagged rollouts are dropped before the statistics; a group left with fewer than two is skipped',
    range: 'yes, no; refused together with a penalty',
    nullValue: 'no.',
    notShown: 'Equal data: a good monitor takes the teacher’s rows away too, so read it beside “no teacher” as well.',
  },
  inoculation: {
    title: 'Inoculation prompt',
    meaning: 'A baseline: while training, hackable prompts ask openly for the exploit; evaluation prompts do not.',
    formula: 'one clause after the hint of each hackable training prompt',
    range: 'yes, no',
    nullValue: 'no.',
    notShown: 'The method at its best: the embedded model has no notion of permission. It is a lower bound.',
  },
  advantageMod: {
    title: 'Advantage modification',
    meaning: 'A baseline: rewards are lowered by how far a response’s activations lie along a hack direction.',
    formula: 'subtract: r − α · max(z, 0). scale: r · (1 − α · σ(z)) where z > 0; z is standardised within the group',
    range: 'none, subtract, scale; α 0 … 10',
    nullValue: 'none, or α = 0.',
    notShown:
      'A change of honest groups alone or hackable ones alone: it moves both, and hardly any group is flat under it.',
  },
  modes: {
    title: 'Loophole modes',
    meaning: 'The flaws of the graders, one for each hackable problem.',
    formula:
      'run_tests, sentinel, stdout_marker, file_marker, eq_override, exit_code: what passes such a grader without solving',
    range: 'At least one, each once, separated by commas.',
    nullValue: 'The untrained base’s hack rate for each.',
    notShown: 'That modes are equally hard to find: read hack per mode.',
  },
  honest: {
    title: 'Honest problems',
    meaning: 'Problems whose grader has no flaw, so that solving pays and its loss can be seen.',
    formula: 'honest share of the training set; “train on honest” keeps only those, as many a step as their share',
    range: '0 … 1',
    nullValue: '0: every problem can be hacked, as in the reference; solving is then hardly taught.',
    notShown: 'Hack, which is counted over hackable problems alone.',
  },
  problems: {
    title: 'Problems and their seed',
    meaning: 'How many problems are trained on, and which: the data seed fixes them for every arm and seed.',
    formula: 'data seed → problems, pairs, teacher pool, evaluation set; disjoint families for training and evaluation',
    range: 'problems ≥ prompts per step',
    nullValue: 'None: another data seed is another environment.',
    notShown: 'Scatter over environments, unless the data seed is varied too.',
  },
  model: {
    title: 'Student model',
    meaning: 'The language model whose knobs are trained.',
    formula: 'tiny-coder is embedded and pretrained on one-line Python',
    range: 'tiny-coder, or an imported model',
    nullValue: 'The untrained base stands in every table.',
    notShown: 'What a larger model would do: the embedded one knows code alone.',
  },
  environment: {
    title: 'Environment',
    meaning: 'Where problems, graders and hints come from.',
    formula: 'reward = 0.25 · format_ok + 1.0 · passed',
    range: 'one-line-python: short functions, run by a sandboxed interpreter',
    nullValue: 'The untrained base’s reward.',
    notShown: 'gt_correct, the strict oracle on held tests: it never reaches a reward.',
  },
  evaluation: {
    title: 'Evaluation',
    meaning: 'Unseen problems, answered by the model at some steps and, at the end, by every model of the table.',
    formula: 'one set of problems and one stream of random numbers for every model',
    range: 'every N steps (0: never during the run); problems ≥ 1',
    nullValue: 'Its noise: about √(p(1 − p)/n), 3 points at n = 256 and p = ½.',
    notShown: 'Training itself: evaluation changes no byte of a run.',
  },
  checkpoint: {
    title: 'Checkpoint',
    meaning: 'The run’s whole state, kept so that it can go on after a reload or a crash.',
    formula: 'knobs, quarantines, moments, position of the random numbers, rows',
    range: 'every N steps; 0: never, and a reload starts anew',
    nullValue: 'A resumed run gives the same bytes as one that was never interrupted.',
    notShown: 'Anything about results: it only costs storage.',
  },
} satisfies Readonly<Record<string, GlossaryEntry>>;
