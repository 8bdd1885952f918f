// Options for the gradient's part along the basis.
import { boolean, choice, type DisabledBecause, number, type OptionGroup } from '../../../lib/option.ts';

const withoutProjection: DisabledBecause = (_of, arm) =>
  arm.projection === 'none' ? 'only with an arm that erases or routes' : null;

export const PROJECTION = {
  heading: 'Projection',
  role: 'projection',
  needs: 'pairs',
  options: {
    gate: choice(['one_sided', 'no_gate', 'reverse'], {
      default: 'one_sided',
      label: 'Gate',
      help: 'one_sided removes only hack-ward motion, no_gate both ways, reverse flips it.',
      glossary: 'gate',
      disabledBecause: withoutProjection,
    }),
    overshoot: number(0, 10, {
      default: 1,
      label: 'Overshoot',
      help: 'Removes this multiple of the component; 1 removes it exactly.',
      glossary: 'overshoot',
      disabledBecause: withoutProjection,
    }),
    preserveMagnitude: boolean({
      default: false,
      label: 'Preserve magnitude',
      help: 'Rescales what is kept to the gradient’s norm. Erase (gradient) only.',
      glossary: 'preserveMagnitude',
      disabledBecause: withoutProjection,
    }),
  },
  concepts: {
    gate: {
      title: 'Gate',
      meaning: 'Which part of the component along V is removed.',
      formula: 'one_sided: relu(c). no_gate: c. reverse: 2c, with c = V g',
      range: 'one_sided, no_gate, reverse',
      nullValue: 'Every gate also removes noise: one_sided takes half of every random component.',
      notShown:
        'That it is harmless: a one-sided gate collects gross motion, so deployment may move anti-hack; the no_gate control is the check.',
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
      meaning: 'What is kept is rescaled to the norm that the gradient had.',
      formula: 'kept ← kept · ‖g‖ / ‖kept‖',
      range: 'yes, no; refused with route and with the target update',
      nullValue: 'no.',
      notShown: 'Equal learning: AdamW undoes most of a change of norm by itself.',
    },
  },
} satisfies OptionGroup;
