// What is done with the part along the basis.
import { type Facet, type Idle, setting } from '../facet.ts';
import { boolean, choice, number } from '../field-kinds.ts';
import { withoutPairs } from './of-world.ts';

const withoutProjection: Idle = (_of, arm) =>
  arm.projection === 'none' ? 'only with an arm that erases or routes' : null;

export const PROJECTION = {
  group: 'Projection',
  role: 'projection',
  idle: withoutPairs,
  settings: {
    gate: setting(
      choice(['one_sided', 'no_gate', 'reverse'], {
        label: 'Gate',
        help: 'one_sided removes only hack-ward motion, no_gate both ways, reverse flips it.',
        level: 'advanced',
      }),
      { usual: 'one_sided', about: 'gate', idle: withoutProjection },
    ),
    overshoot: setting(
      number(0, 10, {
        label: 'Overshoot',
        help: 'Removes this multiple of the component; 1 removes it exactly.',
        level: 'advanced',
      }),
      { usual: 1, about: 'overshoot', idle: withoutProjection },
    ),
    preserveMagnitude: setting(
      boolean({
        label: 'Preserve magnitude',
        help: 'Rescales what is kept to the gradient’s own length (erase under gradient only).',
        level: 'advanced',
      }),
      { usual: false, about: 'preserveMagnitude', idle: withoutProjection },
    ),
  },
  contradictions: [
    ({ preserveMagnitude, projection, projectTarget }) =>
      preserveMagnitude && (projection === 'route' || projectTarget === 'update')
        ? {
            what: `preserveMagnitude = true with ${projection}/${projectTarget}: a rescaled gradient and its removed part no longer add up`,
            remedy: 'Set preserveMagnitude to false, or keep only the arms none, erase and their controls.',
          }
        : null,
  ],
  concepts: {
    gate: {
      title: 'Gate',
      meaning: 'Which part of the component along V is removed.',
      formula: 'one_sided: relu(c). no_gate: c. reverse: 2c, with c = V g',
      range: 'one_sided, no_gate, reverse',
      nullValue: 'No gate closes on noise: one_sided takes half of every random component too.',
      notShown:
        'That it is harmless: a one-sided gate collects gross motion, so deployment may move anti-hack; the no_gate shadow is the check.',
    },
    overshoot: {
      title: 'Overshoot',
      meaning: 'How many times the hack-ward component is taken away.',
      formula: 'removed = overshoot · c_use V',
      range: '0 … 10',
      nullValue: '0 removes nothing, 1 removes it exactly.',
      notShown: 'Forgetting of what is learnt: above 1 the step points away from the hack, which is steering.',
    },
    preserveMagnitude: {
      title: 'Preserve magnitude',
      meaning: 'What is kept is stretched to the length that the gradient had.',
      formula: 'kept ← kept · ‖g‖ / ‖kept‖',
      range: 'yes, no; refused with route and with the target update',
      nullValue: 'no.',
      notShown: 'Equal learning: AdamW rescales most of a change of length away by itself.',
    },
  },
} satisfies Facet<'gate' | 'overshoot' | 'preserveMagnitude'>;
