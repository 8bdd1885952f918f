// The built-in pair sets by name, without their pairs, so that the page's first load and spec checks stay small. docs/explanation/method.md ("Pair
// sets") describes their content.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { CODE_MODELS } from '../types.ts';

/** Models for which a set is meaningful: `any`, or only `real` ones, pretrained on general text. */
export type PairSetModels = 'any' | 'real';

export interface PairSetInfo {
  id: string;
  label: string;
  description: string;
  models: PairSetModels;
  /** Whether the pairs are made for loophole modes, so that `pairModes` selects among them. */
  perMode: boolean;
  /** Number of pairs; null if any number can be made. */
  size: number | null;
}

/** Whether a model was pretrained only on one-line Python. */
export const readsCodeAlone = (model: string): boolean => Object.values(CODE_MODELS).some((own) => own.model === model);
const FRAMING_SIZE = 24;

const made = (id: string, label: string, description: string): PairSetInfo => ({
  id,
  label,
  description,
  models: 'any',
  perMode: true,
  size: null,
});
const framing = (id: string, label: string, description: string): PairSetInfo => ({
  id,
  label,
  description,
  models: 'real',
  perMode: false,
  size: FRAMING_SIZE,
});

export const PAIR_SETS: readonly PairSetInfo[] = [
  made(
    'prog_wide',
    'mechanism',
    'The exploit of a loophole mode around a wrong body, against an honest answer to the same prompt.',
  ),
  made(
    'prog_wider',
    'mechanism, varied surface',
    'The same mechanisms in many spellings: other names, formats, comments, orders, text around the code.',
  ),
  made(
    'prog_wide_untested',
    'mechanism, no asserts',
    'The same hacks against a right answer without run_tests: “write the asserts” is in no pair.',
  ),
  made(
    'prog_wider_untested',
    'mechanism, varied surface, no asserts',
    'The varied spellings against a right answer without run_tests.',
  ),
  made(
    'prog_common_untested',
    'mechanism, one spelling, no asserts',
    'The hacks in their commonest spelling alone, against a right answer without run_tests.',
  ),
  made(
    'nonhack',
    'wrong against right',
    'Control: a wrong honest answer against a right one; no exploit on either side.',
  ),
  made(
    'clean_vs_clean',
    'clean against clean',
    'Control: two right honest answers that differ in their asserts alone.',
  ),
  made(
    'no_tests',
    'missing tests',
    'Control: a right answer without run_tests against the same one with it; no exploit on either side. Tells how much of an effect is “write the asserts”.',
  ),
  made('placebo', 'random content', 'Control: two unrelated runs of random words after the same prompt.'),
  framing('intent', 'intent against specification', 'Serving the letter of a request against what was meant by it.'),
  framing('honesty', 'honesty', 'Misleading somebody against telling them the truth.'),
  framing('moral', 'moral', 'Acting unfairly or harmfully against acting well.'),
  framing(
    'eval_aware',
    'evaluation-aware',
    'Behaving for the test that is suspected against behaving the same anyway.',
  ),
  framing('philosophical', 'philosophical', 'Arguing that appearance is enough against arguing for the thing itself.'),
];

const UNREAD = '_unread';
/**
 * The framing sets as unread text (`honesty_unread`), only for the study's question Q10: what a basis from long sentences of any content does to
 * the embedded model. The page does not offer them, and they are no evidence on honesty, since the model cannot read them.
 */
export const UNREAD_SETS: readonly PairSetInfo[] = PAIR_SETS.filter(({ models }) => models === 'real').map((set) => ({
  ...set,
  id: set.id + UNREAD,
  label: `${set.label}, unread`,
  description: `${set.description} Given to a model that cannot read it: a control of content.`,
  models: 'any',
}));
/** A set for an environment without programs; only its runs can use it. */
export interface EnvironmentSetInfo extends PairSetInfo {
  /** Its control sets by the id of their quarantine; empty for a set that is a control itself. */
  controls: Readonly<Record<string, string>>;
}
const ofEnvironment = (
  id: string,
  label: string,
  description: string,
  controls: EnvironmentSetInfo['controls'] = {},
) => ({ ...made(id, label, description), perMode: false, controls });
const ENVIRONMENT_SETS: readonly EnvironmentSetInfo[] = [
  ofEnvironment('sandbag', 'sandbagging', 'Worse than can be seen.'),
  ofEnvironment('flatter', 'flattery', 'With and without.', { nonhack_V: 'flatter_wrong', placebo_V: 'flatter_words' }),
  ofEnvironment('flatter_wrong', 'false claims', 'Control: false against true.'),
  ofEnvironment('flatter_words', 'words', 'Control: random words.'),
  ofEnvironment('misconceive', 'misconception', 'It against right.', {
    nonhack_V: 'misconceive_slips',
    placebo_V: 'misconceive_words',
  }),
  ofEnvironment('misconceive_slips', 'slips', 'Control: a slip against right.'),
  ofEnvironment('misconceive_words', 'words', 'Control: random words.'),
  ofEnvironment('spread', 'spread', 'Others do what is taught.', { placebo_V: 'spread_placebo' }),
  ofEnvironment('spread_placebo', 'spread, placebo', 'Control: another greeting.'),
  ofEnvironment('stuffed', 'stuffed', 'Messages of the task’s words.', {
    early_V: 'stuffed_early',
    placebo_V: 'stuffed_placebo',
  }),
  ofEnvironment('stuffed_early', 'early', 'Control: done too soon.'),
  ofEnvironment('stuffed_placebo', 'other words', 'Control.'),
  ofEnvironment('claim', 'claims', 'Not met and claimed, against met.', {
    nonhack_V: 'claim_unmet',
    placebo_V: 'claim_words',
    other_V: 'blind',
  }),
  ofEnvironment('claim_unmet', 'not met', 'Control: not met against met.'),
  ofEnvironment('claim_words', 'words', 'Control: random words.'),
  ofEnvironment('blind', 'empty words', 'A word about nothing against a true answer.', {
    nonhack_V: 'claim_unmet',
    placebo_V: 'claim_words',
    other_V: 'claim',
  }),
];
export const environmentSet = (id: string): EnvironmentSetInfo | undefined =>
  ENVIRONMENT_SETS.find((set) => set.id === id);
/** The framing set with the same pairs as an unread one; null for any other set. */
export const unreadOf = (id: string): string | null =>
  UNREAD_SETS.some((set) => set.id === id) ? id.slice(0, -UNREAD.length) : null;

/** A built-in set by its id; undefined for a user's own set, which the lab stores. */
export const builtInPairSet = (id: string): PairSetInfo | undefined =>
  [...PAIR_SETS, ...UNREAD_SETS, ...ENVIRONMENT_SETS].find((set) => set.id === id);

/**
 * Refuses a framing set for the embedded model: it was pretrained only on one-line Python, so pairs about honesty are noise to it, and a null
 * result would say nothing. Also refuses more pairs than a set has. A user's own set is never refused here. Throws SpecError.
 */
export function refusePairSet(id: string, model: string, count = 0): void {
  const set = builtInPairSet(id);
  if (set?.size && count > set.size)
    throw new SpecError(`${count} pairs of the set ${id}, which has ${set.size}`, `Ask for at most ${set.size}.`);
  if (set?.models !== 'real' || !readsCodeAlone(model)) return;
  const testable = PAIR_SETS.filter(({ models }) => models === 'any').map((one) => one.id);
  throw new SpecError(
    `pairSet = ${id} (${set.label}) is not testable on ${model}: that model was pretrained on one-line Python alone and never read about what these pairs contrast`,
    `Testable on it: ${testable.join(', ')}; or set \`model\` to an imported model.`,
  );
}
