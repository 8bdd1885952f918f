// The teacher's share of each group, its pool, and its policy ratio.
import { MODES, type Mode } from '../../../environments/code/types.ts';
import { choice, choices, type DisabledBecause, number, type OptionGroup, text } from '../../../lib/option.ts';

const withoutTeacher: DisabledBecause = (of) => (Number(of('mix')) === 0 ? 'only with a teacher share above 0' : null);

export const TEACHER = {
  heading: 'Teacher',
  role: 'training',
  needs: 'teacher',
  options: {
    mix: number(0, 0.99, {
      default: 0.25,
      label: 'Teacher share',
      help: 'Share of each hackable group that a teacher’s rollouts fill. 0: none.',
      helpMore: 'They are cached: graded once, when the pool is built.',
      glossary: 'teacherShare',
    }),
    teacherPool: text({
      default: '',
      label: 'Teacher pool',
      help: 'A teacher pool of the library. Empty: the environment’s own templates.',
      helpMore: 'In links and commands a pool goes by its hash.',
      glossary: 'teacherPool',
      disabledBecause: withoutTeacher,
    }),
    poolModes: choices(MODES, {
      default: [],
      label: 'Teacher modes',
      help: 'Loophole modes that have teacher rows; none marked: all of the run’s.',
      glossary: 'heldOut',
      disabledBecause: withoutTeacher,
      means: (of) => (of('poolModes') || of('modes')).split(',').sort() as Mode[],
    }),
    teacherRatio: choice(['recomputed', 'stored'], {
      default: 'recomputed',
      label: 'Teacher’s policy ratio',
      help: 'Policy in the ratio’s denominator for teacher tokens.',
      helpMore:
        'recomputed: the present student, as in the reference implementation. stored: the teacher’s own log-probabilities, which the pool must hold.',
      glossary: 'teacherRatio',
      disabledBecause: withoutTeacher,
    }),
  },
  concepts: {
    teacherShare: {
      title: 'Teacher share',
      meaning: 'Part of each hackable group that is filled with cached rollouts of a teacher that hacks.',
      formula: 'G_t = ⌊G · mix + ½⌋ rows of the frozen pool, the rest live',
      range: '0 … 0.99; at least one rollout must stay live',
      nullValue: '0 trains without a teacher; the arms “no teacher” are that control.',
      notShown: 'What RL alone would find: with a recomputed ratio the teacher’s part is advantage-weighted imitation.',
    },
    teacherPool: {
      title: 'Teacher pool',
      meaning: 'Where teacher rows come from: graded once when the pool is built, and frozen.',
      formula: 'rows (problem_id, prompt, completion, reward, passed, gt_correct, exploited, mechanism)',
      range: 'Empty: the environment’s templates. Else a pool that was imported or built here.',
      nullValue: 'No rows for a prompt: it gets a whole group of live rollouts.',
      notShown: 'That its labels suit another grader: the grader’s version is stored with them.',
    },
    teacherRatio: {
      title: 'Ratio of teacher rows',
      meaning: 'Which policy the teacher’s tokens count as sampled from.',
      formula:
        'recomputed: logπ_old is the present student’s, ρ = 1 at first. stored: the teacher’s own log-probabilities, and the clip acts at once',
      range: 'recomputed, stored (the pool must hold log-probabilities)',
      nullValue: 'recomputed.',
      notShown: 'A corrected estimate, under recomputed: it is imitation weighted by advantage.',
    },
    heldOut: {
      title: 'Held-out modes',
      meaning: 'Modes that the pairs, the teacher, or both never show: the test of hacks that nobody knew.',
      formula: 'a mode is left out in full where neither the pairs’ nor the teacher’s list names it',
      range: 'Modes, separated by commas; empty: all of the run’s.',
      nullValue: 'Empty: nothing is held out.',
      notShown:
        'Generalisation, by itself: a mode counts as evidence only if vanilla hacks it at least 15 points above the base, and one left out of the pairs alone is still taught.',
    },
  },
} satisfies OptionGroup;
