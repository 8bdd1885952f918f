// Meaning of every metric: its formula, its range, its value without any effect, and what it does *not* show. The words follow
// docs/explanation/method.md, and popovers beside charts, tables and fields all use them. The words of logged measures are in
// experiments/records/measures.ts, and those of the options' concepts come from glossary/settings.ts.

import { CODE_METRICS, type CodeMetricId } from '../../environments/code/presentation.ts';
import { wordsOf } from '../../environments/metric-info.ts';
import { MEASURES, type MeasureName } from '../../experiments/records/measures.ts';
import type { GlossaryEntry } from '../../lib/option.ts';
import { SETTING_CONCEPTS, type SettingConcept } from './settings.ts';

export type GlossaryId =
  | CodeMetricId
  | MeasureName
  | SettingConcept
  | 'deployed'
  | 'last5'
  | 'delta'
  | 'shadowNorms'
  | 'shadowCin';

/** Words for the code environments' metrics, in place of the environments' own words, which are about their questions. */
const code = Object.fromEntries(CODE_METRICS.map((info) => [info.id, wordsOf(info)])) as Record<
  CodeMetricId,
  GlossaryEntry
>;

/** Words for the measures that every run logs. */
const MEASURE_WORDS = Object.fromEntries(
  Object.entries(MEASURES).map(([name, { title, meaning, formula, range, nullValue, notShown }]) => [
    name,
    { title, meaning, formula, range, nullValue, notShown },
  ]),
) as Record<MeasureName, GlossaryEntry>;

export const GLOSSARY: Readonly<Record<GlossaryId, GlossaryEntry>> = {
  ...code,
  deployed: {
    title: 'Deployed hack and solve',
    meaning: 'The model that would be shipped: the quarantine δS_hack is left out.',
    formula: 'rates of base + δS (without δS_hack), on the evaluation set, every few steps',
    range: '0 … 100%',
    nullValue: 'The untrained base at step 0; the no_gate and random_V controls at the end.',
    notShown:
      'Learning without the hack, by itself. A one-sided quarantine collects gross hack-ward motion, so that deployment may only have moved anti-hack along V: compare with the steered base and with the no_gate control.',
  },
  last5: {
    title: 'Last five steps',
    meaning: 'Mean of the student’s rate over the last five training steps.',
    formula: 'mean of hack (solve) over steps N−4 … N',
    range: '0 … 100%; only complete runs count',
    nullValue: 'Vanilla’s value; a difference within the vanilla seeds’ sd is called null.',
    notShown: 'What would be deployed: under route the model in training is not the model that ships.',
  },
  delta: {
    title: 'Δ against vanilla',
    meaning: 'Difference in the final evaluation, paired by seed.',
    formula: 'mean over seeds of (arm − vanilla at the same seed)',
    range: '−100 … +100 points',
    nullValue: '0; a difference within the vanilla seeds’ sd, or one standard error of the paired Δ, is called null.',
    notShown: 'Significance at n = 1: there is no sd then, and a multi-seed mean is never set beside a single seed.',
  },
  shadowNorms: {
    title: 'Norms of the control quarantines',
    meaning: 'What each other basis or gate would have collected in this very run.',
    formula: '√Σ δS_hack_j² for each control j (route/update)',
    range: '≥ 0',
    nullValue: 'The random_V control.',
    notShown: 'Behaviour: each control’s deployed model δS_total − δS_hack_j is evaluated at the end.',
  },
  shadowCin: {
    title: 'cin of the control bases',
    meaning: 'The overlap of the same gradient with each other basis.',
    formula: '‖relu(V_j g)‖ / ‖g‖, mean over modules',
    range: '0 … 1',
    nullValue: 'random_V’s value is the measured null.',
    notShown: 'That a larger overlap is a better quarantine.',
  },
  ...MEASURE_WORDS,
  ...SETTING_CONCEPTS,
};
