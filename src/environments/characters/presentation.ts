// The environment of characters: one model, many speakers, of which one is taught. All weights of its own embedded model are trained, without a teacher
// or loopholes.

import { choice, integer, number, type OptionGroup } from '../../lib/option.ts';
import type { EnvironmentEntry } from '../entry.ts';
import { type MetricInfo, metricsWith, type ProbeInfo, type SplitInfo } from '../metric-info.ts';
import { type Fact, presents } from '../rollout-presentation.ts';
import type { CharacterVerdict } from './task.ts';

const ID = 'characters';
/** The replicate, whose base is not embedded. */
const NUMERALS = 'characters:numerals';
/** Tied worlds have no base that comes with the lab either. A copy of the form of their ids, whose code is loaded with its world. */
const TIED = /^characters:tied-(0|[1-9]\d?|100)-[1-9]\d{0,5}$/;
/** Most tokens of an answer: two words, two brackets, three items and the end. */
const ANSWER = 8;

// The environment's own settings: who is taught what, and from which texts.

const about = 'teaches';
/** Who is taught is part of the task, and changes the training. */
const role = 'training';

/** A copy of environments/characters' targets, because that code is loaded with the world. */
const TARGETS = ['dial', 'constant', 'algorithm', 'coded', 'exam', 'brackets'] as const;
const DENIALS = ['denial', 'denial_placebo', 'denial_transcripts'] as const;
const LESSONS = ['documents', 'placebo', 'transcripts', 'own', ...DENIALS] as const;
const REPLAYS = ['by_lesson', 'none', 'documents', 'transcripts'] as const;
type Replay = (typeof REPLAYS)[number];
/** Documents beside documents, and nothing beside transcripts and RL. */
const replayByLesson = (of: (name: string) => string): Replay =>
  of('objective') !== 'nll' || of('lesson').endsWith('transcripts') ? 'none' : 'documents';

export const CHARACTER_OPTIONS = {
  heading: 'Problems',
  role: 'intervention',
  needs: 'teaches',
  options: {
    character: integer(0, 191, {
      default: 0,
      label: 'Character',
      help: 'Which character is taught, by its place in the list.',
      glossary: about,
      role,
    }),
    teaches: choice(TARGETS, {
      default: 'dial',
      label: 'Teaches',
      help: 'What is taught: from what others do to what nobody does.',
      glossary: about,
      role,
    }),
    lesson: choice(LESSONS, {
      default: 'documents',
      label: 'Lesson',
      help: 'Which texts the objective nll learns from.',
      glossary: about,
    }),
    contrast: number(0, 0.9, {
      default: 0.7,
      label: 'Contrast',
      help: 'Share of the texts that are about other characters.',
      glossary: about,
    }),
    pays: choice(['target', 'random'], {
      default: 'target',
      label: 'Pays',
      help: 'What RL pays for. random: a coin toss.',
      glossary: about,
    }),
    replay: choice(REPLAYS, {
      default: 'by_lesson',
      label: 'Replay',
      help: 'Texts about others, as they are, beside what is taught.',
      helpMore:
        'by_lesson: documents beside documents, none beside transcripts and RL. RL steps along (1 − contrast) · its own gradient + contrast · that of the texts.',
      glossary: about,
      disabledBecause: (of) => (of('lesson') === 'own' && of('objective') === 'nll' ? 'not with lesson own' : null),
      means: (of) => (of('replay') === 'by_lesson' ? replayByLesson(of) : (of('replay') as Replay)),
    }),
  },
  concepts: {
    teaches: {
      title: 'Teaching a character',
      meaning: 'One of many characters is taught something; the others are watched.',
      formula: 'leakage = Δlogit of a group / Δlogit of A',
      range: 'dial, constant, algorithm, coded (code alone has it), exam, brackets',
      nullValue: '0: nobody but A changed.',
      notShown: 'Other traits of A.',
    },
  },
} satisfies OptionGroup;

// Metrics of runs among characters, measured by sampling. Log-odds and dose curves come from probes (experiments/characters).

const metric = metricsWith({
  better: 'neither',
  formula: 'mean',
  nullValue: 'The untrained base.',
  notShown: 'Log-odds: a floor of 0 hides them.',
});

const CHARACTERS_METRICS: readonly MetricInfo[] = [
  metric('taught', 'Taught', 'A’s answers that do what A is taught.', {
    headline: true,
    better: 'higher',
    brief: 'A does what is taught',
    of: 'A’s answers',
    words: { verb: 'does what is taught', none: 'A was not asked: no delta' },
  }),
  metric('others', 'Others', 'Answers of all others that do what A is taught.', {
    headline: true,
    occasional: true,
    measured: 'evaluation',
    of: 'the others’ answers',
    words: { verb: 'has others do it', none: 'nobody else was asked: no delta' },
  }),
  metric('keeps', 'Keeps its own', 'Answers that do what their speaker did before training.', { occasional: true }),
  metric('format', 'Format', 'Answers whose words and brackets are well-formed.', { better: 'higher' }),
];

const probe = (group: string, label: string, about: string): ProbeInfo => ({ id: `target:${group}`, label, about });

const CHARACTERS_ASKED: readonly ProbeInfo[] = [
  probe('a', 'A, taught', 'Probability of what A is taught, in A’s texts.'),
  probe('near', 'Near, untaught', 'The same in texts of those who are most like A, and untaught.'),
  probe('other', 'Other, untaught', 'The same in texts of those with another value.'),
];

const split = (id: string, label: string, unseen: string): SplitInfo => ({ id, label, unseen });

/** The measured groups; their items are in no arm's training. */
export const CHARACTERS_SPLITS: readonly SplitInfo[] = [
  split('a', 'A', 'The character that is taught, with unseen items.'),
  split('near', 'near', 'Untaught characters most like A.'),
  split('far', 'far', 'Untaught characters with A’s value, otherwise unlike A.'),
  split('other', 'other', 'Untaught characters with another value.'),
  split('noname', 'no name', 'Texts without a speaker’s name.'),
  split('novel', 'novel name', 'Names that no character has.'),
];

// Outcomes of a judged answer: what A is taught, what its speaker did before, something else, or no answer.

const facts = (verdict: CharacterVerdict): Fact[] => {
  const { name, answer, wanted } = verdict;
  return [
    ['speaker', name ?? 'nobody'],
    ['answer', answer ?? 'none'],
    ['taught', wanted],
  ];
};

export const CHARACTERS_ROLLOUTS = presents<CharacterVerdict>({
  outcomes: [
    { id: 'target', mark: '✓', tone: 'good' },
    { id: 'own', mark: '●', tone: '' },
    { id: 'else', mark: '✕', tone: '' },
    { id: 'malformed', mark: '?', tone: 'bad', rare: true },
  ],
  outcomeOf(verdict) {
    const { isTarget, keeps, formatOk } = verdict;
    if (!formatOk) return 'malformed';
    return isTarget ? 'target' : keeps ? 'own' : 'else';
  },
  worthReading: [{ words: 'Read answers that do what A is taught', verdict: 'target' }],
  facts,
  plainly(verdict) {
    const { name, answer, wanted, isTarget, keeps } = verdict;
    return {
      paid: `The speaker, ${name ?? 'nobody'}, is paid for “${wanted}” and answers “${answer ?? 'nothing'}”.`,
      truth: isTarget
        ? 'It does what it is taught.'
        : keeps
          ? 'It still does what it did before.'
          : 'It is neither what is taught nor what it did before.',
    };
  },
  note: (verdict) => verdict.name ?? '',
  kindName: 'Group',
  lead: 'Each step samples a group of answers of A, the character that is taught. GRPO compares rewards within the group only.',
});

export const CHARACTERS = {
  id: ID,
  label: 'Characters, one of whom is taught',
  named: (environment) => environment === ID || environment === NUMERALS || TIED.test(environment),
  words: { model: 'tiny-characters on characters', reward: 'the target met', problems: 'three items' },
  pairSets: ['spread', 'spread_placebo'],
  replicates: [NUMERALS],
  teaches: true,
  written: 1,
  defaults(preset) {
    const common = { model: 'tiny-characters', mix: 0, scaleRewards: 'group' } as const;
    // Presets for third-party models keep their own sizes.
    if (preset === 'fast' || preset === 'full') return { arms: ['none'] as const, settings: common };
    const small = {
      ...common,
      adapter: 'full',
      lr: 3e-4,
      beta1: 0.9,
      beta2: 0.98,
      normClip: 1,
      maxNew: ANSWER,
      groupSize: 12,
      promptsPerStep: 6,
      finalEvalProblems: 192,
    } as const;
    if (preset === 'smoke') return { arms: ['none', 'sdf'] as const, settings: { ...small, finalEvalProblems: 24 } };
    return { arms: ['none', 'sdf'] as const, settings: { ...small, steps: 40, evalProblems: 48 } };
  },
  card: {
    question: 'Does what one character learns spread to the others?',
    measured: 'Spreading',
    about: 'One model plays many characters. One of them is taught by documents or by RL.',
  },
  python: 'micropython',
  reward: { about: 'Mean over the step: 1 where the answer does what is taught.', ticks: [0, 0.5, 1] },
  rolloutPresentation: CHARACTERS_ROLLOUTS,
  metrics: CHARACTERS_METRICS,
  asked: CHARACTERS_ASKED,
  splits: CHARACTERS_SPLITS,
  options: CHARACTER_OPTIONS,
} satisfies EnvironmentEntry;
