// When a run is evaluated and saved.
import { integer, type OptionGroup } from '../../../lib/option.ts';

/** Most repetitions of a final evaluation; a stored row with more is refused. */
export const MOST_EVALUATION_SEEDS = 64;

export const EVALUATION = {
  heading: 'Evaluation',
  role: 'logging',
  options: {
    evalEvery: integer(0, 100_000, {
      default: 10,
      label: 'Evaluate every',
      unit: 'steps',
      help: 'Evaluation during the run; 0 turns it off.',
      glossary: 'evaluation',
    }),
    evalProblems: integer(1, 100_000, {
      default: 32,
      label: 'Problems during the run',
      help: 'Unseen problems of each such evaluation.',
      glossary: 'evaluation',
      disabledBecause: (of) => (Number(of('evalEvery')) === 0 ? 'only with an evaluation during the run' : null),
    }),
    finalEvalProblems: integer(1, 100_000, {
      default: 256,
      label: 'Problems at the end',
      help: 'Unseen problems of the final evaluation.',
      helpMore: 'Every model gets the same problems and the same random numbers.',
      glossary: 'evaluation',
      role: 'training',
    }),
    evaluationSeeds: integer(1, MOST_EVALUATION_SEEDS, {
      default: 1,
      label: 'Sampling seeds at the end',
      help: 'How often the final evaluation is repeated, each with its own seed.',
      helpMore:
        'Every model, the untrained one too, gets each of them. Rows keep every repetition, tables have their mean; the first is the evaluation that a run with one has.',
      glossary: 'evaluation',
      role: 'training',
    }),
    checkpointEvery: integer(0, 100_000, {
      default: 10,
      label: 'Checkpoint every',
      unit: 'steps',
      help: 'How often a run is saved, to be resumed. 0: after stages.',
      helpMore: 'A resumed run gives the same bytes as one that was never stopped.',
      glossary: 'checkpoint',
    }),
  },
  concepts: {
    evaluation: {
      title: 'Evaluation',
      meaning: 'Unseen problems, answered by the model at some steps and, at the end, by every model of the table.',
      formula: 'every model gets the same problems and the same random numbers',
      range: 'every N steps (0: never during the run); problems ≥ 1',
      nullValue: 'Its noise: about √(p(1 − p)/n), 3 points at n = 256 and p = ½.',
      notShown: 'Training itself: evaluation changes no byte of a run.',
    },
    checkpoint: {
      title: 'Checkpoint',
      meaning: 'The run’s whole state, kept so that it can go on after a reload or a crash.',
      formula: 'adapter parameters, quarantines, moments, position of the random numbers, rows',
      range: 'every N steps; 0: never, and a reload starts anew',
      nullValue: 'A resumed run gives the same bytes as one that was never interrupted.',
      notShown: 'Anything about results: it only costs storage.',
    },
  },
} satisfies OptionGroup;
