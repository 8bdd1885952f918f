// What a teacher shows: how much of each group it fills, from which pool, and how its policy ratio is taken.
import { type Facet, type Idle, setting } from '../facet.ts';
import { choice, modeList, number, text } from '../field-kinds.ts';
import { liveRows } from '../group-rows.ts';
import { withoutTeacherRows } from './of-world.ts';

const withoutTeacher: Idle = (of) => (Number(of('mix')) === 0 ? 'only with a teacher share above 0' : null);

export const TEACHER = {
  group: 'Teacher',
  role: 'training',
  idle: withoutTeacherRows,
  settings: {
    mix: setting(
      number(0, 0.99, {
        label: 'Teacher share',
        help: 'Share of each hackable group filled with cached teacher rollouts. 0 trains without a teacher.',
      }),
      { usual: 0.25, about: 'teacherShare' },
    ),
    teacherPool: setting(
      text({
        label: 'Teacher pool',
        help: 'A pool that is kept here, by its hash; empty: the environment’s own templates.',
        level: 'advanced',
      }),
      { usual: '', about: 'teacherPool', idle: withoutTeacher },
    ),
    poolModes: setting(
      modeList('Teacher shows', 'Loophole modes that have teacher rows; none marked: all of the run’s.'),
      { usual: [], about: 'heldOut', idle: withoutTeacher },
    ),
    teacherRatio: setting(
      choice(['recomputed', 'stored'], {
        label: 'Teacher’s policy ratio',
        help: 'recomputed: on the present student, as the reference does. stored: against the teacher’s own log-probabilities (the pool must hold them).',
        level: 'advanced',
      }),
      { usual: 'recomputed', about: 'teacherRatio', idle: withoutTeacher },
    ),
  },
  contradictions: [
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
  ],
  concepts: {
    teacherShare: {
      title: 'Teacher share',
      meaning: 'Part of each hackable group that is filled with cached rollouts of a teacher that hacks.',
      formula: 'G_t = ⌊G · mix + ½⌋ rows of the frozen pool, the rest live',
      range: '0 … 0.99; at least one rollout must stay live',
      nullValue: '0 trains without a teacher; the arms “no teacher” are that control.',
      notShown: 'What RL alone would find: with a recomputed ratio the teacher’s half is advantage-weighted imitation.',
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
} satisfies Facet<'mix' | 'teacherPool' | 'poolModes' | 'teacherRatio'>;
