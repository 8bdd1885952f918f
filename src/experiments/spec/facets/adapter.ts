// What is trained of the model: the knobs.
import { type Facet, setting } from '../facet.ts';
import { choice, integer } from '../field-kinds.ts';

export const ADAPTER = {
  group: 'Adapter',
  settings: {
    adapter: setting(
      choice(['svd', 'lora'], {
        label: 'Adapter',
        help: 'svd: one knob per singular direction of each weight. lora: a low-rank update, for comparison.',
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
  contradictions: [],
  concepts: {
    adapter: {
      title: 'Adapter',
      meaning: 'What is trained; the model’s own weights stay frozen.',
      formula:
        'svd: W + U diag(δS) Vh, one knob per singular direction of W. lora: W + B A of the given rank, B = 0 at start',
      range: 'svd, lora (rank 1 … 1024, at most the weight’s own)',
      nullValue: 'Both start at the base, bit for bit.',
      notShown: 'Norms and overlaps on a common scale: the two have different coordinates.',
    },
  },
} satisfies Facet<'adapter' | 'loraRank'>;
