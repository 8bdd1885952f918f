// What is trained of the model: the knobs.
import { termsOf } from '../../worlds/all-terms.ts';
import { hasPairs } from '../../worlds/terms.ts';
import { type Contradiction, type Facet, setting } from '../facet.ts';
import { choice, integer } from '../field-kinds.ts';

/** Where all weights are trained there are no gradients of rows apart: no basis, no quarantine, no teacher's share. */
const noWhole: Contradiction = ({ adapter, environment, pairSet, mix }) => {
  if (adapter !== 'full') return null;
  const world = termsOf(environment);
  if (world && hasPairs(world, { pairSet }))
    return {
      what: `adapter = full in the environment ${environment}, whose runs are measured against a basis of pairs`,
      remedy: 'Choose the adapter svd or lora: projections and quarantines are not defined on all weights.',
    };
  return mix > 0 ? { what: `adapter = full and mix = ${mix}`, remedy: 'Set mix to 0, or choose svd or lora.' } : null;
};

export const ADAPTER = {
  group: 'Adapter',
  role: 'training',
  settings: {
    adapter: setting(
      choice(['svd', 'lora', 'full'], {
        label: 'Adapter',
        help: 'svd: one knob per singular direction of each weight. lora: a low-rank update. full: all weights.',
        level: 'advanced',
      }),
      { usual: 'svd', about: 'adapter' },
    ),
    loraRank: setting(
      integer(1, 1024, {
        label: 'LoRA rank',
        help: 'Of the two factors whose product is added to each weight.',
        level: 'advanced',
      }),
      { usual: 32, about: 'adapter', idle: (of) => (of('adapter') === 'lora' ? null : 'only with adapter lora') },
    ),
  },
  contradictions: [noWhole],
  concepts: {
    adapter: {
      title: 'Adapter',
      meaning: 'What is trained; the model’s own weights stay frozen.',
      formula:
        'svd: W + U diag(δS) Vh, one knob per singular direction of W. lora: W + B A of the given rank, B = 0 at start. full: W + δW, embedding and norms too',
      range: 'svd, lora (rank 1 … 1024, at most the weight’s own), full',
      nullValue: 'All start at the base, bit for bit.',
      notShown: 'Norms and overlaps on a common scale: they have different coordinates.',
    },
  },
} satisfies Facet<'adapter' | 'loraRank'>;
